"""Bit operations of the race search: hands with three bits for each rank, and positions by the order of ranks alone."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from abl_cards.core import device_function, kernel

ONE = np.uint64(1)
LOW_BITS = np.uint64(0o1111111111111)
"""Lowest bit of every rank."""


@intrinsic
def _popcount(context: Any, word: Any) -> Any:
    """Count the bits of a word that are set."""
    return types.uint64(types.uint64), lambda _, builder, signature, arguments: builder.ctpop(arguments[0])


@intrinsic
def _lowest_bit(context: Any, word: Any) -> Any:
    """Return the index of the lowest bit that is set; 64 where there is none."""

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


popcount: Any = _popcount
lowest_bit: Any = _lowest_bit


@device_function
def ranks_with(hand, copies):
    """Return the ranks of which a hand holds at least 1, 2, 3 or 4 cards, by their lowest bits."""
    low, middle, high = hand, hand >> ONE, hand >> np.uint64(2)
    if copies == 1:
        return (low | middle | high) & LOW_BITS
    if copies == 2:
        return (middle | high) & LOW_BITS
    if copies == 3:
        return ((low & middle) | high) & LOW_BITS
    return high & LOW_BITS


@device_function
def _pack_block(counters, shift):
    """Pack a block of ranks from a shift on, fewest copies first; return its cards, and the shift behind it."""
    cards = np.uint64(0)
    for copies in range(1, 5):
        for _ in range(np.int64((counters >> np.uint64(4 * copies)) & np.uint64(15))):
            cards |= np.uint64(copies) << shift
            shift += np.uint64(3)
    return cards, shift


@kernel
def merge_ranks(own, other, border, merged):
    """Compute the canonical position for an order of ranks: both hands, and the new shift of rank ``border``.

    Ranks that no side holds are dropped. Consecutive ranks that one side holds alone compare equally with the other
    hand, so they are sorted by copies; but none moves across the border, the lowest rank of a reply. This is valid
    where no combination of several ranks is left.
    """
    held = ranks_with(own, 1) | ranks_with(other, 1)
    mine, theirs, shift = np.uint64(0), np.uint64(0), np.uint64(0)
    holder, counters = 0, np.uint64(0)
    merged[2] = 0
    while True:
        rank_holder, rank, own_copies, other_copies = 0, np.uint64(0), np.uint64(0), np.uint64(0)
        if held:
            rank = lowest_bit(held)
            held &= held - ONE
            own_copies, other_copies = (own >> rank) & np.uint64(7), (other >> rank) & np.uint64(7)
            rank_holder = 1 if other_copies == 0 else (2 if own_copies == 0 else 3)
        at_border = rank_holder != 0 and np.int64(rank) == border
        if holder != 0 and (rank_holder != holder or at_border):
            cards, shift = _pack_block(counters, shift)
            if holder == 1:
                mine |= cards
            else:
                theirs |= cards
            holder, counters = 0, np.uint64(0)
        if rank_holder == 0:
            break
        if at_border:
            merged[2] = np.int64(shift)
        if rank_holder == 3:
            mine |= own_copies << shift
            theirs |= other_copies << shift
            shift += np.uint64(3)
        else:
            holder = rank_holder
            counters += ONE << (np.uint64(4) * (own_copies if rank_holder == 1 else other_copies))
    merged[0], merged[1] = np.int64(mine), np.int64(theirs)
