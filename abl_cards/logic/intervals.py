"""Ranges of whole numbers, and what clingo's arithmetic makes of them: computed exactly, where clingo has 32 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)
_VAST = 2**64  # instead of powers that nobody wants to compute


class Interval(NamedTuple):
    """All numbers from low to high; none where low is greater."""

    low: int
    high: int

    @property
    def empty(self) -> bool:
        return self.low > self.high

    @property
    def fits(self) -> bool:
        """Whether all of it has 32 bits."""
        return self.empty or (self.low >= INT32_MIN and self.high <= INT32_MAX)

    def __and__(self, other: Interval) -> Interval:
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def __or__(self, other: Interval) -> Interval:
        if self.empty or other.empty:
            return other if self.empty else self
        return Interval(min(self.low, other.low), max(self.high, other.high))


ALL = Interval(INT32_MIN, INT32_MAX)
NONE = Interval(1, 0)


def point(value: int) -> Interval:
    """One number."""
    return Interval(value, value)


def binary(operator: str, left: Interval, right: Interval) -> Interval:
    """What ``left operator right`` can be, by the operator's text; more where that is hard to say."""
    return NONE if left.empty or right.empty else _BINARY[operator](left, right)


def negated(interval: Interval) -> Interval:
    """Of `-X`."""
    return Interval(-interval.high, -interval.low)


def complement(interval: Interval) -> Interval:
    """Of `~X`, which is -X-1."""
    return Interval(-interval.high - 1, -interval.low - 1)


def absolute(interval: Interval) -> Interval:
    """Of `|X|`."""
    if interval.empty or interval.low >= 0:
        return interval
    return Interval(max(0, -interval.high), _size(interval))


def quotients(interval: Interval, divisor: int) -> Interval:
    """The numbers whose product with the divisor lies in the interval."""
    low, high = (interval.low, interval.high) if divisor > 0 else (-interval.high, -interval.low)
    return Interval(-(-low // abs(divisor)), high // abs(divisor))


def _size(interval: Interval) -> int:
    return max(abs(interval.low), abs(interval.high))


def _plus(left: Interval, right: Interval) -> Interval:
    return Interval(left.low + right.low, left.high + right.high)


def _times(left: Interval, right: Interval) -> Interval:
    corners = [a * b for a in left for b in right]
    return Interval(min(corners), max(corners))


def _divided(left: Interval, right: Interval) -> Interval:
    if left.low >= 0 and right.low >= 0:
        return Interval(0, left.high // max(right.low, 1))
    return Interval(-_size(left), _size(left))


def _modulo(left: Interval, right: Interval) -> Interval:
    if left.low >= 0 and right.low >= 0:
        return Interval(0, min(left.high, max(right.high - 1, 0)))
    return Interval(-_size(right), _size(right)) & ALL


def _power(base: Interval, exponent: Interval) -> Interval:
    if base.low >= 1 and exponent.low >= 0:
        return Interval(_raised(base.low, exponent.low), _raised(base.high, exponent.high))
    high = max(_raised(_size(base), max(exponent.high, 0)), 1)
    return Interval(0 if base.low >= 0 else -high, high)


def _raised(base: int, exponent: int) -> int:
    return int(base**exponent) if exponent <= 64 or base < 2 else _VAST


def _bits(left: Interval, right: Interval) -> Interval:
    """Of any operation bit by bit: no more bits than its operands have."""
    bound = 1 << max(_size(left), _size(right)).bit_length()
    return Interval(0 if left.low >= 0 and right.low >= 0 else -bound, bound - 1) & ALL


_BINARY: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": _plus,
    "-": lambda left, right: _plus(left, negated(right)),
    "*": _times,
    "/": _divided,
    "\\": _modulo,
    "**": _power,
    "&": _bits,
    "?": _bits,
    "^": _bits,
}
