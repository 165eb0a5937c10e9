"""Tricks in states: a list of plays in their order, the leader's first, that of the seat before last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.state import State
from abl_cards.games.play.tricks import settle
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words import seats
from abl_cards.games.words.letters import hand_of
from abl_cards.games.words.plays import Wanted, actions, form_of, identify, read_play
from abl_cards.games.words.positions import Position


def write_trick(rules: Rules, state: State, table: int) -> list[Any]:
    """The plays of the trick at a table, as JSON."""
    found = []
    for seat in laying(rules, state, table):
        counts, form = state.lies[table, seat], int(state.lies_form[table, seat])
        cards = np.full((1, rules.widest), NO_CARD, np.uint8)
        laid = np.repeat(np.arange(len(counts)), counts)
        cards[0, : len(laid)] = laid
        played = rules.forms.passing if form < 0 else form
        found.append(actions(rules, np.array([played]), cards, state.context[[table]])[0].to_json())
    return found


def laying(rules: Rules, state: State, table: int) -> list[int]:
    """The seats that have laid cards in the trick at a table, in their order."""
    if not state.lies[table].any():
        return []
    return since_leader(rules, int(state.leader[table]), int(state.seat[table]))


def passed_in(seats: Iterable[int], lying: NDArray[Any], hands: NDArray[Any]) -> int:
    """Return who of the seats of a trick has passed in it, as bits: those with cards that have laid none.

    Args:
        seats: those before the seat to decide, the leader first
        lying: [seats, kinds] the cards in the trick
        hands: [seats, kinds] the cards held
    """
    return sum(1 << seat for seat in seats if hands[seat].any() and not lying[seat].any())


def since_leader(rules: Rules, leader: int, deciding: int) -> list[int]:
    """The seats before the one to decide, the leader first, in the order of play."""
    found, seat = list[int](), leader
    while seat != deciding and len(found) < rules.table.seats:
        found.append(seat)
        seat = rules.table.after[seat]
    return found


def read_trick(rules: Rules, value: Any, position: Position) -> None:
    """Fill in who led, and what each seat has laid; raises GameError."""
    most = rules.table.seats - 1
    if not isinstance(value, list) or len(value) > most:
        raise GameError(f"{value!r} is no list of plays, {most} at most: write [] for who leads")
    if position.choice >= 0 and value:
        raise GameError("there is none where something is chosen: leave it out")
    earlier = seats.others(rules, position.seat)[most - len(value) :] if value else []
    position.owner = position.leader = earlier[0] if earlier else position.seat
    position.acted = earlier[-1] if earlier else position.seat
    for seat, said in zip(earlier, value, strict=True):
        wanted = read_play(rules, said)
        if wanted.cards:
            position.lies_form[seat] = _form(rules, wanted, position.context)
            position.lying[seat] = hand_of(wanted.cards, len(rules.pack))


def _form(rules: Rules, wanted: Wanted, context: int) -> int:
    """The form of a play; of one that may be composed that of its last card, where it is none by itself."""
    if not rules.composing or identify(rules, wanted.cards, context):
        return form_of(rules, wanted, context)
    return identify(rules, wanted.cards[-1:], context)[-1]


def read_picked(rules: Rules, value: Any, position: Position) -> None:
    """Fill in the cards that the seat has laid so far of a play; raises GameError."""
    cards = rules.letters.read(value)
    position.picking, position.lying[position.seat] = True, hand_of(cards, len(rules.pack))
    position.lies_form[position.seat] = identify(rules, cards[-1:], position.context)[-1]


def lay_trick(rules: Rules, state: State, positions: Sequence[Position]) -> None:
    """Lay the cards of positions [n] into the tricks of tables, and say whose they are: not by what is not whole."""
    for row, each in enumerate(positions):
        state.lies[row], state.lies_form[row] = each.lying, each.lies_form
        if each.picking:
            state.lies[row, each.seat], state.lies_form[row, each.seat] = 0, -1
    settle(rules, state, np.arange(len(positions)))
    for row, each in enumerate(positions):
        state.lies[row], state.lies_form[row], state.picking[row] = each.lying, each.lies_form, each.picking
