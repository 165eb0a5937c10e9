"""Transposition table of the race search, with bounds of the values of positions.

An entry has two words. The first: a hand, the replies that are left (9 bits), the lower and the upper bound (6 bits
each). The second: the other hand, whether ranks were merged, the work of the search (5 bits), its depth (6 bits,
FULL_DEPTH where no depth limit affected it), the best move (9 bits). Both hands are complete, so keys never collide.
"""

# mypy: disable-error-code="assignment,no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function, kernel

FULL_DEPTH = 63
"""Depth of a bound that no depth limit affected."""

BOUND_OFFSET = 26
"""Offset of stored bounds, which are unsigned."""

_BITS = np.uint64(63)
_FIRST_KEY, _SECOND_KEY = np.uint64((1 << 48) - 1), np.uint64((1 << 40) - 1)
_LOWER, _UPPER = np.uint64(48), np.uint64(54)
_WORK, _DEPTH, _BEST = np.uint64(40), np.uint64(45), np.uint64(51)
MAX_WORK = 31


@device_function
def find_slot(table, first, second):
    """Return the first of the two entries in which a position may be."""
    mixed = first * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed = (mixed ^ second) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x94D049BB133111EB)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(table.shape[0] - 2))


@device_function
def find_entry(table, first, second):
    """Return the entry of a position, or -1."""
    slot = find_slot(table, first, second)
    for entry in range(slot, slot + 2):
        if (table[entry, 0] & _FIRST_KEY) == first and (table[entry, 1] & _SECOND_KEY) == second:
            return entry
    return -1


@device_function
def lower_bound(table, entry):
    """Return the lower bound of an entry."""
    return np.int64((table[entry, 0] >> _LOWER) & _BITS) - BOUND_OFFSET


@kernel
def upper_bound(table, entry):
    """Return the upper bound of an entry."""
    return np.int64((table[entry, 0] >> _UPPER) & _BITS) - BOUND_OFFSET


@device_function
def depth_of(table, entry):
    """Return the depth of the bounds of an entry."""
    return np.int64((table[entry, 1] >> _DEPTH) & _BITS)


@device_function
def best_move_of(table, entry):
    """Return the best move of an entry."""
    return np.int64(table[entry, 1] >> _BEST)


@kernel
def store(table, first, second, lower, upper, depth, best, nodes):
    """Store bounds: merge them with those of equal depth, replace shallower ones, else the entry with less work."""
    slot, entry = find_slot(table, first, second), find_entry(table, first, second)
    work = 0
    while nodes > 1 and work < MAX_WORK:
        nodes >>= 1
        work += 1
    if entry >= 0:
        known_depth = depth_of(table, entry)
        if known_depth > depth:
            return
        if known_depth == depth:
            lower, upper = max(lower, lower_bound(table, entry)), min(upper, upper_bound(table, entry))
        work = max(work, np.int64((table[entry, 1] >> _WORK) & np.uint64(MAX_WORK)))
    else:
        first_work, second_work = (
            (table[slot, 1] >> _WORK) & np.uint64(31),
            (table[slot + 1, 1] >> _WORK) & np.uint64(31),
        )
        entry = slot if first_work <= second_work else slot + 1
    table[entry, 0] = first | (np.uint64(lower + BOUND_OFFSET) << _LOWER) | (np.uint64(upper + BOUND_OFFSET) << _UPPER)
    table[entry, 1] = second | (np.uint64(work) << _WORK) | (np.uint64(depth) << _DEPTH) | (np.uint64(best) << _BEST)
