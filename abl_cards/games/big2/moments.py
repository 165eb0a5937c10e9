"""Single decisions out of tables, states and records: what the seat that decides sees, and all that it may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.decisions import Decisions, decide
from abl_cards.games.big2.records import Record, find_moves, read_record
from abl_cards.games.big2.rulebook import LEADING, Rules
from abl_cards.games.big2.tables import Tables
from abl_cards.games.big2.wire import Action, State, hand_text, reading, row_text
from abl_cards.games.game import GameError
from abl_cards.games.tables import Moment


def look(rules: Rules, decisions: Decisions, row: int = 0) -> Moment:
    """One of some decisions."""
    at = slice(row, row + 1)
    one = Decisions(rules, decisions.which[at], decisions.hand[at], decisions.other[at], decisions.to_beat[at])
    lists = one.moves()
    actions = tuple(Action(row_text(cards)) for cards in lists.cards)
    return Moment(one, lists, tuple(rules.labels[form] for form in lists.form), actions, _state_of(rules, one))


def _state_of(rules: Rules, one: Decisions) -> dict[str, Any]:
    label, layout = int(one.to_beat[0]), rules.layout
    to_beat = None
    if label >= 0:  # a table remembers the label, not its affiliations
        to_beat = hand_text(layout.needs[label]) + "?" * int(layout.kickers[label] * layout.kicker_size[label])
    state = {"hand": hand_text(one.hand[0]), "to_beat": to_beat}
    return state | ({"other": hand_text(one.other[0])} if one.other[0].any() else {})


def identify(rules: Rules, cards: NDArray[np.uint8]) -> int:
    """The label of cards that somebody has laid down; raises GameError when no hand could have led them."""
    legal = decide(rules, cards[None], np.array([LEADING], np.int16)).legal[:, 0].astype(bool)
    found = np.flatnonzero(legal & (rules.cards == cards.sum()))
    if not found.size:
        raise GameError(f"{hand_text(cards)} is no play")
    return int(found[0])


def read_state(rules: Rules, value: Any) -> tuple[State, int]:
    """A state, and the label there is to beat; raises GameError."""
    state = State.from_json(value)
    if state.profile not in (None, rules.profile):
        raise GameError(f"profile: the rules are loaded for '{rules.profile}' (choose with --profile)")
    if state.to_beat is None:
        return state, LEADING
    with reading("to_beat"):
        return state, identify(rules, state.to_beat)


def of_state(rules: Rules, value: Mapping[str, Any]) -> Moment:
    """The decision of a state in JSON form; raises GameError."""
    state, label = read_state(rules, value)
    other = None if state.other is None else state.other[None]
    moment = look(rules, decide(rules, state.hand[None], np.array([label], np.int16), other))
    if state.to_beat is None:
        return moment
    return replace(moment, state={**moment.state, "to_beat": hand_text(state.to_beat)})


def of_record(rules: Rules, value: Mapping[str, Any], move: int | None) -> Moment:
    """The decision before a move of a record, from 1; without a number the one that is to come. Raises GameError."""
    record = read_record(value, rules.profile)
    number = len(record.plays) + 1 if move is None else move
    tables = tell(rules, [(record, number)])
    moment = look(rules, tables.decisions(np.arange(1)))
    if number > len(record.plays):
        return moment
    seat, cards = record.plays[number - 1]
    if seat != tables.seat[0]:
        raise GameError(f"play {number}: it is the turn of seat {tables.seat[0]}, not of seat {seat}")
    _, (row,) = find_moves(tables.decisions(np.arange(1)), [cards])
    if row < 0:
        raise GameError(f"play {number}: {hand_text(cards) or 'PASS'} is not legal for seat {seat}")
    return replace(moment, made=int(row))


def tell(rules: Rules, stories: Sequence[tuple[Record, int]]) -> Tables:
    """A table for each record, where this move (from 1) is to be made; raises GameError where a play is not legal."""
    for record, number in stories:
        if not 1 <= number <= len(record.plays) + 1:
            raise GameError(f"there is no play {number}: the record has {len(record.plays)}")
    tables = Tables.resume(rules, np.stack([record.hands for record, _ in stories]))
    for done in range(max(number for _, number in stories) - 1):
        which = np.array([row for row, (_, number) in enumerate(stories) if number - 1 > done])
        plays = [stories[row][0].plays[done] for row in which]
        for row, (seat, _) in zip(which, plays, strict=True):
            if tables.winner[row] != -1:
                raise GameError(f"play {done + 1}: the game is over")
            if tables.seat[row] != seat:
                raise GameError(f"play {done + 1}: it is the turn of seat {tables.seat[row]}, not of seat {seat}")
        lists, chosen = find_moves(tables.decisions(which), [cards for _, cards in plays])
        for row, (seat, cards) in zip(chosen, plays, strict=True):
            if row < 0:
                raise GameError(f"play {done + 1}: {hand_text(cards) or 'PASS'} is not legal for seat {seat}")
        tables.play(which, lists.rows(chosen))
    for row, (_, number) in enumerate(stories):
        if tables.winner[row] != -1:
            raise GameError(f"play {number}: the game is over")
    return tables
