"""Data of the Tractor bot, inserted into ``tractor_bot_file.py``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abl_cards.asp import Atom
from abl_cards.circuit import Circuit
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EVENTS, Fluent, find_test
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import EventRules
from abl_cards.games.types import LEADING
from abl_cards.protocols.botzone.circuit_data import circuit_to_json, preference_weights
from abl_cards.protocols.botzone.tractor import tractor_numbering
from abl_cards.protocols.botzone.tractor_match import BANKER, GIVEN, LEVEL, LEVELS, TOTAL, TRUMP

_KNOWN_FLUENTS = (LEVEL, TRUMP, BANKER, GIVEN, TOTAL, "bid")
"""Fluents that a bot knows from its requests."""
_KNOWN_COLUMNS = {
    "hand": None, "size": 1, "unseen": None, "gone": None, "lies": None, "laying": None, "leader": 1, "seat": 1,
    "fluents": None, "trick": 2, "act": 2, "event": 4, "choice": 1, "move": 2, "taking": 1, "left": None,
}  # fmt: skip
"""Groups of which it knows all columns, or so many."""


def tractor_data(rules: CompiledGame, preferences: PreferenceModel) -> dict[str, Any]:
    """Circuits, cards and forms; raises GameError for rules or preferences that speak of what a bot does not keep."""
    circuit, weights = preference_weights(preferences)
    learns = _fluent_updates(rules, circuit)
    asked = rules.move_query
    takes = rules.trick_query
    if takes is None or rules.move_lookup is None or asked.first_card_row < len(asked.query.circuit.outputs):
        raise GameError(
            "a bot in one file knows plays of one card set in each context, and nothing that must be laid",
            ErrorCode.UNSUPPORTED_GAME,
        )
    learnt = {slot for slot, _ in learns["outputs"]}
    lists = rules.move_lookup.form_order.tolist()
    return {
        "profile": rules.profile,
        "seats": rules.seating.seats,
        "numbers": list(tractor_numbering(rules).kind_of[: len(rules.pack)]),
        "kinds": _kind_names(rules),
        "cells": len(rules.cells),
        "acts": _cells_by_kind(rules),
        "contexts": list(zip(rules.contexts.slots, rules.contexts.sizes, rules.contexts.min_values, strict=True)),
        "forms": [(form.label, [(group.cell, group.count) for group in form.groups]) for form in rules.forms.forms],
        "lists": lists[:1] if all(each == lists[0] for each in lists) else lists,
        "ranks": LEVELS,
        "slots": [(each.signature.name, each.first_slot, list(each.values)) for each in _known_fluents(rules)],
        "nothing": rules.fluents.defaults.tolist(),
        "stages": list(rules.schema.stages),
        "options": list(map(str, rules.schema.options)),
        "given": [rules.pack.index.get(option, -1) for option in rules.schema.options],
        "play": _query_data(rules, asked.query.circuit, learnt) | {"answer": asked.answer_rows.tolist()},
        "choosing": _query_data(rules, rules.option_query.circuit, learnt)
        | {"outputs": [rules.schema.options.index(option) for _, (option,) in rules.option_query.circuit.outputs]},
        "takes": _query_data(rules, takes.circuit, learnt)
        | {"outputs": [name if name == "more" else int(args[0]) for name, args in takes.circuit.outputs]},
        "judge": _query_data(rules, circuit, learnt),
        "weights": weights,
        "learns": learns,
    }


def _cells_by_kind(rules: CompiledGame) -> list[list[list[int]]]:
    """By context and kind, the cells that it acts as."""
    return [[[cell for cell in cells if cell >= 0] for cells in context] for context in rules.cells.acts_as.tolist()]


def _kind_names(rules: CompiledGame) -> list[str]:
    """By kind, suit and rank by Botzone's letters, or which joker."""
    letters, found = {rank: letter for letter, rank in LEVELS.items()}, []
    for term in rules.pack.index:
        rank, _, suit = str(term).removeprefix("card(").removesuffix(")").partition(",")
        found.append(suit + letters[int(rank)] if rank.isdigit() else rank)
    return found


def _known_fluents(rules: CompiledGame) -> list[Fluent]:
    found = [rules.fluents.find(name) for name in _KNOWN_FLUENTS]
    return [fluent for fluent in found if fluent is not None]


def _query_data(rules: CompiledGame, circuit: Circuit, learnt: set[int]) -> dict[str, Any]:
    """A circuit, and how each of its inputs is tested; raises GameError for one that a bot does not know."""
    tests = []
    told = {slot for fluent in _known_fluents(rules) for slot in fluent.slots} | learnt
    for atom in circuit.inputs:
        test = find_test(rules.schema, atom)
        if test is None:
            tests.append(("", 0, 0, 0))
            continue
        most = _KNOWN_COLUMNS.get(test.group, 0)
        known = most is None or test.column < most
        if test.group == "fluents":
            known = test.column in told
        if test.group == "trick" and not test.column:
            known = test.value == LEADING
        if not known:
            raise GameError(f"a bot in one file does not know {atom}", ErrorCode.UNSUPPORTED_GAME)
        tests.append((test.group, test.column, test.comparison, test.value))
    return {"circuit": circuit_to_json(circuit), "tests": tests}


def _fluent_updates(rules: CompiledGame, preferences: Circuit) -> dict[str, Any]:
    """Return the slots and values of fluents by which tricks reveal hands, as far as preferences read them."""
    known = {slot for fluent in _known_fluents(rules) for slot in fluent.slots}
    tests = [test for atom in preferences.inputs if (test := find_test(rules.schema, atom))]
    wanted = {test.column for test in tests if test.group == "fluents"} - known
    change = EventRules.from_rules(rules).updates.get("trick")
    if change is None or not wanted:
        return {"circuit": circuit_to_json(_select_outputs(preferences, {})), "tests": [], "outputs": []}
    sets = {int(output): (int(slot), int(value)) for output, slot, value in change.sets if int(slot) in wanted}
    events = {Atom("event", (each,)): each == "trick" for each in EVENTS}
    circuit = _select_outputs(change.query.circuit, sets).specialise(events)
    return _query_data(rules, circuit, set()) | {"outputs": list(sets.values())}


def _select_outputs(circuit: Circuit, outputs: Any) -> Circuit:
    """Return the part of a circuit that some outputs need."""
    rows = list(outputs)
    some = replace(
        circuit, outputs=tuple(circuit.outputs[row] for row in rows), output_literals=circuit.output_literals[rows]
    )
    return some.specialise({})
