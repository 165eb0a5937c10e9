"""Tests of more than three holders: consistent hands, and the results of three where the others hold nothing."""

# mypy: disable-error-code="call-arg"
from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.types.information_set import InformationSet
from abl_cards.reasoners.hidden_hands import deal_sampling, projection
from abl_cards.reasoners.hidden_hands.hands import (
    draw_deals,
    expected_copies,
    prior_estimate,
    project_estimate,
    sample_deals,
    uniform_estimate,
)
from tests.effort import long


def dealt(random: np.random.Generator, n: int, hands: int, cards: int, most: int = 2) -> tuple[InformationSet, NDArray]:
    """Hands, as many aside as in one of them, and some true bounds."""
    truth = random.multinomial(most, np.full(hands + 1, 1 / (hands + 1)), (n, cards)).transpose(0, 2, 1)
    truth = truth.astype(np.uint8)
    unseen, others = truth.sum(axis=1, dtype=np.uint8), truth[:, :hands]
    known = random.random(others.shape) < 0.1
    return InformationSet(
        unseen, others.sum(axis=2).astype(np.int8), np.where(known, others, 0).astype(np.uint8),
        np.where(random.random(others.shape) < 0.1, others, unseen[:, None]).astype(np.uint8),
    ), others  # fmt: skip


def arrays(given: InformationSet) -> Any:
    return given.unseen, given.cards_left, given.min_copies, given.max_copies


@pytest.fixture(scope="module")
def three() -> tuple[NDArray, InformationSet]:
    """Three hands and nothing aside, and an estimate."""
    random = np.random.default_rng(1)
    given, _ = dealt(random, 60, 2, 15)
    aside = given.unseen.sum(axis=1) - given.cards_left.sum(axis=1)
    nothing = np.zeros_like(given.min_copies[:, :1])
    whole = InformationSet(
        given.unseen, np.column_stack([given.cards_left, aside]).astype(np.int8),
        np.concatenate([given.min_copies, nothing], axis=1),
        np.concatenate([given.max_copies, given.unseen[:, None]], axis=1),
    )  # fmt: skip
    return random.random(whole.min_copies.shape, np.float32), whole


def with_empty_holder(estimate: NDArray, given: InformationSet) -> tuple[NDArray, InformationSet]:
    """Add a first holder without cards."""
    hands: list[Any] = [given.cards_left, given.min_copies, given.max_copies]
    return np.insert(estimate, 0, 0, axis=1), InformationSet(
        given.unseen, *(np.insert(array, 0, 0, axis=1) for array in hands)
    )


def projected(estimate: NDArray, given: InformationSet) -> NDArray:
    result, holders = np.empty_like(estimate), estimate.shape[1]
    zeros = ((0.0,) * holders,) * holders
    projection.project_rows(zeros, estimate, *arrays(given), 0, len(given), result)
    return result


def test_projection_of_four_holders_with_an_empty_one_equals_three(three: tuple[NDArray, InformationSet]) -> None:
    assert np.abs(projected(*with_empty_holder(*three))[:, 1:] - projected(*three)).max() < 1e-4


def test_projection_of_four_holders_is_the_nearest() -> None:
    random = np.random.default_rng(2)
    given, truth = dealt(random, 60, 3, 15)
    whole = np.concatenate([truth, given.unseen[:, None] - truth.sum(axis=1, dtype=np.uint8)[:, None]], axis=1)
    bounds = np.where(random.random(whole.shape) < 0.2, whole, 0), np.where(random.random(whole.shape) < 0.2, whole, 2)
    given = InformationSet(
        given.unseen, whole.sum(axis=2).astype(np.int8), *(bound.astype(np.uint8) for bound in bounds)
    )
    estimate = (whole + random.standard_normal(whole.shape)).astype(np.float32)
    estimates = projected(estimate, given)
    assert given.is_consistent(estimates, 1e-4).all()
    assert (
        ((estimate - estimates) * (whole - estimates)).sum(axis=(1, 2)) < 1e-3
    ).all()  # nowhere acute, as in test_hands


def test_means_of_four_holders_with_an_empty_one_equal_three(three: tuple[NDArray, InformationSet]) -> None:
    means = []
    for estimate, given in (three, with_empty_holder(*three)):
        means.append(np.empty_like(estimate))
        zeros = (0,) * estimate.shape[1]
        assert deal_sampling.expected_rows(zeros, estimate, *arrays(given), 0, len(given), means[-1]) == -1
    assert np.abs(means[1][:, 1:] - means[0]).max() < 1e-4


@pytest.mark.parametrize(("hands", "cards"), [(3, 20), (3, 54), pytest.param(4, 12, marks=long)])
def test_hands_beside_cards_aside_are_consistent(hands: int, cards: int) -> None:
    random = np.random.default_rng(hands)
    given, truth = dealt(random, 30, hands, cards, 2 if cards < 54 else 1)
    assert given.is_consistent(truth).all()
    estimate = random.random(truth.shape, np.float32)
    assert given.is_consistent(project_estimate(estimate, given), 1e-3).all()
    assert given.is_consistent(prior_estimate(given, np.zeros(truth.shape, np.float32)), 1e-3).all()
    deals = draw_deals(uniform_estimate(given), given, np.arange(len(given), dtype=np.uint64), 4)
    for place in range(4):
        assert given.is_consistent(deals[:, place]).all()
    assert (deals[:, 0] != deals[:, 1]).any()
    assert given.is_consistent(expected_copies(estimate, given), 1e-3).all()


def test_samples_of_four_holders_match_enumeration() -> None:
    """Each deal weighs its ways times the estimate of every copy."""
    random = np.random.default_rng(5)
    given, truth = dealt(random, 1, 3, 4)
    estimate = random.random(truth.shape, np.float32) + np.float32(0.2)
    aside = np.maximum(given.unseen - estimate.sum(axis=1), 0)
    holders = np.concatenate([estimate, aside[:, None]], axis=1)[0].astype(np.float64)
    ways = [[way for way in product(range(3), repeat=4) if sum(way) == copies] for copies in given.unseen[0].tolist()]
    chances: dict[bytes, float] = {}
    for choice in product(*ways):
        deal = np.array(choice, np.uint8).T
        if given.is_consistent(deal[None, :3])[0]:
            weight = (np.maximum(holders, 1e-6) ** deal / np.array([1, 1, 2])[deal]).prod()
            chances[deal[:3].tobytes()] = chances.get(deal[:3].tobytes(), 0) + float(weight)
    total = sum(chances.values())
    mean = sum(weight / total * np.frombuffer(deal, np.uint8).reshape(3, -1) for deal, weight in chances.items())
    assert np.abs(expected_copies(estimate, given)[0] - mean).max() < 1e-4
    draws = 4000
    keys = splitmix64_array(np.zeros((1, draws), np.uint64), np.arange(draws)[None])
    often = sample_deals(estimate, given, keys)[0].mean(axis=0)
    assert np.abs(often - mean).max() < 0.05


def test_invalid_hands_and_estimates() -> None:
    given, truth = dealt(np.random.default_rng(6), 3, 3, 10)
    more = InformationSet(given.unseen, given.cards_left + np.int8(9), given.min_copies, given.max_copies)
    estimate = truth.astype(np.float32)
    assert project_estimate(np.full(truth.shape, np.nan, np.float32), given).shape == truth.shape
    with pytest.raises(GameError) as caught:
        sample_deals(estimate, more, np.zeros((3, 1), np.uint64))
    assert caught.value.code == ErrorCode.INCONSISTENT_HANDS
    many, held = dealt(np.random.default_rng(7), 2, 7, 54)
    with pytest.raises(GameError) as caught:
        sample_deals(held.astype(np.float32), many, np.zeros((2, 1), np.uint64))
    assert caught.value.code == ErrorCode.TOO_LARGE


@pytest.mark.parametrize("hands", [2, 3, 4])
def test_results_of_a_row_do_not_depend_on_the_batch(hands: int) -> None:
    """Hand sizes differ, and some rows have cards aside where others have none."""
    random = np.random.default_rng(hands)
    given, others = dealt(random, 24, hands, 6)
    is_complete = np.arange(24) % 2 == 0
    unseen = np.where(is_complete[:, None], others.sum(axis=1, dtype=np.uint8), given.unseen)
    given = InformationSet(
        unseen, given.cards_left, given.min_copies, np.minimum(given.max_copies, unseen[:, None])
    )  # fmt: skip
    assert len(set((given.num_aside > 0).tolist())) == 2
    estimate, hints = (random.random(others.shape, np.float32) for _ in range(2))
    keys = splitmix64_array(np.arange(24, dtype=np.uint64), 5)

    def compute(rows: slice) -> list[NDArray]:
        part = given.select(rows)
        return [
            project_estimate(estimate[rows], part), uniform_estimate(part), prior_estimate(part, hints[rows]),
            draw_deals(estimate[rows], part, keys[rows], 6), expected_copies(estimate[rows], part),
        ]  # fmt: skip

    batch = compute(slice(None))
    for row in range(24):
        for whole, alone in zip(batch, compute(slice(row, row + 1)), strict=True):
            assert (whole[row] == alone[0]).all()
