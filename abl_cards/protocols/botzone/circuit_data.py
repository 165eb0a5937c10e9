"""Circuits as bots in one file have them: lists of numbers."""

from __future__ import annotations

from typing import Any

from abl_cards.circuit import Circuit
from abl_cards.games.preferences import PreferenceModel


def circuit_to_json(circuit: Circuit) -> dict[str, Any]:
    """The arrays of a circuit, but for its words."""
    arrays = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")
    return {name: getattr(circuit, name).tolist() for name in arrays}


def preference_weights(preferences: PreferenceModel) -> tuple[Circuit, list[int | None]]:
    """The circuit of the preferences, and by output what it costs: None for what is wrong, 0 for what was left out."""
    circuit = preferences.kb.circuit("cost/2", "violated/1")
    weights = [int(args[1]) if name == "cost" else None for name, args in circuit.outputs]
    kept = {(name, args) for name, args in preferences.outputs}
    return circuit, [weight if atom in kept else 0 for weight, atom in zip(weights, circuit.outputs, strict=True)]
