"""Find dominated moves, which the search skips because another move is at least as good.

A rank is loose when no combination of several ranks in the hand needs it: it counts by the ranks of the other hand that
it beats. Of two loose ranks with equal numbers of copies the lower one dominates the higher one

- for moves of all copies, where all replies of the other hand to the lower one also beat the higher one: the replies
  are equal, and the higher rank is better kept than the lower one;
- for kickers of all copies, which are not compared: always;
- for moves of some copies, where the other hand holds none of the ranks between: the two may be exchanged throughout.

A move with a dominated rank is no better than the move with the lower rank in its place. That one has lower ranks, so
of moves that dominate each other in turn the first one stays. The rule is valid where ``SearchTables.is_order_only``
holds.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import kernel
from abl_cards.reasoners.search.bits import ONE, lowest_bit, ranks_with

ALL_COPIES, ONE_KICKER, TWO_KICKERS, SOME_COPIES, _LAST_RANK = range(5)
"""Rows of the table: for moves of all copies, for kickers of one and of two cards, for moves of some copies."""
DOMINANCE_ROWS = 5


@kernel
def find_dominated_ranks(own, other, loose, dominance):
    """Fill dominance [DOMINANCE_ROWS, ranks] with the rank that dominates each rank, as its lowest bit, or 0.

    The last row holds the last rank by number of copies. Return whether any rank is dominated.
    """
    dominance[:] = 0
    theirs, remaining, has_dominated = ranks_with(other, 1), ranks_with(own, 1) & loose, False
    while remaining:
        shift = lowest_bit(remaining)
        bit, rank, copies = ONE << shift, np.int64(shift) // 3, np.int64((own >> shift) & np.uint64(7))
        remaining &= remaining - ONE
        lower_bit = np.uint64(dominance[_LAST_RANK, copies])
        dominance[_LAST_RANK, copies] = np.int64(bit)
        if not lower_bit:
            continue
        has_dominated = True
        if copies <= 2:
            dominance[copies, rank] = np.int64(lower_bit)  # ONE_KICKER or TWO_KICKERS
        between = (bit << ONE) - (lower_bit << ONE)
        if ranks_with(other, copies) & between:
            continue
        dominance[ALL_COPIES, rank] = np.int64(lower_bit)
        if theirs & (between | lower_bit):
            continue
        dominance[SOME_COPIES, rank] = np.int64(lower_bit)
        if copies > 1:
            dominance[ONE_KICKER, rank] = np.int64(lower_bit)
        if copies > 2:
            dominance[TWO_KICKERS, rank] = np.int64(lower_bit)
    return has_dominated
