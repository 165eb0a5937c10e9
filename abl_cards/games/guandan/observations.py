"""What a seat of a Guandan table sees, as the paper encodes it (Chen et al. 2025, table 1).

``print(OBSERVATION.describe())`` is the layout; nowhere else is it written down. Seats are counted from the observer's:
itself, the next, its partner, the one before; only the feature ``seat`` says which seat of the table it is.
"""

# mypy: disable-error-code="call-overload,no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.features import Feature, FeatureTable
from abl_cards.games.guandan.course import RECENT, Play
from abl_cards.games.guandan.deck import card_suit
from abl_cards.games.guandan.expansion import NO_CARD
from abl_cards.games.tables import Indices
from abl_cards.parallel import each_share

OBSERVATION = FeatureTable(
    (
        Feature("level", (13,), "the level of the episode, one-hot: 2, 3, ..., A"),
        Feature("seat", (4,), "the observer's seat, one-hot: 0, 1, 2, 3"),
        Feature("wilds", (3,), "the observer's wild cards, one-hot: none, one, two"),
        Feature(
            "hand",
            (54,),
            "the observer's cards: copies of each card of the 54-vector, wild cards among them",
            cards=True,
        ),
        Feature("left", (4, 54), "cards left of each seat, one-hot: place n for n cards (0..28), 29..53 never set"),
        Feature("played", (4, 54), "cards each seat has laid down in the episode: copies of each card", cards=True),
        Feature("recent", (RECENT, 54), "the last acts, latest last: copies; zero for a pass or no act", cards=True),
        Feature("recent_seat", (RECENT, 4), "who made these acts, one-hot; zero where there was no act yet"),
    )
)
"""The numbers of an observation; the first six features are the paper's state, the last two its sequence."""

STATE = slice(0, OBSERVATION["recent"].start)
"""What does not depend on the order of the acts."""
SEQUENCE = slice(OBSERVATION["recent"].start, OBSERVATION.size)
"""The last acts and who made them."""

_LEVEL, _SEAT, _WILDS, _HAND, _LEFT, _PLAYED, _RECENT, _RECENT_SEAT = (
    OBSERVATION[feature.name].start for feature in OBSERVATION.features
)


def observe(play: Play, wild_suit: int, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n, OBSERVATION.size] what seats [n] see at the tables which [n]; wild_suit in hand order, -1 for none."""
    rows = np.zeros((len(which), OBSERVATION.size), np.uint8)
    each_share(len(which), lambda lo, hi: _observe(play, card_suit(wild_suit), which, seats, lo, hi, rows))
    return rows


@njit(cache=True, nogil=True)
def _observe(play, wild_suit, which, seats, lo, hi, rows):
    """Fill the zeroed rows lo..hi-1."""
    for i in range(lo, hi):
        table, me, row = which[i], np.int64(seats[i]), rows[i]
        level = np.int64(play.level[table])
        hand = play.hands[table, me]
        row[_LEVEL + level - 2] = 1
        row[_SEAT + me] = 1
        row[_WILDS + (hand[4 * ((level - 1) % 13) + wild_suit] if wild_suit >= 0 else 0)] = 1
        row[_HAND : _HAND + 54] = hand
        for place in range(4):
            seat = (me + place) % 4
            row[_LEFT + 54 * place + np.sum(play.hands[table, seat])] = 1
            row[_PLAYED + 54 * place : _PLAYED + 54 * (place + 1)] = play.played[table, seat]
        _observe_acts(play, table, me, row)


@njit(cache=True, nogil=True)
def _observe_acts(play, table, me, row):
    """Fill in the last acts, the latest in the last place."""
    acts = np.int64(play.acts[table])
    for back in range(min(acts, RECENT)):
        act, place = (acts - 1 - back) % RECENT, RECENT - 1 - back
        row[_RECENT_SEAT + 4 * place + (play.recent_seat[table, act] - me) % 4] = 1
        for card in play.recent[table, act]:
            if card != NO_CARD:
                row[_RECENT + 54 * place + card] += 1
