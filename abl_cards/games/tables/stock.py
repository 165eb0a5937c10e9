"""The stock of games in which seats draw cards one by one (``draws/1``).

All cards of the pack are in one order. The first ones are drawn, as many as ``deals/2`` sums up to; the others are left
over. With ``draw_pile/0`` the first ones are dealt at once, and all others can be drawn. Cards not yet drawn are in the
kitty, so that no seat sees them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import derive_key, kernel, scale_to_range, splitmix64
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import LEFT_OVER_GROUP
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

_DETERMINIZE_STREAM = 7  # random stream of hypothetical orders of the stock
_LEFT_OVER_STREAM = 8  # random stream of hypothetical cards that are left over


def cards_in_stock(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.integer]:
    """Return the number of cards still to be drawn.

    Args:
        rules: Compiled rules.
        state: State of all tables.
        rows: int64 [n], tables.

    Returns:
        int [n].
    """
    return rules.num_from_stock - state.num_drawn[rows]


def card_drawn(state: TableState, rows: Indices) -> NDArray[np.int16]:
    """Return the card that has just been drawn.

    Args:
        state: State of all tables.
        rows: int64 [n], tables.

    Returns:
        int16 [n], kind of card, -1 if no card was drawn since the last choice.
    """
    drawn_rows = np.flatnonzero(state.is_just_drawn[rows])
    kinds = np.full(len(rows), -1, np.int16)
    kinds[drawn_rows] = state.stock[rows[drawn_rows], state.num_drawn[rows[drawn_rows]] - 1]
    return kinds


def count_leftover_cards(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.uint8]:
    """Count the cards of the kitty that are not to be drawn.

    Args:
        rules: Compiled rules.
        state: State of all tables.
        rows: int64 [n], tables.

    Returns:
        uint8 [n, kinds].
    """
    cards = state.aside[rows]
    if rules.has_draws:
        for index in np.flatnonzero(cards_in_stock(rules, state, rows) > 0):
            to_draw = state.stock[rows[index], state.num_drawn[rows[index]] : rules.num_from_stock]
            cards[index] -= np.bincount(to_draw, minlength=cards.shape[1]).astype(np.uint8)
    return cards


def shuffle_stock(keys: NDArray[np.uint64], rows: Indices, deck: NDArray[np.uint8], state: TableState) -> None:
    """Shuffle the pack by keys [n] into the stock of tables rows [n], and empty the hands."""
    _shuffle_rows(keys, rows, np.tile(deck, (len(rows), 1)), np.zeros(len(rows), np.int64), state.stock)
    state.hands[rows] = 0
    state.aside[rows] = np.bincount(deck, minlength=state.aside.shape[1])


@kernel
def _shuffle_rows(keys, rows, cards, first, stock):
    """Shuffle cards [n, cards] by keys [n], and write those that fit to ``stock`` [tables, cards] from first [n] on."""
    for i in range(len(rows)):
        num_free = stock.shape[1] - first[i]
        for position in range(cards.shape[1] - 1, 0, -1):
            other = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(position)), np.uint64(position + 1)))
            cards[i, position], cards[i, other] = cards[i, other], cards[i, position]
        for position in range(min(num_free, cards.shape[1])):
            stock[rows[i], first[i] + position] = cards[i, position]


@kernel
def deal_from_stock(state, rows, sizes):
    """Deal the first cards of the stock of tables rows [n], sizes [seats] to each seat; the others lie aside."""
    hands, aside, stock = state.hands, state.aside, state.stock
    for table in rows:
        hands[table], aside[table] = 0, 0
        place = 0
        for seat in range(len(sizes)):
            for _ in range(sizes[seat]):
                hands[table, seat, stock[table, place]] += 1
                place += 1
        state.num_drawn[table] = place
        for rest in range(place, stock.shape[1]):
            aside[table, stock[table, rest]] += 1


@kernel
def draw_cards(state, rows, seats):
    """Move the next card of the stock of tables rows [n] to the hands of seats [n]."""
    hands, aside, stock = state.hands, state.aside, state.stock
    for i in range(len(rows)):
        table, seat = rows[i], seats[i]
        kind = stock[table, state.num_drawn[table]]
        hands[table, seat, kind] += 1
        aside[table, kind] -= 1
        state.num_drawn[table] += 1
        state.last_drawer[table], state.is_just_drawn[table] = seat, True


class HiddenCards(NamedTuple):
    """Places of the cards of n tables, and which of them the observers see, to sample other places for the rest."""

    hands: NDArray[np.uint8]  # [n, seats, kinds] the real hands
    aside: NDArray[np.uint8]  # [n, kinds] the real kitty, the stock included; all there could be where it is unknown
    seats: NDArray[np.int8]  # [n] the observers
    known_aside: NDArray[np.uint8]  # [n, kinds] cards of the kitty that the observer knows, which are not to be drawn
    known_hands: NDArray[np.uint8]  # [n, seats, kinds] copies that the observer knows to be in each hand
    excluded: NDArray[np.uint8]  # [n, kinds] copies that can be in no hand


def determinize_stock(rules: CompiledGame, state: TableState, hidden: HiddenCards) -> None:
    """Replace the order of the stock by a hypothetical one, in a game with draws.

    Args:
        rules: Compiled rules.
        state: State of n tables with hypothetical hands and kitty, the stock included; changed in place. A card just
            drawn by another seat is hidden.
        hidden: The real cards, and what the observers know.
    """
    aside = state.aside
    state.is_just_drawn[:] &= state.last_drawer == state.seat
    kinds, known = np.arange(aside.shape[1], dtype=np.uint8), hidden.known_aside
    for row in np.flatnonzero(cards_in_stock(rules, state, np.arange(len(aside))) > 0):
        # the key depends on the hypothetical cards, not on the index of the row
        key = derive_key(_DETERMINIZE_STREAM, int(state.num_decisions[row]), *aside[row].tolist())
        cards, first = np.repeat(kinds, aside[row] - known[row])[None], state.num_drawn[[row]].astype(np.int64)
        _shuffle_rows(np.array([key]), np.array([row]), cards, first, state.stock)
        place = first[0] + cards.shape[1]
        known_cards = np.repeat(kinds, known[row])[: state.stock.shape[1] - place]
        state.stock[row, place : place + len(known_cards)] = known_cards
    if _reads_left_over(rules):
        real = np.concatenate([hidden.hands, hidden.aside[:, None]], axis=1)
        imagined = np.concatenate([state.hands, aside[:, None]], axis=1)
        known = np.concatenate([hidden.known_hands, (known + hidden.excluded)[:, None]], axis=1)
        rows = np.arange(len(aside))
        known[rows, hidden.seats] = real[rows, hidden.seats]
        _imagine_left_over(state.stock, state.num_drawn, rules.num_from_stock, real, imagined, known)


@cache_per_game
def _reads_left_over(rules: CompiledGame) -> bool:
    return any(name == LEFT_OVER_GROUP for name, _ in rules.kb.input_atoms)


@kernel
def _imagine_left_over(stock, num_drawn, num_from_stock, real, imagined, known):
    """Replace the cards that are left over, at tables where all others have been drawn.

    A card that is in a hand, or in the kitty, becomes one that is imagined there; it stays where the observer knows it
    to be there, or where it was laid down. ``real``, ``imagined`` and ``known`` [tables, seats + 1, kinds] are the
    cards of each hand, and of the kitty; they are changed.
    """
    kitty = real.shape[1] - 1
    for table in range(len(real)):
        if num_drawn[table] < num_from_stock:
            continue
        key = np.uint64(_LEFT_OVER_STREAM)
        for kind in range(real.shape[2]):
            key = splitmix64(key, np.uint64(imagined[table, kitty, kind]))
        owners = np.full(stock.shape[1], -1, np.int64)
        for place in range(num_from_stock, stock.shape[1]):
            kind = stock[table, place]
            for other in range(kitty + 1):
                owner = kitty - other
                if real[table, owner, kind] > 0:
                    real[table, owner, kind] -= 1
                    if known[table, owner, kind] > 0 and imagined[table, owner, kind] > 0:
                        known[table, owner, kind] -= 1
                        imagined[table, owner, kind] -= 1
                    else:
                        owners[place] = owner
                    break
        for place in range(num_from_stock, stock.shape[1]):
            if owners[place] >= 0:
                cards = imagined[table, owners[place]]
                total = 0
                for kind in range(len(cards)):
                    total += cards[kind]
                if total == 0:
                    continue
                pick = np.int64(scale_to_range(splitmix64(key, np.uint64(place)), np.uint64(total)))
                kind = 0
                while pick >= cards[kind]:
                    pick -= cards[kind]
                    kind += 1
                cards[kind] -= 1
                stock[table, place] = kind
