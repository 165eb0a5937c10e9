"""Tests of hidden hands against a QP solver, enumeration and the definition of a projection."""

from __future__ import annotations

from itertools import product
from math import factorial

import numpy as np
import pytest
import quadprog
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.types.information_set import InformationSet
from abl_cards.reasoners.hidden_hands.deal_sampling import MIN_ESTIMATE
from abl_cards.reasoners.hidden_hands.hands import (
    expected_copies,
    project_estimate,
    reweight_estimate,
    sample_deals,
    uniform_estimate,
)
from tests.effort import amount

SEATS, CARDS = 3, 54


def dealt(
    random: np.random.Generator, n: int, cards: int = CARDS, facts: float = 0.05
) -> tuple[InformationSet, NDArray[np.uint8]]:
    """Return random hands and constraints that they satisfy; a share of the bounds is tight."""
    owner = random.integers(-1, SEATS, (n, 2, cards))
    truth = np.stack([(owner == seat).sum(axis=1) for seat in range(SEATS)], axis=1).astype(np.uint8)
    unseen = truth.sum(axis=1, dtype=np.uint8)
    least = np.where(random.random(truth.shape) < facts, truth, 0).astype(np.uint8)
    most = np.where(random.random(truth.shape) < facts, truth, unseen[:, None]).astype(np.uint8)
    return InformationSet(unseen, truth.sum(axis=2).astype(np.int8), least, most), truth


def by_quadratic_programming(estimate: NDArray[np.float32], constraints: InformationSet) -> NDArray[np.float64]:
    """Project for one observer by Goldfarb and Idnani's dual method."""
    size = estimate[0].size
    of_card = np.tile(np.eye(estimate.shape[2]), SEATS)[constraints.unseen[0] > 0]
    of_seat = np.kron(np.eye(SEATS), np.ones(estimate.shape[2]))[1:]  # the first seat has the remaining cards
    equal = np.concatenate([of_card, of_seat])
    sums = np.concatenate([constraints.unseen[0][constraints.unseen[0] > 0], constraints.cards_left[0, 1:]])
    least, most = (bound[0].ravel().astype(np.float64) for bound in (constraints.min_copies, constraints.max_copies))
    matrix = np.concatenate([equal, np.eye(size), -np.eye(size)]).T
    bounds = np.concatenate([sums, least - 1e-9, -most - 1e-9])  # slack for equal bounds
    solution = quadprog.solve_qp(np.eye(size), estimate[0].ravel().astype(np.float64), matrix, bounds, len(equal))
    return np.asarray(solution[0]).reshape(SEATS, -1)


@pytest.mark.parametrize("facts", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("spread", [0.2, 3.0])
def test_projection_equals_a_qp_solver(facts: float, spread: float) -> None:
    random = np.random.default_rng(3)
    constraints, truth = dealt(random, amount(4, 12), facts=facts)
    estimate = (truth / 2 + spread * random.standard_normal(truth.shape)).astype(np.float32)
    projected = project_estimate(estimate, constraints)
    for row in range(len(truth)):
        expected = by_quadratic_programming(estimate[row : row + 1], constraints.select(slice(row, row + 1)))
        assert np.abs(projected[row] - expected).max() < 1e-5


estimates = st.sampled_from(["noise", "whole", "zero", "false", "far"])


def guess(kind: str, random: np.random.Generator, truth: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return estimates of several kinds, many with ties."""
    kinds = {
        "noise": random.standard_normal(truth.shape),
        "whole": random.integers(-1, 4, truth.shape),
        "zero": np.zeros(truth.shape),
        "false": 2.0 - truth,
        "far": 40.0 * random.standard_normal(truth.shape),
    }
    return kinds[kind].astype(np.float32)


@given(seed=st.integers(0, 2**32), facts=st.sampled_from([0.0, 0.05, 0.4, 0.9]), kind=estimates)
def test_projection_is_consistent_and_no_farther_from_the_truth(seed: int, facts: float, kind: str) -> None:
    random = np.random.default_rng(seed)
    constraints, truth = dealt(random, 4, facts=facts)
    estimate = guess(kind, random, truth)
    projected = project_estimate(estimate, constraints)
    assert constraints.is_consistent(projected, 3e-5).all()
    keys = splitmix64_array(np.full((4, 4), seed, np.uint64), np.arange(16).reshape(4, 4))
    for deal in (truth, *sample_deals(uniform_estimate(constraints), constraints, keys).swapaxes(0, 1)):
        before, after = (((values.astype(np.float64) - deal) ** 2).sum(axis=(1, 2)) for values in (estimate, projected))
        assert (after <= before * (1 + 1e-5) + 1e-4).all()
        # No angle at the nearest point of a convex set is acute, which characterises that point.
        angle = ((estimate - projected.astype(np.float64)) * (deal - projected)).sum(axis=(1, 2))
        assert (angle <= 1e-3 * (1 + np.abs(estimate).max())).all()


def test_projection_keeps_consistent_estimates() -> None:
    constraints, truth = dealt(np.random.default_rng(4), 50)
    assert np.abs(project_estimate(truth.astype(np.float32), constraints) - truth).max() < 1e-6
    even = expected_copies(uniform_estimate(constraints), constraints)
    assert np.abs(project_estimate(even, constraints) - even).max() < 1e-5


def test_projection_does_not_depend_on_other_rows() -> None:
    constraints, truth = dealt(np.random.default_rng(5), 300)
    estimate = np.random.default_rng(6).random(truth.shape, np.float32)
    together = project_estimate(estimate, constraints)
    assert all(
        (project_estimate(estimate[[row]], constraints.select(np.array([row])))[0] == together[row]).all()
        for row in (0, 150, 299)
    )


def test_impossible_hands_and_nan_terminate() -> None:
    """Return a result, though a useless one, for impossible hands and NaN."""
    constraints, truth = dealt(np.random.default_rng(7), 20)
    impossible = InformationSet(
        constraints.unseen, constraints.cards_left + np.int8(1), constraints.min_copies, constraints.max_copies
    )
    assert project_estimate(truth.astype(np.float32), impossible).shape == truth.shape
    assert project_estimate(np.full(truth.shape, np.nan, np.float32), constraints).shape == truth.shape
    with pytest.raises(GameError, match="row 0") as caught:
        sample_deals(truth.astype(np.float32), impossible, np.zeros((20, 1), np.uint64))
    assert caught.value.code == ErrorCode.INCONSISTENT_HANDS


# --- whole deals ------------------------------------------------------------------------------------------------------


def enumerated(estimate: NDArray[np.float32], constraints: InformationSet) -> dict[bytes, float]:
    """Return the probability of every consistent deal of one observer."""
    ways = [
        np.array([(x, y, copies - x - y) for x, y in product(range(copies + 1), repeat=2) if x + y <= copies])
        for copies in constraints.unseen[0].tolist()
    ]
    choices = np.indices([len(options) for options in ways]).reshape(len(ways), -1)
    deals = np.stack([options[choice] for options, choice in zip(ways, choices, strict=True)], axis=2).astype(np.uint8)
    deals = deals[constraints.select(np.zeros(len(deals), np.int64)).is_consistent(deals)]
    chances = np.maximum(estimate.astype(np.float64), MIN_ESTIMATE) ** deals
    weights = (chances / np.array([factorial(copies) for copies in range(3)])[deals]).prod(axis=(1, 2))
    return {deal.tobytes(): float(weight) for deal, weight in zip(deals, weights / weights.sum(), strict=True)}


def small(seed: int, facts: float = 0.15) -> tuple[NDArray[np.float32], InformationSet]:
    """Return six cards, and an estimate with low values for some."""
    random = np.random.default_rng(seed)
    constraints, truth = dealt(random, 1, cards=6, facts=facts)
    estimate = (random.random(truth.shape) ** 3 * (random.random(truth.shape) < 0.9)).astype(np.float32)
    return estimate, constraints


@settings(max_examples=amount(15, 50, 2_000))
@given(seed=st.integers(0, 2**32))
def test_expected_copies_equal_enumeration(seed: int) -> None:
    estimate, constraints = small(seed)
    chances = enumerated(estimate, constraints)
    mean = sum(chance * np.frombuffer(deal, np.uint8).reshape(SEATS, -1) for deal, chance in chances.items())
    assert np.abs(expected_copies(estimate, constraints)[0] - mean).max() < 1e-5


def test_samples_pass_a_chi_square_test_against_enumeration() -> None:
    """Keep the statistic of eight cases within four standard deviations of its expectation."""
    draws, statistic, freedom = 10_000, 0.0, 0
    for seed in range(8):
        estimate, constraints = small(seed, facts=0.05)
        chances = enumerated(estimate, constraints)
        keys = splitmix64_array(np.full((1, draws), seed, np.uint64), np.arange(draws)[None])
        deals, counts = np.unique(
            sample_deals(estimate, constraints, keys)[0].reshape(draws, -1), axis=0, return_counts=True
        )
        seen = {deal.tobytes(): int(count) for deal, count in zip(deals, counts, strict=True)}
        assert seen.keys() <= chances.keys()
        often = [deal for deal, chance in chances.items() if chance * draws >= 5]
        rare = draws - sum(seen.get(deal, 0) for deal in often)
        left = draws * (1 - sum(chances[deal] for deal in often))
        statistic += sum((seen.get(deal, 0) - draws * chances[deal]) ** 2 / (draws * chances[deal]) for deal in often)
        statistic += (rare - left) ** 2 / left if left >= 5 else 0.0
        freedom += len(often) - (left < 5)
    assert freedom > 100
    assert abs(statistic - freedom) < 4 * (2 * freedom) ** 0.5


def test_a_hundred_thousand_deals_are_consistent() -> None:
    random = np.random.default_rng(8)
    constraints, truth = dealt(random, 1000)
    estimate = project_estimate(
        random.random(truth.shape, np.float32), constraints
    )  # many zeros, which facts may contradict
    deals = sample_deals(
        estimate, constraints, splitmix64_array(np.zeros((1000, 100), np.uint64), np.arange(100_000).reshape(1000, 100))
    )
    wrong = sum(int((~constraints.is_consistent(deals[:, draw])).sum()) for draw in range(100))
    assert wrong == 0
    assert len(np.unique(deals[0].reshape(100, -1), axis=0)) > 90


def test_samples_depend_only_on_their_keys() -> None:
    constraints, _ = dealt(np.random.default_rng(9), 40)
    estimate, keys = uniform_estimate(constraints), np.arange(80, dtype=np.uint64).reshape(40, 2)
    together = sample_deals(estimate, constraints, keys)
    rows = np.array([17, 3])
    assert (sample_deals(estimate[rows], constraints.select(rows), keys[rows]) == together[rows]).all()
    assert (together[:, 0] != together[:, 1]).any()


# --- estimates without learning ---------------------------------------------------------------------------------------


def test_uniform_estimate_is_proportional_to_the_cards_left() -> None:
    unseen, left = np.array([[2, 1, 0, 1]], np.uint8), np.array([[2, 1, 1]], np.int8)
    assert uniform_estimate(InformationSet.from_counts(unseen, left))[0].T.tolist() == [
        [1, 0.5, 0.5], [0.5, 0.25, 0.25], [0, 0, 0], [0.5, 0.25, 0.25],
    ]  # fmt: skip


def test_uniform_estimate_satisfies_the_bounds() -> None:
    unseen, left = np.array([[2, 1]], np.uint8), np.array([[2, 1, 0]], np.int8)
    known = InformationSet.from_counts(unseen, left)
    known.min_copies[0, 1, 0], known.max_copies[0, 1, 1] = 1, 0
    assert uniform_estimate(known)[0].tolist() == [[1, 1], [1, 0], [0, 0]]


def test_expected_copies_of_uniform_hands_equal_the_estimate() -> None:
    constraints = dealt(np.random.default_rng(10), 5, facts=0.0)[0]
    assert (
        np.abs(expected_copies(uniform_estimate(constraints), constraints) - uniform_estimate(constraints)).max() < 1e-4
    )


def test_hints_multiply_the_odds() -> None:
    counted = InformationSet.from_counts(np.array([[2, 2]], np.uint8), np.array([[2, 1, 1]], np.int8))
    hints = np.zeros((1, 3, 2), np.float32)
    hints[0, 0, 0] = -np.log(2)
    leaning = reweight_estimate(uniform_estimate(counted), hints, counted)
    assert np.allclose(leaning[0, :, 0], 2 / 3)
    assert np.allclose(leaning[0, :, 1], [1, 0.5, 0.5])


def test_two_seats_equal_three_with_an_empty_hand() -> None:
    random = np.random.default_rng(11)
    truth = random.integers(0, 2, (30, 2, 15)).astype(np.uint8)
    constraints = InformationSet.from_counts(truth.sum(axis=1, dtype=np.uint8), truth.sum(axis=2).astype(np.int8))
    estimate = random.random(truth.shape, np.float32)
    assert constraints.is_consistent(project_estimate(estimate, constraints), 1e-5).all()
    assert constraints.is_consistent(sample_deals(estimate, constraints, np.zeros((30, 1), np.uint64))[:, 0]).all()
