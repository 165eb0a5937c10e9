"""Data of the bots in one file: circuits with the tests of their inputs, forms and cards."""

from __future__ import annotations

import base64
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import Circuit
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EQUAL, EVENTS, Form, find_test
from abl_cards.games.min_plays import ChainCounter, find_counter, key_counts
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import EventRules
from abl_cards.games.types import LEADING
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot_runtime import PACK_SIZE
from abl_cards.protocols.botzone.doudizhu import BID, LANDLORD, option_bids
from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER
from abl_cards.protocols.botzone.tractor_match import BANKER, GIVEN, LEVEL, LEVELS, TOTAL, TRUMP

_KNOWN_FLUENTS = (LEVEL, TRUMP, BANKER, GIVEN, TOTAL, BID, LANDLORD)
"""Fluents that the requests of a bot contain."""
_KNOWN_COLUMNS = {
    "hand": None, "size": 1, "unseen": None, "left": None, "seat": 1, "fluents": None, "trick": 2, "event": 4,
    "choice": 1, "move": 2,
}  # fmt: skip
"""Groups of inputs that all bots compute, with the number of columns; None for all."""
_TRICK_COLUMNS = _KNOWN_COLUMNS | {"gone": None, "lies": None, "laying": None, "leader": 1, "act": 2, "taking": 1}
_CARD_SET_COLUMNS = _KNOWN_COLUMNS | {"sizes": None, "emptying": 1}


def bot_data(
    rules: CompiledGame, preferences: PreferenceModel, observed_slots: frozenset[int] = frozenset()
) -> dict[str, Any]:
    """Return circuits, cards and forms; raises GameError for inputs that a bot lacks.

    Args:
        rules: Compiled game.
        preferences: Preferences of the bot.
        observed_slots: Slots of fluents that a network of the bot reads.
    """
    circuit, weights = preference_weights(preferences)
    has_tricks = find_adapter(rules) is TRACTOR_ADAPTER
    exporter = _BotData(rules, _TRICK_COLUMNS if has_tricks else _CARD_SET_COLUMNS)
    own_data = exporter.trick_data(circuit, observed_slots) if has_tricks else exporter.card_set_data()
    move_query, option_circuit = rules.move_query, rules.option_query.circuit
    return own_data | {
        "profile": rules.profile,
        "seats": rules.seating.seats,
        "numbers": list(find_adapter(rules).numbering(rules).kind_of[:PACK_SIZE]),
        "cells": len(rules.cells),
        "acts": [[[cell for cell in cells if cell >= 0] for cells in kinds] for kinds in rules.cells.acts_as.tolist()],
        "contexts": list(zip(rules.contexts.slots, rules.contexts.sizes, rules.contexts.min_values, strict=True)),
        "forms": [(form.label, [(group.cell, group.count) for group in form.groups]) for form in rules.forms.forms],
        "slots": exporter.known_slots,
        "nothing": rules.fluents.defaults.tolist(),
        "stages": list(rules.schema.stages),
        "options": list(map(str, rules.schema.options)),
        "given": [rules.pack.index.get(option, -1) for option in rules.schema.options],
        "play": exporter.query(move_query.query.circuit) | {"answer": move_query.answer_rows.tolist()},
        "choosing": exporter.query(option_circuit)
        | {"outputs": [rules.schema.options.index(option) for _, (option,) in option_circuit.outputs]},
        "judge": exporter.query(circuit),
        "weights": weights,
    }


def circuit_to_json(circuit: Circuit) -> dict[str, Any]:
    """Return the arrays of a circuit, without the texts of its atoms."""
    arrays = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")
    return {name: getattr(circuit, name).tolist() for name in arrays}


def preference_weights(preferences: PreferenceModel) -> tuple[Circuit, list[int | None]]:
    """Return the circuit of preferences and a weight per output: None for violations, 0 for left-out preferences."""
    circuit = preferences.kb.circuit("cost/2", "violated/1")
    weights = [int(args[1]) if name == "cost" else None for name, args in circuit.outputs]
    kept_outputs = {(name, args) for name, args in preferences.outputs}
    return circuit, [
        weight if atom in kept_outputs else 0 for weight, atom in zip(weights, circuit.outputs, strict=True)
    ]


class _BotData:
    """Parts of the data of a bot."""

    def __init__(self, rules: CompiledGame, columns: dict[str, int | None]) -> None:
        self.rules, self.columns = rules, columns
        fluents = [fluent for name in _KNOWN_FLUENTS if (fluent := rules.fluents.find(name)) is not None]
        self.known_slots = [
            (f"{fluent.signature.name}({','.join(map(str, key))})" if key else fluent.signature.name, slot,
             list(fluent.values))
            for fluent in fluents for key, slot in zip(fluent.keys, fluent.slots, strict=True)
        ]  # fmt: skip
        self.readable_slots = {slot for _, slot, _ in self.known_slots}

    def query(self, circuit: Circuit) -> dict[str, Any]:
        """Return a circuit and the tests of its inputs; raises GameError for an input that a bot lacks."""
        tests = []
        for atom in circuit.inputs:
            test = find_test(self.rules.schema, atom)
            if test is None:
                tests.append(("", 0, 0, 0))
                continue
            num_known = self.columns.get(test.group, 0)
            is_known = num_known is None or test.column < num_known
            if test.group == "fluents":
                is_known = test.column in self.readable_slots
            if test.group == "trick" and not test.column and self.rules.trick_query is not None:
                is_known = test.value == LEADING
            if not is_known:
                raise GameError(f"a bot in one file does not have the input {atom}", ErrorCode.UNSUPPORTED_GAME)
            tests.append((test.group, test.column, int(test.comparison == EQUAL), test.value))
        return {"circuit": circuit_to_json(circuit), "tests": tests}

    def trick_data(self, preferences: Circuit, observed_slots: frozenset[int]) -> dict[str, Any]:
        """Return the data of a bot that composes plays in tricks."""
        rules, takes, lookup = self.rules, self.rules.trick_query, self.rules.move_lookup
        has_required_cards = rules.move_query.first_card_row < len(rules.move_query.query.circuit.outputs)
        if takes is None or lookup is None or has_required_cards:
            raise GameError(
                "a bot in one file supports plays of one card set in each context, and no required cards",
                ErrorCode.UNSUPPORTED_GAME,
            )
        updates = self._fluent_updates(preferences, observed_slots)
        self.readable_slots |= {slot for slot, _ in updates["outputs"]}
        if missing := observed_slots - self.readable_slots:
            names = {str(fluent.signature) for fluent in rules.fluents.fluents if missing & {*fluent.slots}}
            raise GameError(
                f"a bot has no {', '.join(sorted(names))}: leave these out of the facts sees/2 and sees/3",
                ErrorCode.UNSUPPORTED_GAME,
            )
        lists = lookup.form_order.tolist()
        return {
            "lists": lists[:1] if all(forms == lists[0] for forms in lists) else lists,
            "kinds": _kind_names(rules),
            "ranks": LEVELS,
            "takes": self.query(takes.circuit)
            | {"outputs": [name if name == "more" else int(args[0]) for name, args in takes.circuit.outputs]},
            "learns": updates,
        }

    def card_set_data(self) -> dict[str, Any]:
        """Return the data of a bot whose plays are card sets with kickers, and which counts the plays to go."""
        rules, counter = self.rules, find_counter(self.rules)
        forms, blocks = rules.forms.forms, rules.move_tables.blocks[rules.move_tables.block_order[0], :2].T.tolist()
        if not isinstance(counter, ChainCounter) or blocks[0] != blocks[1]:
            raise GameError(
                "a bot in one file counts plays without suits and wild cards, of one form for each label",
                ErrorCode.UNSUPPORTED_GAME,
            )
        table, kickers = counter.counter.table, [_kicker_fields(form, len(rules.pack)) for form in forms]
        main_sizes = [sum(group.count for group in form.groups) for form in forms]
        return {
            "lists": blocks[:1],
            "kickers": kickers,
            "sizes": [size + (fields[0] * fields[1] if fields else 0)
                      for size, fields in zip(main_sizes, kickers, strict=True)],
            "pack": rules.pack.copies.tolist(),
            "bids": option_bids(rules),
            "plays": {
                "chains": [_chain_row(key, trios)
                           for key, trios in zip(key_counts(table.chain), table.trio_length, strict=True)],
                "plane": table.extended_plane.tolist(),
                "shape": table.rest_plays.shape,
                "rest": base64.b64encode(zlib.compress(table.rest_plays.tobytes(), 9)).decode(),
            },
        }  # fmt: skip

    def _fluent_updates(self, preferences: Circuit, observed_slots: frozenset[int]) -> dict[str, Any]:
        """Return the slots and values of fluents by which tricks reveal hands, as far as the bot reads them."""
        tests = [test for atom in preferences.inputs if (test := find_test(self.rules.schema, atom))]
        read_slots = {test.column for test in tests if test.group == "fluents"} | observed_slots
        read_slots -= self.readable_slots
        change = EventRules.from_rules(self.rules).updates.get("trick")
        if change is None or not read_slots:
            return {"circuit": circuit_to_json(_select_outputs(preferences, {})), "tests": [], "outputs": []}
        sets = {int(output): (int(slot), int(value)) for output, slot, value in change.sets if int(slot) in read_slots}
        events = {Atom("event", (event,)): event == "trick" for event in EVENTS}
        circuit = _select_outputs(change.query.circuit, sets).specialise(events)
        return self.query(circuit) | {"outputs": list(sets.values())}


def _kind_names(rules: CompiledGame) -> list[str]:
    """Return suit and rank of each kind in Botzone's letters, or the name of a joker."""
    letters, names = {rank: letter for letter, rank in LEVELS.items()}, []
    for term in rules.pack.index:
        rank, _, suit = str(term).removeprefix("card(").removesuffix(")").partition(",")
        names.append(suit + letters[int(rank)] if rank.isdigit() else rank)
    return names


def _kicker_fields(form: Form, num_ranks: int) -> tuple[int, int, list[int], list[int], bool] | None:
    """Return the kickers: groups, their size, allowed numbers by rank (also when leading), whether jokers are apart."""
    kickers = form.kickers
    if kickers is None:
        return None
    allowed = [kickers.allowed.get(rank, 0) for rank in range(num_ranks)]
    leading = [bits & ~kickers.misread.get(rank, 0) for rank, bits in enumerate(allowed)]
    return kickers.num_groups, kickers.group_size, allowed, leading, form.has_kickers_apart


def _chain_row(counts: NDArray[np.uint8], trios: np.int64) -> list[int]:
    """Return first rank, length, copies, and the length of a chain of trios, else 0."""
    ranks = np.flatnonzero(counts)
    return [int(ranks[0]), len(ranks), int(counts[ranks[0]]), int(trios)]


def _select_outputs(circuit: Circuit, outputs: Any) -> Circuit:
    """Return the part of a circuit that the outputs need."""
    rows = list(outputs)
    selected = replace(
        circuit, outputs=tuple(circuit.outputs[row] for row in rows), output_literals=circuit.output_literals[rows]
    )
    return selected.specialise({})
