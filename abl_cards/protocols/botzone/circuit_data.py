"""Circuits as lists of numbers, for bots in one file."""

from __future__ import annotations

from typing import Any

from abl_cards.circuit import Circuit
from abl_cards.games.preferences import PreferenceModel


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
