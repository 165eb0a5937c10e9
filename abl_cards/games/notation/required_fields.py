"""Fields of a state that a query requires, derived from the inputs of its circuits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature
from abl_cards.circuit import Circuit
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import EQUAL, INPUTS, SINGLE_VALUED, ColumnTest, Fluent, find_test, fluents_by_name
from abl_cards.games.notation.fields import state_fields
from abl_cards.games.tables import EventRules, list_initial_fluents

_TURN_INPUTS = "passed", "has_passed"
"""Inputs of turns that are fields of states of the same name."""


@dataclass(frozen=True)
class RequiredFields:
    """Fields that a query reads.

    Attributes:
        fields: Predicate that reads the field, by field.
        fluents: Signature of the fluent, by field.
    """

    fields: dict[str, Signature]
    fluents: dict[str, Signature]

    def __or__(self, other: RequiredFields) -> RequiredFields:
        """Return the fields of both; predicates of the first take precedence."""
        return RequiredFields(other.fields | self.fields, other.fluents | self.fluents)

    def without(self, fields: Iterable[str]) -> RequiredFields:
        """Return the required fields without the given ones."""
        return replace(self, fields={name: signature for name, signature in self.fields.items() if name not in fields})


@cache_per_game
def required_for_play(rules: CompiledGame) -> RequiredFields:
    """Return the fields that legality and the order of plays read."""
    return _required_by_circuit(rules, rules.play_query.circuit)


@cache_per_game
def required_for_choice(rules: CompiledGame) -> RequiredFields:
    """Return the fields that the options and the roles of cards read."""
    return _required_by_circuit(rules, rules.option_query.circuit)


def required_for_explanation(rules: CompiledGame, is_choice: bool) -> RequiredFields:
    """Return the fields that legality and preferences read, without those that have defaults.

    At choices nothing has been played, and only fluents that legality reads have values.

    Args:
        rules: Compiled game.
        is_choice: Whether the decision is a choice.

    Returns:
        Required fields.
    """
    defaults = [field.name for field in state_fields().values() if field.has_default]
    preferences = _required_for_preferences(rules).without(defaults)
    if not is_choice:
        return required_for_play(rules) | preferences
    return required_for_choice(rules) | RequiredFields(
        {name: preferences.fields[name] for name in ("seat",) if name in preferences.fields}, {}
    )


def fields_to_write(rules: CompiledGame, is_choice: bool) -> RequiredFields:
    """Return all fields that some query reads, as written in states."""
    required = required_for_choice(rules) if is_choice else required_for_play(rules)
    return (
        required
        | _required_for_preferences(rules)
        | (RequiredFields({}, {}) if is_choice else _required_for_points(rules))
    )


@cache_per_game
def _required_for_preferences(rules: CompiledGame) -> RequiredFields:
    """Return the fields that preferences read; of the fluents only single-valued ones with one key."""
    required = _required_by_circuit(rules, rules.kb.circuit("cost/2", "violated/1"))
    trick_fluents = (
        _required_by_circuit(rules, rules.trick_query.circuit).fluents if rules.trick_query is not None else {}
    )
    single = {name for name, fluent in fluents_by_name(rules.fluents, state_fields()).items() if _is_single(fluent)}
    return RequiredFields(
        required.fields,
        {name: signature for name, signature in (required.fluents | trick_fluents).items() if name in single},
    )


def _is_single(fluent: Fluent) -> bool:
    return fluent.value_type == SINGLE_VALUED and len(fluent.keys) == 1


@cache_per_game
def _required_for_points(rules: CompiledGame) -> RequiredFields:
    """Return the fields that the points of an episode read of its earlier plays."""
    if not any(name == "laid_down" for name, _ in rules.kb.input_atoms):
        return RequiredFields({}, {})
    # The outputs of the query that ends episodes, so that it is compiled once.
    query = rules.build_query("points/3", "won/1", "drawn/0", "match_over/0")
    fields = {} if query is None else _endgame_fields(rules, [query.circuit])
    return RequiredFields({name: signature for name, signature in fields.items() if name == "laid_down"}, {})


@cache_per_game
def required_for_endgame(rules: CompiledGame) -> RequiredFields:
    """Return the fields that playing a position to its end reads: turns, points, sides, and effects of plays."""
    turn_circuits = [] if rules.turn_query is None else [rules.turn_query.circuit]
    turns = turn_circuits or [
        rules.kb.circuit(*(name for name in _TURN_PREDICATES if Signature.parse(name) in rules.derived_outputs))
    ]
    fields = _endgame_fields(rules, [*_endgame_circuits(rules), *turn_circuits])
    for atom, _ in _input_tests(rules, turns):
        if atom.name in _TURN_INPUTS:
            fields.setdefault(atom.name, _signature(atom))
    return RequiredFields(fields, {})


PLAY_EVENTS = "play", "pass", "trick", "shown"
"""Events after which cards have been played."""
_TURN_PREDICATES = "turn/1", "trick_over/0", "over/0"


@cache_per_game
def _endgame_circuits(rules: CompiledGame) -> list[Circuit]:
    """Return the circuits of points, sides and effects of plays."""
    events = EventRules.from_rules(rules)
    points = [rules.kb.circuit("points/3")] if Signature("points", 3) in rules.derived_outputs else []
    parts = [events.role_query.query.circuit] if events.role_query else []
    return [
        *points,
        *parts,
        *(update.query.circuit for event, update in events.updates.items() if event in PLAY_EVENTS),
    ]


def compared_play_counts(rules: CompiledGame, fluents: NDArray[np.int16]) -> dict[int, frozenset[int]]:
    """Return the numbers with which the points compare the number of plays of each seat.

    Fluents [slots] that plays cannot change, such as the landlord, keep their values.
    """
    counts = dict[int, set[int]]()
    for circuit in _endgame_circuits(rules):
        known = {atom: _is_true(test, fluents) for atom, test in _input_tests(rules, [circuit])
                 if test.group == "fluents" and test.column in _constant_slots(rules)}  # fmt: skip
        for _, test in _input_tests(rules, [circuit.specialise(known)]):
            if test.group == "plays":
                counts.setdefault(test.column, set()).add(test.value)
    return {seat: frozenset(numbers) for seat, numbers in counts.items()}


def _is_true(test: ColumnTest, fluents: NDArray[np.int16]) -> bool:
    value = int(fluents[test.column])
    return value == test.value if test.comparison == EQUAL else value >= test.value


@cache_per_game
def _constant_slots(rules: CompiledGame) -> frozenset[int]:
    """Return the slots of fluents that no play changes."""
    updates = [update for event, update in EventRules.from_rules(rules).updates.items() if event in PLAY_EVENTS]
    return frozenset(
        slot for slot in range(len(rules.fluents)) if not any(update.changes_slots([slot]) for update in updates)
    )


def _endgame_fields(rules: CompiledGame, circuits: Iterable[Circuit]) -> dict[str, Signature]:
    fields: dict[str, Signature] = {}
    for atom, _ in _input_tests(rules, circuits):
        entry = INPUTS.get(_signature(atom))
        for field in entry.end_fields if entry else ():
            fields.setdefault(field, _signature(atom))
    return fields


@cache_per_game
def fluent_names(rules: CompiledGame) -> dict[str, Signature]:
    """Return the signatures of fluents by field name."""
    return {name: fluent.signature for name, fluent in fluents_by_name(rules.fluents, state_fields()).items()}


SETUP_EVENTS = "match", "deal", "draw", "choice"
"""Events before the first play of an episode."""


@cache_per_game
def initial_fluents(rules: CompiledGame) -> dict[str, dict[int, int]]:
    """Return the fluents whose values at the first play of a match are stated by the rules, by field name.

    They have the value of ``init/1``, or are empty. Fluents that dealing or a choice may change are left out.

    Args:
        rules: Compiled game.

    Returns:
        Number in each slot, by field name.
    """
    values, updates = dict(list_initial_fluents(rules)), EventRules.from_rules(rules).updates
    setup = [updates[event] for event in SETUP_EVENTS if event in updates]
    return {
        name: {slot: values.get(slot, fluent.default) for slot in fluent.slots}
        for name, fluent in fluents_by_name(rules.fluents, state_fields()).items()
        if not any(update.changes_slots(fluent.slots) for update in setup)
    }


def _required_by_circuit(rules: CompiledGame, circuit: Circuit) -> RequiredFields:
    names = {signature: name for name, signature in fluent_names(rules).items()}
    slots = {slot: fluent.signature for fluent in rules.fluents.fluents for slot in fluent.slots}
    fields: dict[str, Signature] = {}
    fluents = {names[slots[slot]]: slots[slot] for slot in rules.contexts.slots}
    for atom, test in _input_tests(rules, [circuit]):
        if test.group == "fluents":
            fluents[names[slots[test.column]]] = slots[test.column]
        elif (entry := INPUTS.get(_signature(atom))) is not None:
            for field in entry.fields:
                fields.setdefault(field, _signature(atom))
    return RequiredFields(fields, fluents)


def _input_tests(rules: CompiledGame, circuits: Iterable[Circuit]) -> Iterator[tuple[Atom, ColumnTest]]:
    """Yield the inputs that circuits read, with their tests."""
    for circuit in circuits:
        for atom in circuit.inputs:
            test = find_test(rules.schema, atom)
            if test is not None:
                yield atom, test


def _signature(atom: Atom) -> Signature:
    return Signature(atom[0], len(atom[1]))
