"""What a seat of a Dou dizhu table sees.

``print(OBSERVATION.describe())`` is the layout; nowhere else is it written down. Seats are counted from the observer's:
itself, the next, the previous.
"""

# mypy: disable-error-code="call-overload,no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.doudizhu import course
from abl_cards.games.doudizhu.course import NO_BID, RECENT, Play
from abl_cards.games.doudizhu.shapes import COUNT
from abl_cards.games.features import Feature, FeatureTable
from abl_cards.games.tables import Indices
from abl_cards.parallel import each_share

OBSERVATION = FeatureTable(
    (
        Feature("part", (3,), "the observer's part, one-hot: landlord, down, up; zero while it is bid for"),
        Feature("hand", (COUNT,), "the observer's cards: copies of each rank, 3 4 … A 2, small joker, big joker"),
        Feature("bottom", (COUNT,), "the three cards that the landlord took up: copies of each rank; zero before"),
        Feature("unseen", (COUNT,), "the cards in all other hands together: copies of each rank"),
        Feature("left", (3, 21), "cards left of each seat, one-hot: place n for n cards"),
        Feature("played", (3, COUNT), "cards that each seat has laid down: copies of each rank"),
        Feature("bids", (3, 4), "the bid of each seat, one-hot: 0, 1, 2, 3; zero where there is none"),
        Feature("doublings", (15,), "how often the stake was doubled by a play, one-hot"),
        Feature("recent", (RECENT, COUNT), "the last acts, latest last: copies of each rank, zero for a pass"),
        Feature("recent_seat", (RECENT, 3), "who made these acts, one-hot; zero where there was no act yet"),
    ),
    most=4,
)
"""The numbers of an observation."""

_PART, _HAND, _BOTTOM, _UNSEEN, _LEFT, _PLAYED, _BIDS, _DOUBLINGS, _RECENT, _RECENT_SEAT = (
    OBSERVATION[feature.name].start for feature in OBSERVATION.features
)


def observe(play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n, OBSERVATION.size] what seats [n] see at the tables which [n]."""
    rows = np.zeros((len(which), OBSERVATION.size), np.uint8)
    each_share(len(which), lambda lo, hi: _observe(play, which, seats, lo, hi, rows))
    return rows


@njit(cache=True, nogil=True)
def _spread(key, row, at):
    """The copies of each rank of a key."""
    for rank in range(COUNT):
        row[at + rank] = (key >> np.uint64(4 * rank)) & np.uint64(15)


@njit(cache=True, nogil=True)
def _observe(play, which, seats, lo, hi, rows):
    """Fill the zeroed rows lo..hi-1."""
    for i in range(lo, hi):
        table, me, row = which[i], np.int64(seats[i]), rows[i]
        landlord, unseen = np.int64(play.landlord[table]), np.uint64(0)
        if landlord >= 0:
            row[_PART + (me - landlord) % 3] = 1
            _spread(play.bottom[table], row, _BOTTOM)
        else:
            unseen = play.bottom[table]
        _spread(play.hands[table, me], row, _HAND)
        row[_DOUBLINGS + min(np.int64(play.doublings[table]), 14)] = 1
        for place in range(3):
            seat = (me + place) % 3
            if place:
                unseen += play.hands[table, seat]
            row[_LEFT + 21 * place + course.count_cards(play.hands[table, seat])] = 1
            _spread(play.played[table, seat], row, _PLAYED + COUNT * place)
            if play.bids[table, seat] != NO_BID:
                row[_BIDS + 4 * place + play.bids[table, seat]] = 1
        _spread(unseen, row, _UNSEEN)
        acts = np.int64(play.acts[table])
        for back in range(min(acts, RECENT)):
            act, place = (acts - 1 - back) % RECENT, RECENT - 1 - back
            row[_RECENT_SEAT + 3 * place + (play.recent_seat[table, act] - me) % 3] = 1
            _spread(play.recent[table, act], row, _RECENT + COUNT * place)
