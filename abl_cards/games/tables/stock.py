"""The stock: cards that seats draw one by one, where the rules derive ``draws/1``; in other games nothing is kept here.

All cards of the pack lie in one order. The first are drawn, as many as ``deals/2`` has in all; the rest is left over.
What has not been drawn lies aside, so that nobody sees it.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import derive_key, scale_to_range, splitmix64
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

_DETERMINIZE_STREAM = 7  # what the random numbers of an imagined order are for


def cards_in_stock(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.integer]:
    """[n] how many cards are still to be drawn."""
    return sum(rules.seating.num_dealt) - state.num_drawn[rows]


def card_drawn(state: TableState, rows: Indices) -> NDArray[np.int16]:
    """[n] the kind of the card that has just been drawn, -1 for none."""
    fresh = np.flatnonzero(state.is_just_drawn[rows])
    found = np.full(len(rows), -1, np.int16)
    found[fresh] = state.stock[rows[fresh], state.num_drawn[rows[fresh]] - 1]
    return found


def leftover_card(rules: CompiledGame, state: TableState, rows: Indices, position: int) -> NDArray[np.uint8]:
    """[n] the kind of the card at a place, from 0, among those left over."""
    return state.stock[rows, sum(rules.seating.num_dealt) + position]


def shuffle_stock(keys: NDArray[np.uint64], rows: Indices, deck: NDArray[np.uint8], state: TableState) -> None:
    """Shuffle the pack with each of keys [n]; nobody has a card yet."""
    _shuffle_rows(keys, rows, np.tile(deck, (len(rows), 1)), np.zeros(len(rows), np.int64), state.stock)
    state.hands[rows] = 0
    state.aside[rows] = np.bincount(deck, minlength=state.aside.shape[1])


@njit(cache=True, nogil=True)
def _shuffle_rows(keys, rows, cards, first, stock):
    """Fill stock [tables, cards] from place first [n] on with cards [n, cards], as many as there is room for."""
    for i in range(len(rows)):
        room = stock.shape[1] - first[i]
        for place in range(cards.shape[1] - 1, 0, -1):
            other = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(place)), np.uint64(place + 1)))
            cards[i, place], cards[i, other] = cards[i, other], cards[i, place]
        for place in range(min(room, cards.shape[1])):
            stock[rows[i], first[i] + place] = cards[i, place]


@njit(cache=True, nogil=True)
def draw_cards(state, rows, seats):
    """Seats [n] take the next card of the tables rows[:]."""
    hands, aside, stock = state.hands, state.aside, state.stock
    for i in range(len(rows)):
        table, seat = rows[i], seats[i]
        kind = stock[table, state.num_drawn[table]]
        hands[table, seat, kind] += 1
        aside[table, kind] -= 1
        state.num_drawn[table] += 1
        state.last_drawer[table], state.is_just_drawn[table] = seat, True


def determinize_stock(rules: CompiledGame, state: TableState, aside: NDArray[np.uint8]) -> None:
    """What lies aside [n, kinds] is something else, and with it the cards to be drawn; somebody else's card is none."""
    state.aside[:] = aside
    if not rules.has_draws:
        return
    state.is_just_drawn[:] &= state.last_drawer == state.seat
    kinds = np.arange(aside.shape[1], dtype=np.uint8)
    for row in np.flatnonzero(cards_in_stock(rules, state, np.arange(len(aside))) > 0):
        key = derive_key(
            _DETERMINIZE_STREAM, int(state.num_decisions[row]), *aside[row].tolist()
        )  # by what is imagined, whichever row it is
        cards = np.repeat(kinds, aside[row])[None]
        _shuffle_rows(np.array([key]), np.array([row]), cards, state.num_drawn[[row]].astype(np.int64), state.stock)
