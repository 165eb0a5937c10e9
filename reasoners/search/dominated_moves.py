"""Moves that need not be tried, because another one is at least as good.

A rank is loose when no combination of several ranks in the hand needs it: it counts by the ranks of the other hand that
it beats. Of two loose ranks with as many copies the lower one is the twin of the higher one

- for moves of all the copies, where the other hand has nothing to beat the one with that does not beat the other: the
  replies are the same, and the higher rank is better kept than the lower one;
- for kickers of all the copies, which nobody compares: always;
- for moves of some of the copies, where the other hand holds none of the ranks from the one to the other: these may be
  exchanged throughout.

A move with a rank whose twin it leaves alone is no better than the same move with the twin in its place. That one has
lower ranks, so of moves that are better than each other in turn the first one stays. Sound where
``SearchTables.is_order_only`` holds.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.reasoners.search.bits import ONE, lowest_bit, ranks_with

ALL_COPIES, ONE_KICKER, TWO_KICKERS, SOME_COPIES, _LAST_RANK = range(5)
"""Rows of twins: for moves of all copies, for kickers of one and of two cards, for moves of some copies."""
DOMINANCE_ROWS = 5


@njit(cache=True, nogil=True)
def find_dominated_ranks(own, other, loose, dominance):
    """Fill in twins [DOMINANCE_ROWS, ranks]: the twin of each rank as its lowest bit, or 0; whether there are any.

    The last row remembers the last rank of so many copies.
    """
    dominance[:] = 0
    theirs, left, found = ranks_with(other, 1), ranks_with(own, 1) & loose, False
    while left:
        shift = lowest_bit(left)
        bit, rank, copies = ONE << shift, np.int64(shift) // 3, np.int64((own >> shift) & np.uint64(7))
        left &= left - ONE
        twin = np.uint64(dominance[_LAST_RANK, copies])
        dominance[_LAST_RANK, copies] = np.int64(bit)
        if not twin:
            continue
        found = True
        if copies <= 2:
            dominance[copies, rank] = np.int64(twin)  # ONE_KICKER or TWO_KICKERS
        between = (bit << ONE) - (twin << ONE)
        if ranks_with(other, copies) & between:
            continue
        dominance[ALL_COPIES, rank] = np.int64(twin)
        if theirs & (between | twin):
            continue
        dominance[SOME_COPIES, rank] = np.int64(twin)
        if copies > 1:
            dominance[ONE_KICKER, rank] = np.int64(twin)
        if copies > 2:
            dominance[TWO_KICKERS, rank] = np.int64(twin)
    return found
