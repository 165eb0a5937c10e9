"""What each seat has shown of its habits in an episode: which ranks it laid down how, what it led and passed over.

It is kept as bits, by seat and kind of play; the hints of hands.lp are asked about it (hints.py).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.guandan.knowledge import KINDS
from abl_cards.games.tables import Indices


class Habits(NamedTuple):
    """What the seats at n tables have done since the play began; sets of small numbers as bits."""

    laid: NDArray[np.uint32]  # [n, 4, kinds] ranks of which the seat has laid down cards in such a play
    led: NDArray[np.uint32]  # [n, 4, kinds] strengths of the plays that it led
    passed: NDArray[np.uint32]  # [n, 4, kinds] strengths of plays of an enemy over which it passed


class PlayTraits(NamedTuple):
    """What the rules say of each form."""

    kind: NDArray[np.int8]  # [forms] its place in KINDS, -1 for others
    ranks: NDArray[np.uint32]  # [forms] its ranks as bits
    strength: NDArray[np.int8]  # [17, forms] by level


def no_habits(n: int) -> Habits:
    """Nobody has done anything yet."""
    return Habits(*(np.zeros((n, 4, len(KINDS)), np.uint32) for _ in range(3)))


def forget(habits: Habits, which: Indices) -> None:
    """An episode begins at these tables."""
    for field in habits:
        field[which] = 0


@njit(cache=True, nogil=True)
def note_acts(habits, traits, play, pass_form, which, lo, hi, form):
    """The seats to decide at tables which[lo:hi] are about to play these forms [n]."""
    for i in range(lo, hi):
        table, seat = which[i], play.seat[which[i]]
        level, rival = play.level[table], play.to_beat[table]
        rival_kind = traits.kind[rival] if rival >= 0 else -1
        if form[i] == pass_form:
            if rival_kind >= 0 and (play.owner[table] - seat) % 2:
                habits.passed[table, seat, rival_kind] |= np.uint32(1) << traits.strength[level, rival]
            continue
        kind = traits.kind[form[i]]
        if kind < 0:
            continue
        habits.laid[table, seat, kind] |= traits.ranks[form[i]]
        if rival < 0:
            habits.led[table, seat, kind] |= np.uint32(1) << traits.strength[level, form[i]]
