"""Intervals over training seeds and deals together, and the paired test over seeds.

A measurement of a trained agent varies with the training's seed and with the deals. Each seed is measured on deals of
its own, so the variance between the seeds' means holds both. The interval is Student's t over these means, with one
degree of freedom less than there are seeds. It is the exact interval of the mixed model with a random effect of the
seed and equal numbers of deals. It is never narrower than the interval over the deals alone, so that seeds that agree
by chance do not make it too narrow.

A bootstrap that draws seeds, then deals, was measured and rejected. With three seeds whose rates have a standard
deviation of 0.1 its percentiles covered the truth in 80 % of 3,000 simulations, with five seeds in 89 %. This interval
covered it in 95 and 96 %. Without any effect of the seed it covers 98 to 99 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.matches.intervals import Interval

SEED_METHOD = "Student's t over the means of the seeds, each with its own deals, never narrower than over deals alone"
"""Name of the method, for reports."""
UNBOUNDED = (-float("inf"), float("inf"))
"""Range of a measure that may be any number."""


@dataclass(frozen=True)
class SeedEstimate:
    """Mean of a measurement over seeds.

    Attributes:
        mean: Mean over the seeds.
        interval: Interval of the mean; None for one seed without an error of its own.
        num_seeds: Number of seeds.
    """

    mean: float
    interval: Interval | None
    num_seeds: int

    @property
    def covers(self) -> str:
        """Sources of variance that the interval covers."""
        return describe_coverage(self.num_seeds)


def describe_coverage(num_seeds: int) -> str:
    """Name the sources of variance that an interval covers.

    >>> describe_coverage(1)
    'deals alone, of one training seed'
    >>> describe_coverage(3)
    '3 training seeds and deals together'

    Args:
        num_seeds: Number of training seeds.
    """
    return f"{num_seeds} training seeds and deals together" if num_seeds > 1 else "deals alone, of one training seed"


def combine_seeds(
    means: Sequence[float],
    deal_errors: Sequence[float] | None = None,
    level: float = 0.95,
    bounds: Interval = UNBOUNDED,
) -> SeedEstimate:
    """Compute the mean over seeds and its interval, which covers seeds and deals.

    >>> combine_seeds([0.5, 0.6, 0.7]).interval
    (0.351586, 0.848414)
    >>> combine_seeds([0.6, 0.6, 0.6], [0.03, 0.03, 0.03]).interval
    (0.566052, 0.633948)

    Args:
        means: Measurement of each seed, on deals of its own.
        deal_errors: Standard error of each by its deals; None where it is unknown, or there are no deals.
        level: Level of the interval, 0 < level < 1.
        bounds: Range of the measure; the interval is clipped to it.

    Returns:
        Mean, interval and number of seeds.

    Raises:
        GameError: There is no seed, or the level is out of range.
        ModuleNotFoundError: scipy is not installed.
    """
    from scipy.special import ndtri, stdtrit

    if not 0 < level < 1:
        raise GameError(f"level={level}: a number between 0 and 1", ErrorCode.INVALID_VALUE)
    if not len(means):
        raise GameError("an interval over seeds needs 1 seed or more", ErrorCode.INVALID_VALUE)
    values, tail = np.asarray(means, np.float64), (1 + level) / 2
    count, mean = len(values), float(np.mean(values))
    radii = []
    if count > 1:
        radii.append(float(stdtrit(count - 1, tail)) * float(values.std(ddof=1)) / sqrt(count))
    if deal_errors is not None:
        radii.append(float(ndtri(tail)) * float(np.sqrt(np.square(deal_errors).sum())) / count)
    if not radii:
        return SeedEstimate(round(mean, 6), None, count)
    low, high = max(bounds[0], mean - max(radii)), min(bounds[1], mean + max(radii))
    return SeedEstimate(round(mean, 6), (round(low, 6), round(high, 6)), count)


def paired_test(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """Test whether the mean of paired differences is zero, by Student's paired t-test.

    >>> round(paired_test([0.1, 0.2, 0.3]), 4)
    0.0742

    Args:
        differences: Difference of a pair for each seed: two methods, or an agent and its twin, of one seed.

    Returns:
        Two-sided p-value; None for fewer than two seeds, or differences that are all equal.

    Raises:
        ModuleNotFoundError: scipy is not installed.
    """
    from scipy.special import stdtr

    values = np.asarray(differences, np.float64)
    if len(values) < 2 or np.ptp(values) == 0:
        return None
    statistic = abs(float(values.mean())) / (float(values.std(ddof=1)) / sqrt(len(values)))
    return float(2 * stdtr(len(values) - 1, -statistic))
