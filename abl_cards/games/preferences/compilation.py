"""Compile the preferences of a rule folder, with some of them left out, and check that they fit a game."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from abl_cards.asp import COST, did_you_mean
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import INPUTS, functor, read_labels, read_pack
from abl_cards.games.preferences.preferences import CompiledPreferences, PreferenceInputs


def compile_preferences(
    kb: KnowledgeBase, source: PreferenceInputs, exclude: Collection[str] = ()
) -> CompiledPreferences:
    """Compile the preferences of a knowledge base, once for each set of exclusions.

    Args:
        kb: Knowledge base with preferences.
        source: Encoder of decisions and moves of the game.
        exclude: Names of groups and of single preferences to leave out.

    Returns:
        Compiled preferences.

    Raises:
        GameError: If a name to exclude is neither a group nor a preference.
    """
    key = "preferences", frozenset(exclude), source.rules
    if key not in kb.memo:
        circuit = _circuit_excluding(kb, exclude)
        weights = [int(arguments[1]) if name == COST.name else 0 for name, arguments in circuit.outputs]
        kb.memo[key] = CompiledPreferences(kb, source, circuit, np.array(weights, np.int32))
    preferences: CompiledPreferences = kb.memo[key]
    return preferences


def check_compatible_preferences(preferences: CompiledPreferences) -> CompiledPreferences:
    """Check that preferences, which may come from another folder, are about the game of the tables.

    Args:
        preferences: Compiled preferences.

    Returns:
        The preferences.

    Raises:
        GameError: They are about other cards or labels, or read inputs that the game does not declare.
    """
    kb, rules = preferences.kb, preferences.input_source.rules
    if kb is rules.kb:
        return preferences
    declared = {signature.name for signature in INPUTS} | {name for name, _ in rules.kb.input_atoms}
    differences = {
        "cards": {*map(str, read_pack(kb).kinds)} ^ {*map(str, rules.pack.kinds)},
        "labels": {*map(str, read_labels(kb))} ^ {*rules.label_texts},
        "inputs": {name for name, _ in preferences.circuit.inputs} - declared,
    }
    for what, names in differences.items():
        if names:
            text = f"the preferences do not fit {rules.folder.name}: they are of other {what}, such as {min(names)}"
            raise GameError(text, ErrorCode.AGENT_NOT_APPLICABLE)
    return preferences


def _circuit_excluding(kb: KnowledgeBase, exclude: Collection[str]) -> Circuit:
    """Return the circuit of costs and constraints without the costs of excluded groups and preferences."""
    circuit = kb.circuit("cost/2", "violated/1")
    if not exclude:
        return circuit
    dropped = {preference for name in exclude for preference in _match_preferences(kb, name)}
    rows = [
        row
        for row, (name, arguments) in enumerate(circuit.outputs)
        if name != COST.name or functor(str(arguments[0])) not in dropped
    ]
    outputs = tuple(circuit.outputs[row] for row in rows)
    return replace(circuit, outputs=outputs, output_literals=circuit.output_literals[rows])


def _match_preferences(kb: KnowledgeBase, name: str) -> list[str]:
    """Return the preferences of a group, or the preference of that name if there is no such group."""
    given: object = name
    if not isinstance(given, str):
        raise GameError(f"exclude: {given!r:.60} is no name of a preference", ErrorCode.UNKNOWN_PREFERENCE)
    members = [preference for preference, group in kb.preference_groups.items() if group == name]
    if members or name in kb.preference_groups:
        return members or [name]
    groups = sorted(set(kb.preference_groups.values()))
    hint = did_you_mean(name, (*groups, *kb.preference_groups)) or f"groups: {', '.join(groups)}"
    raise GameError(f"unknown group or preference '{name}' ({hint})", ErrorCode.UNKNOWN_PREFERENCE)
