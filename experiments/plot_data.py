"""Values of plots with their 95 % intervals: quantiles of times, and mean points of deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.matches import Z_975, mean_interval

SECONDS_FLOOR = 1e-5
"""Shortest time on a logarithmic axis, in seconds."""


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a median by order statistics.

    >>> median_interval(range(1, 21))
    (6.0, 15.0)

    Args:
        values: Independent values, at least one.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    radius = Z_975 * np.sqrt(len(ordered)) / 2
    low = max(0, int(np.floor(len(ordered) / 2 - radius)))
    high = min(len(ordered) - 1, len(ordered) - 1 - low)
    return float(ordered[low]), float(ordered[high])


def deal_mean(points: NDArray[np.int64]) -> tuple[float, float | None, float | None]:
    """Return the mean of the points of deals and its 95 % interval.

    Args:
        points: Points of each deal, int64 [deals].
    """
    bounds = mean_interval(points.astype(np.float64), 1)
    return float(points.mean()), *(bounds or (None, None))


def numbers_text(numbers: Sequence[int], unit: str) -> str:
    """Return a number, or the range of several, with its unit.

    >>> numbers_text([100, 100], "deals"), numbers_text([20, 100], "deals")
    ('100 deals', '20 to 100 deals')

    Args:
        numbers: Sample sizes, at least one.
        unit: Name of the things counted, in the plural.
    """
    low, high = min(numbers), max(numbers)
    return f"{low:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}"
