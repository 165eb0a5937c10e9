"""What a search through the end of an episode reads of a position: what stays, whatever is played."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.ending.worth import Worth
from abl_cards.games.play.state import Turns


class Ground(NamedTuple):
    """Everything about a position that stays; see Position and Worth."""

    guard: np.uint64
    of_seat: NDArray[np.uint64]
    need: NDArray[np.uint64]
    lays: NDArray[np.int64]
    laid: NDArray[np.int64]  # [moves] as summands of an entry of the turns
    deed: NDArray[np.int64]  # [moves]
    first: NDArray[np.int64]
    answers: NDArray[np.int64]
    fields: NDArray[np.int64]  # [n, 3] seat, beginning, as many ones as the field has bits
    side: NDArray[np.int8]
    next_order: NDArray[np.int32]
    out: NDArray[np.int64]
    next_memory: NDArray[np.int32]
    ends: NDArray[np.int32]
    strides: NDArray[np.int64]
    most_plays: int
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    turns: NDArray[np.uint8]
    turn_strides: NDArray[np.int64]  # acted, owner, passed, gone by, out


class Stakes(NamedTuple):
    """What a position is about: the ends, and whose turn it is."""

    side: NDArray[np.int8]
    next_order: NDArray[np.int32]
    out: NDArray[np.int64]
    next_memory: NDArray[np.int32]
    ends: NDArray[np.int32]
    strides: NDArray[np.int64]
    most_plays: int
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    turns: NDArray[np.uint8]
    turn_strides: NDArray[np.int64]  # acted, owner, passed, gone by, out
    laid: int  # the same of the form that was laid


def stakes_of(worth: Worth, turns: Turns) -> Stakes:
    """What an end is worth, and the table of turns, for kernels."""
    return Stakes(
        worth.side, worth.next_order, worth.out, worth.next_memory, worth.ends, worth.strides, worth.most_plays,
        worth.low, worth.high, turns.table, np.array(turns.strides[:5], np.int64), int(turns.strides.laid),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def ground_of(moves, stakes):
    """What stays of arranged hands and what they are about."""
    return Ground(
        moves.guard, moves.of_seat, moves.need, moves.lays, moves.turn * stakes.laid, moves.deed, moves.first,
        moves.answers, moves.fields, stakes.side, stakes.next_order, stakes.out, stakes.next_memory, stakes.ends,
        stakes.strides, stakes.most_plays, stakes.low, stakes.high, stakes.turns, stakes.turn_strides,
    )  # fmt: skip
