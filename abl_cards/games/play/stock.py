"""The stock: cards that seats draw one by one, where the rules derive ``draws/1``; in other games nothing is kept here.

All cards of the pack lie in one order. The first are drawn, as many as ``deals/2`` has in all; the rest is left over.
What has not been drawn lies aside, so that nobody sees it.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.state import State
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.streams import below, key_of, mix

_IMAGINED = 7  # what the random numbers of an imagined order are for


def left(rules: Rules, state: State, which: Indices) -> NDArray[np.integer]:
    """[n] how many cards are still to be drawn."""
    return sum(rules.table.dealt) - state.drawn[which]


def card_drawn(state: State, which: Indices) -> NDArray[np.int16]:
    """[n] the kind of the card that has just been drawn, -1 for none."""
    fresh = np.flatnonzero(state.fresh[which])
    found = np.full(len(which), -1, np.int16)
    found[fresh] = state.stock[which[fresh], state.drawn[which[fresh]] - 1]
    return found


def left_over(rules: Rules, state: State, which: Indices, place: int) -> NDArray[np.uint8]:
    """[n] the kind of the card at a place, from 0, among those left over."""
    return state.stock[which, sum(rules.table.dealt) + place]


def shuffle(keys: NDArray[np.uint64], which: Indices, deck: NDArray[np.uint8], state: State) -> None:
    """Shuffle the pack with each of keys [n]; nobody has a card yet."""
    _shuffle(keys, which, np.tile(deck, (len(which), 1)), np.zeros(len(which), np.int64), state.stock)
    state.hands[which] = 0
    state.aside[which] = np.bincount(deck, minlength=state.aside.shape[1])


@njit(cache=True, nogil=True)
def _shuffle(keys, which, cards, first, stock):
    """Fill stock [tables, cards] from place first [n] on with cards [n, cards], as many as there is room for."""
    for i in range(len(which)):
        room = stock.shape[1] - first[i]
        for place in range(cards.shape[1] - 1, 0, -1):
            other = np.int64(below(mix(keys[i], np.uint64(place)), np.uint64(place + 1)))
            cards[i, place], cards[i, other] = cards[i, other], cards[i, place]
        for place in range(min(room, cards.shape[1])):
            stock[which[i], first[i] + place] = cards[i, place]


@njit(cache=True, nogil=True)
def draw(state, which, seats):
    """Seats [n] take the next card of the tables which[:]."""
    hands, aside, stock = state.hands, state.aside, state.stock
    for i in range(len(which)):
        table, seat = which[i], seats[i]
        kind = stock[table, state.drawn[table]]
        hands[table, seat, kind] += 1
        aside[table, kind] -= 1
        state.drawn[table] += 1
        state.drew[table], state.fresh[table] = seat, True


def imagine(rules: Rules, state: State, aside: NDArray[np.uint8]) -> None:
    """What lies aside [n, kinds] is something else, and with it the cards to be drawn; somebody else's card is none."""
    state.aside[:] = aside
    if not rules.draws:
        return
    state.fresh[:] &= state.drew == state.seat
    kinds = np.arange(aside.shape[1], dtype=np.uint8)
    for row in np.flatnonzero(left(rules, state, np.arange(len(aside))) > 0):
        key = key_of(_IMAGINED, int(state.clock[row]), *aside[row].tolist())  # by what is imagined, whichever row it is
        cards = np.repeat(kinds, aside[row])[None]
        _shuffle(np.array([key]), np.array([row]), cards, state.drawn[[row]].astype(np.int64), state.stock)
