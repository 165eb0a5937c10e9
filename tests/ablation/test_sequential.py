"""Sequential intervals: exact error by brute force, coverage by simulation, and properties."""

from __future__ import annotations

import doctest
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.ablation import sequential
from abl_cards.ablation.sequential import sequential_interval
from abl_cards.core.errors import ErrorCode, GameError

LOOKS = (8, 16, 32, 64, 128)


def test_doctests_pass() -> None:
    assert doctest.testmod(sequential).failed == 0


@cache
def interval_of(counts: tuple[int, ...], level: float = 0.95) -> tuple[float, float]:
    """The interval for so many zeros, halves and ones: it does not depend on their order."""
    return sequential_interval(np.repeat([0.0, 0.5, 1.0], counts), level)


def excludes(interval: tuple[float, float], mean: float) -> bool:
    return not interval[0] - 1e-6 <= mean <= interval[1] + 1e-6


def counts_of(sequence: NDArray[np.int64] | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(np.bincount(sequence, minlength=3).tolist())


def test_error_is_bounded_over_all_sequences() -> None:
    """All sequences of seven deals, each with its probability: at an error of one half a few deals can exclude."""
    for chances in ((0.25, 0.5, 0.25), (0.7, 0.2, 0.1), (0.05, 0.0, 0.95)):
        mean, error = chances[1] / 2 + chances[2], 0.0
        for sequence in product(range(3), repeat=7):
            chance = float(np.prod([chances[index] for index in sequence]))
            counts = (tuple(map(sequence[:n].count, range(3))) for n in range(1, 8))
            if chance and any(excludes(interval_of(seen, 0.5), mean) for seen in counts):
                error += chance
        assert 0 < error <= 0.5


def test_interval_covers_over_all_looks() -> None:
    """Two equal agents: the interval excludes one half in 5 % of runs at most, one for a fixed number more often."""
    rng, runs = np.random.default_rng(7), 400
    deals = rng.choice(3, (runs, LOOKS[-1]), p=[0.3, 0.4, 0.3])
    wrong = sum(any(excludes(interval_of(counts_of(run[:n])), 0.5) for n in LOOKS) for run in deals)
    peeking = sum(any(excludes(normal_interval(run[:n] / 2), 0.5) for n in LOOKS) for run in deals)
    assert wrong <= 0.05 * runs
    assert peeking > 0.08 * runs


def normal_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """The usual interval for a number of deals that is fixed in advance."""
    mean, radius = float(values.mean()), 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return mean - radius, mean + radius


def test_interval_excludes_half_for_a_real_effect() -> None:
    rng = np.random.default_rng(3)
    low, high = sequential_interval(rng.choice([0.0, 0.5, 1.0], 400, p=[0.1, 0.5, 0.4]))
    assert 0.5 < low < 0.65 < high
    assert high - low < 0.2


def test_interval_is_symmetric_and_independent_of_order() -> None:
    values = np.random.default_rng(5).choice([0.0, 0.25, 1.0], 60)
    low, high = sequential_interval(values)
    assert sequential_interval(values[::-1]) == (low, high)
    mirrored = sequential_interval(1 - values)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=2e-6)
    wider = sequential_interval(values, 0.99)
    assert wider[0] < low < values.mean() < high < wider[1]


@pytest.mark.parametrize(
    ("values", "expected"), [(np.zeros(0), (0.0, 1.0)), (np.zeros(1), (0.0, 0.98)), (np.ones(1), (0.02, 1.0))]
)
def test_few_values_give_wide_intervals(values: NDArray[np.float64], expected: tuple[float, float]) -> None:
    low, high = sequential_interval(values)
    assert low <= values.mean() <= high if values.size else (low, high) == expected
    assert high - low > 0.9


@pytest.mark.parametrize(("values", "level"), [([2.0], 0.95), ([-0.1], 0.95), ([np.nan], 0.95), ([1.0], 1.0)])
def test_values_out_of_range_are_rejected(values: list[float], level: float) -> None:
    with pytest.raises(GameError) as error:
        sequential_interval(np.array(values), level)
    assert error.value.code == ErrorCode.INVALID_VALUE
