"""Static data of an endgame for the kernels of the search: all data that no move changes.

The data is flat: with the three bundles it comes from as fields, the search of Dou dizhu took 1.2 times as long.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.state import Strides


class StaticPosition(NamedTuple):
    """Static data of a position; see EndgamePosition and OutcomeTable."""

    guard_bits: np.uint64
    seat_mask: NDArray[np.uint64]
    cards: NDArray[np.uint64]
    next_trick: NDArray[np.int64]
    turn_offset: NDArray[np.int64]  # [moves] summand of the index in `turns`
    effect: NDArray[np.int64]  # [moves]
    reply_start: NDArray[np.int64]
    replies: NDArray[np.int64]
    fields: NDArray[np.int64]  # [n, 3] seat, first bit, and mask of each bit field of the hands
    party: NDArray[np.int8]
    next_finish: NDArray[np.int32]
    out: NDArray[np.int64]
    next_fluents: NDArray[np.int32]
    value_index: NDArray[np.int32]
    strides: NDArray[np.int64]
    max_plays: int
    min_value: NDArray[np.int32]
    max_value: NDArray[np.int32]
    turns: NDArray[np.uint8]
    turn_strides: Strides


@kernel
def static_position(moves, outcomes, turns):
    """Combine the static data of packed moves, an outcome table and a turn table."""
    return StaticPosition(
        moves.guard_bits, moves.seat_mask, moves.cards, moves.next_trick, moves.turn_class * turns.strides.last_form,
        moves.effect, moves.reply_start, moves.replies, moves.fields, outcomes.party, outcomes.next_finish,
        outcomes.out, outcomes.next_fluents, outcomes.value_index, outcomes.strides, outcomes.max_plays,
        outcomes.min_value, outcomes.max_value, turns.entries, turns.strides,
    )  # fmt: skip
