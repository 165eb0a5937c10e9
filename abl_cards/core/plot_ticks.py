"""Ticks of axes and texts of numbers, as the web page computes them (static/chart/ticks.js)."""

from __future__ import annotations

import math
from collections.abc import Sequence

MAX_TICKS = 6
"""Largest number of ticks of an axis."""
_EPSILON = 1e-9


def linear_ticks(low: float, high: float, count: int = MAX_TICKS, is_integer: bool = False) -> list[float]:
    """Return round numbers in a range.

    >>> linear_ticks(4, 8, is_integer=True), linear_ticks(0, 100)
    ([4.0, 5.0, 6.0, 7.0, 8.0], [0.0, 20.0, 40.0, 60.0, 80.0, 100.0])

    Args:
        low: Lower end.
        high: Upper end.
        count: Largest number of ticks.
        is_integer: Only whole numbers.
    """
    span = max(high - low, _EPSILON)
    exponent = math.floor(math.log10(span / max(1, count - 1)) - _EPSILON)
    steps = [base * 10.0**power for power in range(exponent, exponent + 3) for base in (1, 2, 5)]
    for step in steps:
        if is_integer and step < 1:
            continue
        first, last = math.ceil(low / step - _EPSILON), math.floor(high / step + _EPSILON)
        if last - first < count:
            return [_tidy(index * step) for index in range(first, last + 1)]
    return [low, high]


def log_ticks(low: float, high: float, count: int = MAX_TICKS) -> list[float]:
    """Return round numbers in a range of positive numbers, for a logarithmic axis.

    >>> log_ticks(0.028, 1.5), log_ticks(0.0005, 31)
    ([0.05, 0.1, 0.2, 0.5, 1.0], [0.001, 0.01, 0.1, 1.0, 10.0])

    Args:
        low: Lower end, above 0.
        high: Upper end.
        count: Largest number of ticks.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for bases in ((1, 2, 5), (1, 3), (1,)):
        ticks = [base * 10.0**power for power in range(first, last + 1) for base in bases]
        inside = [_tidy(tick) for tick in ticks if low * (1 - _EPSILON) <= tick <= high * (1 + _EPSILON)]
        if len(inside) <= count:
            return inside if len(inside) > 1 else linear_ticks(low, high, count)
    return inside[:: -(-len(inside) // count)]


def number_text(value: float) -> str:
    """Return a number of an axis as text.

    >>> [number_text(value) for value in (0.5, 600000, 4300000, 1200, -3.25, 0.0005)]
    ['0.5', '600k', '4.3M', '1200', '−3.25', '0.0005']

    Args:
        value: Number.
    """
    size = abs(value)
    if size >= 999_500:
        text = f"{_plain(size / 1e6)}M"
    elif size >= 10_000:
        text = f"{_plain(size / 1e3)}k"
    else:
        text = _plain(size)
    return f"−{text}" if value < 0 and text != "0" else text


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move places of labels apart.

    >>> spread([5, 5.5, 9], 2, 0, 10)
    [4.25, 6.25, 9]

    Args:
        places: Wished places.
        gap: Smallest distance of two places.
        low: Smallest place.
        high: Largest place.

    Returns:
        Places in the same order, each near its wish; the gap is smaller where there is no room.
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    gap = min(gap, (high - low) / max(1, len(places) - 1))
    groups: list[tuple[float, int]] = []  # first place and number of labels that touch each other
    for index in order:
        start, size = min(max(places[index], low), high), 1
        while groups and groups[-1][0] + groups[-1][1] * gap > start + _EPSILON:
            before, count = groups.pop()
            start = (before * count + (start - count * gap) * size) / (count + size)
            size += count
            start = min(max(start, low), high - (size - 1) * gap)
        groups.append((start, size))
    moved = [start + step * gap for start, size in groups for step in range(size)]
    return [moved[order.index(index)] for index in range(len(places))]


def _plain(size: float) -> str:
    """Return a number below a million with at most four significant digits, without an exponent."""
    digits = 0 if size >= 1000 else max(0, 3 - math.floor(math.log10(size))) if size > 0 else 0
    text = f"{size:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tidy(value: float) -> float:
    """Return a number without the error of its last digits."""
    return float(f"{value:.12g}")
