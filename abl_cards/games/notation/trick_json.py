"""Tricks in states: a list of plays in their order, the leader's first, that of the seat before last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import seats
from abl_cards.games.notation.plays import ParsedPlay, find_forms, notate_moves, read_play, resolve_form
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.state import TableState
from abl_cards.games.tables import settle_tricks
from abl_cards.games.types import NO_CARD


def write_trick(rules: CompiledGame, state: TableState, table: int) -> list[Any]:
    """The plays of the trick at a table, as JSON."""
    found = []
    for seat in seats_in_trick(rules, state, table):
        counts, form = state.trick_cards[table, seat], int(state.trick_forms[table, seat])
        cards = np.full((1, rules.max_play_cards), NO_CARD, np.uint8)
        laid = np.repeat(np.arange(len(counts)), counts)
        cards[0, : len(laid)] = laid
        played = rules.forms.pass_form if form < 0 else form
        found.append(notate_moves(rules, np.array([played]), cards, state.context[[table]])[0].to_json())
    return found


def seats_in_trick(rules: CompiledGame, state: TableState, table: int) -> list[int]:
    """The seats that have laid cards in the trick at a table, in their order."""
    if not state.trick_cards[table].any():
        return []
    return seats_since_leader(rules, int(state.leader[table]), int(state.seat[table]))


def passed_in_trick(seats: Iterable[int], trick_cards: NDArray[Any], hands: NDArray[Any]) -> int:
    """Return the seats that have passed in a trick, as bits: those with cards in the hand and none in the trick.

    Args:
        seats: Seats before the one to decide, the leader first.
        trick_cards: Cards of the trick [seats, kinds].
        hands: Cards of the hands [seats, kinds].
    """
    return sum(1 << seat for seat in seats if hands[seat].any() and not trick_cards[seat].any())


def seats_since_leader(rules: CompiledGame, leader: int, deciding: int) -> list[int]:
    """The seats before the one to decide, the leader first, in the order of play."""
    found, seat = list[int](), leader
    while seat != deciding and len(found) < rules.seating.seats:
        found.append(seat)
        seat = rules.seating.next_seat[seat]
    return found


def read_trick(rules: CompiledGame, value: Any, position: TablePosition) -> None:
    """Fill in who led, and what each seat has laid; raises GameError."""
    most = rules.seating.seats - 1
    if not isinstance(value, list) or len(value) > most:
        raise GameError(
            f"{value!r} is no list of plays, {most} at most: write [] for who leads", ErrorCode.INVALID_STATE
        )
    if position.choice >= 0 and value:
        raise GameError("there is none where something is chosen: leave it out", ErrorCode.INVALID_STATE)
    earlier = seats.other_seats(rules, position.seat)[most - len(value) :] if value else []
    position.owner = position.leader = earlier[0] if earlier else position.seat
    position.acted = earlier[-1] if earlier else position.seat
    for seat, said in zip(earlier, value, strict=True):
        wanted = read_play(rules, said)
        if wanted.cards:
            position.trick_forms[seat] = _trick_form(rules, wanted, position.context)
            position.trick_cards[seat] = counts_from_cards(wanted.cards, len(rules.pack))


def _trick_form(rules: CompiledGame, play: ParsedPlay, context: int) -> int:
    """The form of a play; of one that may be composed that of its last card, where it is none by itself."""
    if not rules.has_composed_plays or find_forms(rules, play.cards, context):
        return resolve_form(rules, play, context)
    return find_forms(rules, play.cards[-1:], context)[-1]


def read_picked(rules: CompiledGame, value: Any, position: TablePosition) -> None:
    """Fill in the cards that the seat has laid so far of a play; raises GameError."""
    cards = rules.card_codes.read(value)
    position.is_composing, position.trick_cards[position.seat] = True, counts_from_cards(cards, len(rules.pack))
    position.trick_forms[position.seat] = find_forms(rules, cards[-1:], position.context)[-1]


def fill_tricks(rules: CompiledGame, state: TableState, positions: Sequence[TablePosition]) -> None:
    """Lay the cards of positions [n] into the tricks of tables, and say whose they are: not by what is not whole."""
    for row, each in enumerate(positions):
        state.trick_cards[row], state.trick_forms[row] = each.trick_cards, each.trick_forms
        if each.is_composing:
            state.trick_cards[row, each.seat], state.trick_forms[row, each.seat] = 0, -1
    settle_tricks(rules, state, np.arange(len(positions)))
    for row, each in enumerate(positions):
        state.trick_cards[row], state.trick_forms[row], state.is_composing[row] = (
            each.trick_cards,
            each.trick_forms,
            each.is_composing,
        )
