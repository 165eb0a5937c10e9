"""Intervals of integers under the arithmetic of clingo, computed exactly instead of in 32 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

INT32_MAX = 2**31 - 1
"""Greatest number of clingo."""
INT32_MIN = -(2**31)
"""Least number of clingo."""
_HUGE = 2**64  # in place of powers that are too large to compute


class IntInterval(NamedTuple):
    """All integers from low to high; empty where low is greater."""

    low: int
    high: int

    @property
    def is_empty(self) -> bool:
        """True if it holds no number."""
        return self.low > self.high

    @property
    def fits_int32(self) -> bool:
        """True if all of its numbers fit into 32 bits."""
        return self.is_empty or (self.low >= INT32_MIN and self.high <= INT32_MAX)

    def __and__(self, other: IntInterval) -> IntInterval:
        return IntInterval(max(self.low, other.low), min(self.high, other.high))

    def __or__(self, other: IntInterval) -> IntInterval:
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        return IntInterval(min(self.low, other.low), max(self.high, other.high))


INT32_RANGE = IntInterval(INT32_MIN, INT32_MAX)
EMPTY_INTERVAL = IntInterval(1, 0)


def singleton(value: int) -> IntInterval:
    """Return the interval of one number."""
    return IntInterval(value, value)


def apply_binary(operator: str, left: IntInterval, right: IntInterval) -> IntInterval:
    """Return an interval that holds all results of a binary operation.

    Args:
        operator: Text of the operator in clingo, such as "+".
        left: Values of the left operand.
        right: Values of the right operand.

    Returns:
        An interval around the results, not always the smallest one.
    """
    return EMPTY_INTERVAL if left.is_empty or right.is_empty else _BINARY_OPERATIONS[operator](left, right)


def negate(interval: IntInterval) -> IntInterval:
    """Return the interval of `-X`."""
    return IntInterval(-interval.high, -interval.low)


def bitwise_complement(interval: IntInterval) -> IntInterval:
    """Return the interval of `~X`, which is -X-1."""
    return IntInterval(-interval.high - 1, -interval.low - 1)


def absolute_value(interval: IntInterval) -> IntInterval:
    """Return the interval of `|X|`."""
    if interval.is_empty or interval.low >= 0:
        return interval
    return IntInterval(max(0, -interval.high), _max_abs(interval))


def exact_quotients(interval: IntInterval, divisor: int) -> IntInterval:
    """Return the numbers whose product with the divisor lies in the interval."""
    low, high = (interval.low, interval.high) if divisor > 0 else (-interval.high, -interval.low)
    return IntInterval(-(-low // abs(divisor)), high // abs(divisor))


def _max_abs(interval: IntInterval) -> int:
    return max(abs(interval.low), abs(interval.high))


def _add(left: IntInterval, right: IntInterval) -> IntInterval:
    return IntInterval(left.low + right.low, left.high + right.high)


def _multiply(left: IntInterval, right: IntInterval) -> IntInterval:
    corners = [a * b for a in left for b in right]
    return IntInterval(min(corners), max(corners))


def _divide(left: IntInterval, right: IntInterval) -> IntInterval:
    if left.low >= 0 and right.low >= 0:
        return IntInterval(0, left.high // max(right.low, 1))
    return IntInterval(-_max_abs(left), _max_abs(left))


def _modulo(left: IntInterval, right: IntInterval) -> IntInterval:
    if left.low >= 0 and right.low >= 0:
        return IntInterval(0, min(left.high, max(right.high - 1, 0)))
    return IntInterval(-_max_abs(right), _max_abs(right)) & INT32_RANGE


def _power(base: IntInterval, exponent: IntInterval) -> IntInterval:
    if base.low >= 1 and exponent.low >= 0:
        return IntInterval(_bounded_power(base.low, exponent.low), _bounded_power(base.high, exponent.high))
    high = max(_bounded_power(_max_abs(base), max(exponent.high, 0)), 1)
    return IntInterval(0 if base.low >= 0 else -high, high)


def _bounded_power(base: int, exponent: int) -> int:
    return int(base**exponent) if exponent <= 64 or base < 2 else _HUGE


def _bitwise(left: IntInterval, right: IntInterval) -> IntInterval:
    """Return the interval of any bitwise operation: its result has no more bits than its operands."""
    bound = 1 << max(_max_abs(left), _max_abs(right)).bit_length()
    return IntInterval(0 if left.low >= 0 and right.low >= 0 else -bound, bound - 1) & INT32_RANGE


_BINARY_OPERATIONS: dict[str, Callable[[IntInterval, IntInterval], IntInterval]] = {
    "+": _add,
    "-": lambda left, right: _add(left, negate(right)),
    "*": _multiply,
    "/": _divide,
    "\\": _modulo,
    "**": _power,
    "&": _bitwise,
    "?": _bitwise,
    "^": _bitwise,
}
