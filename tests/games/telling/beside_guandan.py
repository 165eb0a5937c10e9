"""Tables of games/guandan as states of a folder, as long as there are both: what is said of them must be the same."""

from __future__ import annotations

from functools import cache

import numpy as np

from abl_cards.games import game
from abl_cards.games.game import Engine
from abl_cards.games.guandan.knowledge import KINDS
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.play.state import PLAY, State
from abl_cards.games.play.view import View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.logic import Signature, Term


@cache
def old() -> Engine:
    """The engine to compare with."""
    return game("guandan").engine()


def played(tables: int, steps: int) -> Tables:
    """Tables after so many random moves."""
    random = np.random.default_rng(3)
    found: Tables = old().tables(random.integers(0, 2**63, tables).astype(np.uint64))  # type: ignore[assignment]
    for _ in range(steps):
        which = found.playing()
        decisions = found.decisions(which)
        labels = (decisions.legal * random.random(decisions.legal.shape)).argmax(axis=0).astype(np.int16)
        found.play(which, decisions.realise_random(labels, random.integers(0, 2**63, len(which)).astype(np.uint64)))
        asked = found.exchanging()
        found.give(asked, found.exchanges(asked).options.argmax(axis=1).astype(np.uint8))
    return found


def view_of(rules: Rules, tables: Tables, which: Indices) -> View:
    """The same tables, from the eyes of the seats to decide."""
    state, course = rules.tables(len(which)), tables.course
    names = [str(form.name) for form in old().rules.shapes.forms]
    forms = {str(name): number for name, number in rules.forms.number.items()}
    state.to_beat[:] = np.array([*(forms[name] for name in names), -2, -1])[course.to_beat[which]]
    for name in ("hands", "played", "seat", "owner", "acts"):
        getattr(state, name)[:] = getattr(course, name)[which]
    state.stage[:] = PLAY
    state.recent[:], state.recent_seat[:] = course.recent[which], course.recent_seat[which]
    state.fluents[:] = rules.fluents.nothing
    for row, level in enumerate(course.level[which]):
        _set(rules, state, row, "level", int(level))
    _take_exchange(rules, tables, which, state)
    _take_habits(rules, tables, which, state)
    state.context[:] = rules.contexts.of(state.fluents)
    return View(rules, state, np.arange(len(which)), state.seat.copy())


def _set(rules: Rules, state: State, row: int, name: str, *args: Term) -> None:
    place = rules.fluents[Signature(name, len(args))].place(args)
    assert place is not None
    state.fluents[row, place.slot] = place.value


def _take_exchange(rules: Rules, tables: Tables, which: Indices, state: State) -> None:
    kinds, exchange = rules.pack.kinds, tables.exchange.at(which)

    def parts(card: int) -> tuple[Term, Term]:
        rank, suit = str(kinds[card])[5:-1].split(",")
        return int(rank), suit

    for row in range(len(which)):
        for payer, paid, receiver, back in zip(*(field[row].tolist() for field in exchange[:4]), strict=True):
            if payer >= 0 and paid != 255:
                _set(rules, state, row, "gave", payer, kinds[paid])
            if receiver >= 0 and back != 255:
                _set(rules, state, row, "gave_back", receiver, kinds[back])
                _set(rules, state, row, "received", receiver, *parts(paid))
                _set(rules, state, row, "received", payer, *parts(back))
                _set(rules, state, row, "returned", receiver, *parts(back))
        for seat in range(4):
            if exchange.refused[row] >> seat & 1:
                _set(rules, state, row, "shown", seat)


def _take_habits(rules: Rules, tables: Tables, which: Indices, state: State) -> None:
    habits, words, one = tables.habits, rules.words, np.uint64(1)
    for place, name in enumerate(KINDS):
        mine = state.habits[..., words.kinds.index(name)]
        for bit in range(18):
            laid, led, passed = (field[which][:, :, place] >> np.uint32(bit) & np.uint32(1) for field in habits)
            if bit in words.ranks:
                mine[:, :, 0] |= laid.astype(np.uint64) << np.uint64(words.ranks.index(bit))
            mine[:, :, 1] |= led.astype(np.uint64) * (one << np.uint64(bit))
            mine[:, :, 2] |= passed.astype(np.uint64) * (one << np.uint64(bit))
