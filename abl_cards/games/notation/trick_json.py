"""Tricks in JSON states: a list of plays in order, from the leader to the seat before the one to decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import seats
from abl_cards.games.notation.card_forms import find_forms
from abl_cards.games.notation.play_reader import read_play, resolve_form
from abl_cards.games.notation.play_writer import notate_moves
from abl_cards.games.notation.plays import ParsedPlay
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.state import TableState
from abl_cards.games.tables import settle_tricks
from abl_cards.games.types import NO_CARD


def write_trick(rules: CompiledGame, state: TableState, table: int) -> list[Any]:
    """Return the plays of the trick at a table as JSON."""
    plays = []
    for seat in seats_in_trick(rules, state, table):
        counts, form = state.trick_cards[table, seat], int(state.trick_forms[table, seat])
        cards = np.full((1, rules.max_play_cards), NO_CARD, np.uint8)
        card_list = np.repeat(np.arange(len(counts)), counts)
        cards[0, : len(card_list)] = card_list
        play_form = rules.forms.pass_form if form < 0 else form
        plays.append(notate_moves(rules, np.array([play_form]), cards, state.context[[table]])[0].to_json())
    return plays


def seats_in_trick(rules: CompiledGame, state: TableState, table: int) -> list[int]:
    """Return the seats of the trick at a table, the leader first; empty before its first play."""
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
    """Return the seats from the leader to the one before the deciding seat, in the order of play."""
    order, seat = list[int](), leader
    while seat != deciding and len(order) < rules.seating.seats:
        order.append(seat)
        seat = rules.seating.next_seat[seat]
    return order


def read_trick(rules: CompiledGame, value: Any, position: TablePosition) -> None:
    """Read the leader and the play of each seat; raises GameError."""
    max_plays = rules.seating.seats - 1
    if not isinstance(value, list) or len(value) > max_plays:
        raise GameError(
            f"{value!r} is not a list of at most {max_plays} plays; write [] when leading", ErrorCode.INVALID_STATE
        )
    if position.choice >= 0 and value:
        raise GameError("a choice has no trick: leave the field out", ErrorCode.INVALID_STATE)
    earlier = seats.other_seats(rules, position.seat)[max_plays - len(value) :] if value else []
    position.owner = position.leader = earlier[0] if earlier else position.seat
    position.acted = earlier[-1] if earlier else position.seat
    for seat, play_json in zip(earlier, value, strict=True):
        play = read_play(rules, play_json)
        if play.cards:
            position.trick_forms[seat] = _trick_form(rules, play, position.context)
            position.trick_cards[seat] = counts_from_cards(play.cards, len(rules.pack))


def _trick_form(rules: CompiledGame, play: ParsedPlay, context: int) -> int:
    """Return the form of a play; of a composed play, the form of its last card."""
    if not rules.has_composed_plays or find_forms(rules, play.cards, context):
        return resolve_form(rules, play, context)
    return find_forms(rules, play.cards[-1:], context)[-1]


def read_picked(rules: CompiledGame, value: Any, position: TablePosition) -> None:
    """Read the cards of a composed play that the seat has begun; raises GameError."""
    cards = rules.card_codes.read(value)
    position.is_composing, position.trick_cards[position.seat] = True, counts_from_cards(cards, len(rules.pack))
    position.trick_forms[position.seat] = find_forms(rules, cards[-1:], position.context)[-1]


def fill_tricks(rules: CompiledGame, state: TableState, positions: Sequence[TablePosition]) -> None:
    """Fill the tricks of tables from positions [n] and settle their owners, ignoring unfinished plays."""
    for row, position in enumerate(positions):
        state.trick_cards[row], state.trick_forms[row] = position.trick_cards, position.trick_forms
        if position.is_composing:
            state.trick_cards[row, position.seat], state.trick_forms[row, position.seat] = 0, -1
    settle_tricks(rules, state, np.arange(len(positions)))
    for row, position in enumerate(positions):
        state.trick_cards[row], state.trick_forms[row], state.is_composing[row] = (
            position.trick_cards,
            position.trick_forms,
            position.is_composing,
        )
