"""What the bot of Tractor knows: the data that ``tractor_bot_file.py`` is filled with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games.play.flow import Flow
from abl_cards.games.reading.fluents import Fluent
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, Judge
from abl_cards.games.telling.columns import EVENTS, test_of
from abl_cards.logic import Atom, Circuit
from abl_cards.platforms.botzone.circuit_data import circuit_data, weights_of
from abl_cards.platforms.botzone.tractor import numbers_of
from abl_cards.platforms.botzone.tractor_match import BANKER, GIVEN, LEVEL, LEVELS, TOTAL, TRUMP

_TOLD = (LEVEL, TRUMP, BANKER, GIVEN, TOTAL, "bid")
"""Fluents that a bot knows from its requests."""
_COLUMNS = {
    "hand": None, "size": 1, "unseen": None, "gone": None, "lies": None, "laying": None, "leader": 1, "seat": 1,
    "fluents": None, "trick": 2, "act": 2, "event": 4, "choice": 1, "move": 2, "taking": 1, "left": None,
}  # fmt: skip
"""Groups of which it knows all columns, or so many."""


def tractor_data(rules: Rules, judge: Judge) -> dict[str, Any]:
    """Circuits, cards and forms; raises GameError for rules or preferences that speak of what a bot does not keep."""
    circuit, weights = weights_of(judge)
    learns = _learns(rules, circuit)
    asked = rules.asked
    takes = rules.taking
    if takes is None or rules.fixed is None or asked.wanted < len(asked.told.circuit.outputs):
        raise GameError("a bot in one file knows plays of one card set in each context, and nothing that must be laid")
    learnt = {slot for slot, _ in learns["outputs"]}
    lists = rules.fixed.lists.tolist()
    return {
        "profile": rules.profile,
        "seats": rules.table.seats,
        "numbers": list(numbers_of(rules).kind[: len(rules.pack)]),
        "kinds": _names(rules),
        "cells": len(rules.cells),
        "acts": _acts(rules),
        "contexts": list(zip(rules.contexts.slots, rules.contexts.sizes, rules.contexts.lowest, strict=True)),
        "forms": [(form.label, [(group.cell, group.count) for group in form.groups]) for form in rules.forms.forms],
        "lists": lists[:1] if all(each == lists[0] for each in lists) else lists,
        "ranks": LEVELS,
        "slots": [(each.signature.name, each.first, list(each.values)) for each in _told(rules)],
        "nothing": rules.fluents.nothing.tolist(),
        "stages": list(rules.words.stages),
        "options": list(map(str, rules.words.options)),
        "given": [rules.pack.number.get(option, -1) for option in rules.words.options],
        "play": _question(rules, asked.told.circuit, learnt) | {"answer": asked.answer.tolist()},
        "choosing": _question(rules, rules.choosing.circuit, learnt)
        | {"outputs": [rules.words.options.index(option) for _, (option,) in rules.choosing.circuit.outputs]},
        "takes": _question(rules, takes.circuit, learnt)
        | {"outputs": [name if name == "more" else int(args[0]) for name, args in takes.circuit.outputs]},
        "judge": _question(rules, circuit, learnt),
        "weights": weights,
        "learns": learns,
    }


def _acts(rules: Rules) -> list[list[list[int]]]:
    """By context and kind, the cells that it acts as."""
    return [[[cell for cell in cells if cell >= 0] for cells in context] for context in rules.cells.acts.tolist()]


def _names(rules: Rules) -> list[str]:
    """By kind, suit and rank by Botzone's letters, or which joker."""
    letters, found = {rank: letter for letter, rank in LEVELS.items()}, []
    for term in rules.pack.number:
        rank, _, suit = str(term).removeprefix("card(").removesuffix(")").partition(",")
        found.append(suit + letters[int(rank)] if rank.isdigit() else rank)
    return found


def _told(rules: Rules) -> list[Fluent]:
    found = [rules.fluents.named(name) for name in _TOLD]
    return [fluent for fluent in found if fluent is not None]


def _question(rules: Rules, circuit: Circuit, learnt: set[int]) -> dict[str, Any]:
    """A circuit, and how each of its inputs is tested; raises GameError for one that a bot does not know."""
    tests = []
    told = {slot for fluent in _told(rules) for slot in fluent.slots} | learnt
    for atom in circuit.inputs:
        test = test_of(rules.words, atom)
        if test is None:
            tests.append(("", 0, 0, 0))
            continue
        most = _COLUMNS.get(test.group, 0)
        known = most is None or test.column < most
        if test.group == "fluents":
            known = test.column in told
        if test.group == "trick" and not test.column:
            known = test.value == LEADING
        if not known:
            raise GameError(f"a bot in one file does not know {atom}")
        tests.append((test.group, test.column, test.how, test.value))
    return {"circuit": circuit_data(circuit), "tests": tests}


def _learns(rules: Rules, judge: Circuit) -> dict[str, Any]:
    """What tricks show of the hands, as far as preferences speak of it: slots and values of fluents."""
    known = {slot for fluent in _told(rules) for slot in fluent.slots}
    tests = [test for atom in judge.inputs if (test := test_of(rules.words, atom))]
    wanted = {test.column for test in tests if test.group == "fluents"} - known
    change = Flow.of(rules).changes.get("trick")
    if change is None or not wanted:
        return {"circuit": circuit_data(_only(judge, {})), "tests": [], "outputs": []}
    sets = {int(output): (int(slot), int(value)) for output, slot, value in change.sets if int(slot) in wanted}
    events = {Atom("event", (each,)): each == "trick" for each in EVENTS}
    circuit = _only(change.told.circuit, sets).specialise(events)
    return _question(rules, circuit, set()) | {"outputs": list(sets.values())}


def _only(circuit: Circuit, outputs: Any) -> Circuit:
    """The same with some of its outputs, and what these need."""
    rows = list(outputs)
    some = replace(
        circuit, outputs=tuple(circuit.outputs[row] for row in rows), output_literals=circuit.output_literals[rows]
    )
    return some.specialise({})
