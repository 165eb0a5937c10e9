"""Intervals over seeds and deals: examples, coverage by simulation, and the paired test against scipy."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.matches import seed_intervals
from abl_cards.matches.seed_intervals import combine_seeds, paired_test


def test_doctests_pass() -> None:
    assert doctest.testmod(seed_intervals).failed == 0


@pytest.mark.parametrize(("num_seeds", "deviation"), [(3, 0.0), (3, 0.1), (5, 0.05)])
def test_interval_covers_the_mean_over_seeds(num_seeds: int, deviation: float) -> None:
    """The interval covers the mean over all seeds; one over the deals alone fails where seeds differ."""
    rng, runs, deals, mean = np.random.default_rng(1), 600, 100, 0.55
    covered = deals_alone = 0
    for _ in range(runs):
        rates = np.clip(mean + deviation * rng.standard_normal(num_seeds), 0, 1)
        games = rng.random((num_seeds, deals)) < rates[:, None]
        errors = games.std(axis=1, ddof=1) / deals**0.5
        estimate = combine_seeds(games.mean(axis=1).tolist(), errors.tolist())
        assert estimate.interval
        covered += estimate.interval[0] <= mean <= estimate.interval[1]
        radius = 1.96 * float(np.sqrt((errors**2).sum())) / num_seeds
        deals_alone += abs(estimate.mean - mean) <= radius
    assert covered >= 0.93 * runs
    assert deals_alone < covered
    if deviation:
        assert deals_alone < 0.85 * runs


def test_interval_is_not_narrower_than_over_deals() -> None:
    wide, narrow = combine_seeds([0.5, 0.5], [0.1, 0.1]), combine_seeds([0.5, 0.5])
    assert wide.interval
    assert wide.interval[1] - 0.5 == pytest.approx(1.959964 * 0.1 / 2**0.5, abs=1e-6)
    assert narrow.interval == (0.5, 0.5)


def test_interval_of_one_seed_covers_deals_only() -> None:
    estimate = combine_seeds([0.5], [0.1], bounds=(0, 0.6))
    assert estimate.interval
    assert list(estimate.interval) == pytest.approx([0.304004, 0.6])
    assert "alone" in estimate.covers
    assert "together" in combine_seeds([0.5, 0.6]).covers
    assert combine_seeds([0.5]).interval is None


def test_higher_level_widens_the_interval() -> None:
    usual, strict = (combine_seeds([0.4, 0.5, 0.7], level=level).interval for level in (0.95, 0.99))
    assert usual
    assert strict
    assert strict[0] < usual[0] < usual[1] < strict[1]


def test_paired_test_equals_scipy() -> None:
    from scipy import stats  # here: each process collects all tests, and this takes two seconds

    rng = np.random.default_rng(0)
    first, second = rng.random(6), rng.random(6)
    expected = stats.ttest_rel(first, second).pvalue
    assert paired_test(first - second) == pytest.approx(expected)
    assert paired_test([0.1]) is None
    assert paired_test([0.1, 0.1]) is None


@pytest.mark.parametrize("arguments", [([], None, 0.95), ([0.5], None, 1.0)])
def test_invalid_arguments_are_rejected(arguments: tuple[list[float], None, float]) -> None:
    with pytest.raises(GameError) as error:
        combine_seeds(*arguments)
    assert error.value.code == ErrorCode.INVALID_VALUE
