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
"""Fluents that the requests of a bot contain."""
_KNOWN_COLUMNS = {
    "hand": None, "size": 1, "unseen": None, "gone": None, "lies": None, "laying": None, "leader": 1, "seat": 1,
    "fluents": None, "trick": 2, "act": 2, "event": 4, "choice": 1, "move": 2, "taking": 1, "left": None,
}  # fmt: skip
"""Groups of inputs that the bot computes, with the number of columns; None for all."""


def tractor_data(rules: CompiledGame, preferences: PreferenceModel) -> dict[str, Any]:
    """Return circuits, cards and forms; raises GameError if rules or preferences read inputs that a bot lacks."""
    circuit, weights = preference_weights(preferences)
    updates = _fluent_updates(rules, circuit)
    move_query = rules.move_query
    takes = rules.trick_query
    if takes is None or rules.move_lookup is None or move_query.first_card_row < len(move_query.query.circuit.outputs):
        raise GameError(
            "a bot in one file supports plays of one card set in each context, and no required cards",
            ErrorCode.UNSUPPORTED_GAME,
        )
    learnt = {slot for slot, _ in updates["outputs"]}
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
        "lists": lists[:1] if all(forms == lists[0] for forms in lists) else lists,
        "ranks": LEVELS,
        "slots": [(forms.signature.name, forms.first_slot, list(forms.values)) for forms in _known_fluents(rules)],
        "nothing": rules.fluents.defaults.tolist(),
        "stages": list(rules.schema.stages),
        "options": list(map(str, rules.schema.options)),
        "given": [rules.pack.index.get(option, -1) for option in rules.schema.options],
        "play": _query_data(rules, move_query.query.circuit, learnt) | {"answer": move_query.answer_rows.tolist()},
        "choosing": _query_data(rules, rules.option_query.circuit, learnt)
        | {"outputs": [rules.schema.options.index(option) for _, (option,) in rules.option_query.circuit.outputs]},
        "takes": _query_data(rules, takes.circuit, learnt)
        | {"outputs": [name if name == "more" else int(args[0]) for name, args in takes.circuit.outputs]},
        "judge": _query_data(rules, circuit, learnt),
        "weights": weights,
        "learns": updates,
    }


def _cells_by_kind(rules: CompiledGame) -> list[list[list[int]]]:
    """Return the cells that each kind acts as, by context."""
    return [[[cell for cell in cells if cell >= 0] for cells in context] for context in rules.cells.acts_as.tolist()]


def _kind_names(rules: CompiledGame) -> list[str]:
    """Return suit and rank of each kind in Botzone's letters, or the name of a joker."""
    letters, names = {rank: letter for letter, rank in LEVELS.items()}, []
    for term in rules.pack.index:
        rank, _, suit = str(term).removeprefix("card(").removesuffix(")").partition(",")
        names.append(suit + letters[int(rank)] if rank.isdigit() else rank)
    return names


def _known_fluents(rules: CompiledGame) -> list[Fluent]:
    fluents = [rules.fluents.find(name) for name in _KNOWN_FLUENTS]
    return [fluent for fluent in fluents if fluent is not None]


def _query_data(rules: CompiledGame, circuit: Circuit, learnt: set[int]) -> dict[str, Any]:
    """Return a circuit and the tests of its inputs; raises GameError for an input that a bot lacks."""
    tests = []
    known_slots = {slot for fluent in _known_fluents(rules) for slot in fluent.slots} | learnt
    for atom in circuit.inputs:
        test = find_test(rules.schema, atom)
        if test is None:
            tests.append(("", 0, 0, 0))
            continue
        num_known = _KNOWN_COLUMNS.get(test.group, 0)
        is_known = num_known is None or test.column < num_known
        if test.group == "fluents":
            is_known = test.column in known_slots
        if test.group == "trick" and not test.column:
            is_known = test.value == LEADING
        if not is_known:
            raise GameError(f"a bot in one file does not have the input {atom}", ErrorCode.UNSUPPORTED_GAME)
        tests.append((test.group, test.column, test.comparison, test.value))
    return {"circuit": circuit_to_json(circuit), "tests": tests}


def _fluent_updates(rules: CompiledGame, preferences: Circuit) -> dict[str, Any]:
    """Return the slots and values of fluents by which tricks reveal hands, as far as preferences read them."""
    known_slots = {slot for fluent in _known_fluents(rules) for slot in fluent.slots}
    tests = [test for atom in preferences.inputs if (test := find_test(rules.schema, atom))]
    read_slots = {test.column for test in tests if test.group == "fluents"} - known_slots
    change = EventRules.from_rules(rules).updates.get("trick")
    if change is None or not read_slots:
        return {"circuit": circuit_to_json(_select_outputs(preferences, {})), "tests": [], "outputs": []}
    sets = {int(output): (int(slot), int(value)) for output, slot, value in change.sets if int(slot) in read_slots}
    events = {Atom("event", (event,)): event == "trick" for event in EVENTS}
    circuit = _select_outputs(change.query.circuit, sets).specialise(events)
    return _query_data(rules, circuit, set()) | {"outputs": list(sets.values())}


def _select_outputs(circuit: Circuit, outputs: Any) -> Circuit:
    """Return the part of a circuit that the outputs need."""
    rows = list(outputs)
    selected = replace(
        circuit, outputs=tuple(circuit.outputs[row] for row in rows), output_literals=circuit.output_literals[rows]
    )
    return selected.specialise({})
