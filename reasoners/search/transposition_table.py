"""The transposition table: bounds of the values of positions, never values that a cut-off search made up.

An entry is two words. The first: a hand, the replies that are left (9 bits), the lower and the upper bound (6 bits
each). The second: the other hand, whether the ranks were merged, the work that went in (5 bits), how deep it looked (6
bits, FULL_DEPTH where no horizon was met), the best move (9 bits). Both hands are there in full, so that no position is
ever taken for another.
"""

# mypy: disable-error-code="assignment,no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

FULL_DEPTH = 63
"""The depth of a bound that no horizon has touched."""

BOUND_OFFSET = 26
"""What is added to a bound to be written down."""

_BITS = np.uint64(63)
_FIRST_KEY, _SECOND_KEY = np.uint64((1 << 48) - 1), np.uint64((1 << 40) - 1)
_LOWER, _UPPER = np.uint64(48), np.uint64(54)
_WORK, _DEPTH, _BEST = np.uint64(40), np.uint64(45), np.uint64(51)
MAX_WORK = 31


@njit(cache=True, nogil=True)
def find_slot(table, first, second):
    """The first of the two entries where a position may be."""
    mixed = first * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed = (mixed ^ second) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x94D049BB133111EB)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(table.shape[0] - 2))


@njit(cache=True, nogil=True)
def find_entry(table, first, second):
    """The entry of a position, or -1."""
    slot = find_slot(table, first, second)
    for place in range(slot, slot + 2):
        if (table[place, 0] & _FIRST_KEY) == first and (table[place, 1] & _SECOND_KEY) == second:
            return place
    return -1


@njit(cache=True, nogil=True)
def lower_bound(table, place):
    """The value is at least this."""
    return np.int64((table[place, 0] >> _LOWER) & _BITS) - BOUND_OFFSET


@njit(cache=True, nogil=True)
def upper_bound(table, place):
    """The value is at most this."""
    return np.int64((table[place, 0] >> _UPPER) & _BITS) - BOUND_OFFSET


@njit(cache=True, nogil=True)
def depth_of(table, place):
    """How deep the bounds have looked."""
    return np.int64((table[place, 1] >> _DEPTH) & _BITS)


@njit(cache=True, nogil=True)
def best_move_of(table, place):
    """The move that made the bound."""
    return np.int64(table[place, 1] >> _BEST)


@njit(cache=True, nogil=True)
def store(table, first, second, lower, upper, depth, best, nodes):
    """Write bounds down: beside those of the same depth, over shallower ones, in the place that took less work."""
    slot, place = find_slot(table, first, second), find_entry(table, first, second)
    work = 0
    while nodes > 1 and work < MAX_WORK:
        nodes >>= 1
        work += 1
    if place >= 0:
        known = depth_of(table, place)
        if known > depth:
            return
        if known == depth:
            lower, upper = max(lower, lower_bound(table, place)), min(upper, upper_bound(table, place))
        work = max(work, np.int64((table[place, 1] >> _WORK) & np.uint64(MAX_WORK)))
    else:
        one, two = (table[slot, 1] >> _WORK) & np.uint64(31), (table[slot + 1, 1] >> _WORK) & np.uint64(31)
        place = slot if one <= two else slot + 1
    table[place, 0] = first | (np.uint64(lower + BOUND_OFFSET) << _LOWER) | (np.uint64(upper + BOUND_OFFSET) << _UPPER)
    table[place, 1] = second | (np.uint64(work) << _WORK) | (np.uint64(depth) << _DEPTH) | (np.uint64(best) << _BEST)
