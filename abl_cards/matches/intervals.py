"""95 % bounds of what was found in games that share their deals."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

_Z_975 = 1.959963984540054  # 97.5 % point of the normal distribution

Interval = tuple[float, float]


def share_interval(shares: NDArray[np.float64], games_per_deal: int = 2) -> Interval:
    """95 % bounds of the mean share [games]: Wilson's, with the games counted for as much as their deals tell.

    So many games together share their cards, so they are not independent; the variance between the deals says how many
    independent games they amount to.
    """
    return wilson_interval(float(shares.mean()), len(shares) / _design_effect(shares, games_per_deal))


def wilson_interval(mean: float, num_games: float) -> Interval:
    """95 % bounds of a share that was found in so many independent games."""
    centre = (mean + _Z_975**2 / (2 * num_games)) / (1 + _Z_975**2 / num_games)
    radius = _Z_975 * sqrt(mean * (1 - mean) / num_games + _Z_975**2 / (4 * num_games**2)) / (1 + _Z_975**2 / num_games)
    return round(max(0.0, centre - radius), 6), round(min(1.0, centre + radius), 6)


def effective_sample_size(mean: float, interval: Interval) -> float:
    """In how many independent games a share was found that has these bounds: what ``wilson_interval`` was given.

    >>> round(effective_sample_size(0.4, wilson_interval(0.4, 50)))
    50
    """
    width, spread = interval[1] - interval[0], mean * (1 - mean)
    square, linear = 1 - width**2, width**2 - 2 * spread
    return _Z_975**2 * square / (linear + sqrt(linear**2 + width**2 * square))


def mean_interval(values: NDArray[np.float64], games_per_deal: int) -> Interval | None:
    """95 % bounds of the mean of values [games], so many of which share their deal; None of fewer than two deals.

    >>> mean_interval(np.array([1.0, 3.0, 2.0, 2.0, 1.0, 1.0]), 2)
    (1.013345, 2.319988)
    """
    deals = values[: len(values) // games_per_deal * games_per_deal].reshape(-1, games_per_deal).mean(axis=1)
    if len(deals) < 2:
        return None
    mean, radius = float(values.mean()), _Z_975 * float(deals.std(ddof=1)) / sqrt(len(deals))
    return round(mean - radius, 6), round(mean + radius, 6)


def _design_effect(shares: NDArray[np.float64], together: int) -> float:
    deals = shares[: len(shares) // together * together].reshape(-1, together).mean(axis=1)
    single = float(shares.var())
    if len(deals) < 2 or single == 0 or together == 1:
        return 1.0
    return max(together * float(deals.var(ddof=1)) / single, 0.5)
