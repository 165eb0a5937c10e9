"""Last step of compilation: drop gates and inputs that no output depends on, and build the arrays of the circuit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from abl_cards.asp import Atom
from abl_cards.circuit.builder import CircuitBuilder
from abl_cards.circuit.circuit import Circuit


def build_pruned_circuit(
    builder: CircuitBuilder, inputs: list[Atom], outputs: list[Atom], roots: list[int], assumed: Mapping[Atom, bool]
) -> Circuit:
    """Build the circuit without the gates and inputs that no output depends on.

    Args:
        builder: Builder with all gates.
        inputs: Atoms of the input nodes.
        outputs: Atoms of the outputs.
        roots: Literal of each output.
        assumed: Inputs that were fixed, with their values.

    Returns:
        The circuit.
    """
    used = _reachable(builder, roots)
    kept_inputs = [row for row in range(len(inputs)) if used[1 + row]]
    kept_gates = [gate for gate in range(len(builder.gates)) if used[builder.first_gate + gate]]
    nodes = [0, *(1 + row for row in kept_inputs), *(builder.first_gate + gate for gate in kept_gates)]
    renumbered = np.zeros(len(used), np.int32)
    renumbered[nodes] = np.arange(len(nodes), dtype=np.int32)
    gates = [builder.gates[gate] for gate in kept_gates]
    loops = []
    new_gate = {gate: index for index, gate in enumerate(kept_gates)}
    for first, end in builder.loops:
        if first in new_gate:
            loops.append((new_gate[first], new_gate[end - 1] + 1))

    def renumber(literals: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        old = np.fromiter(literals, np.int32)
        return (2 * renumbered[old >> 1] + (old & 1)).astype(np.int32)

    return Circuit(
        inputs=tuple(inputs[row] for row in kept_inputs),
        outputs=tuple(outputs),
        output_literals=renumber(roots),
        kinds=np.array([gate.kind for gate in gates], np.int32),
        starts=np.cumsum([0, *(len(gate.literals) for gate in gates)], dtype=np.int32),
        literals=renumber(literal for gate in gates for literal in gate.literals),
        weights=np.array([w for gate in gates for w in gate.weights or (1,) * len(gate.literals)], np.int32),
        bounds=np.array([gate.bound for gate in gates], np.int32),
        loops=np.array(loops, np.int32).reshape(-1, 2),
        fixed_inputs=dict(assumed),
    )


def _reachable(builder: CircuitBuilder, roots: list[int]) -> list[bool]:
    """Return for each node whether an output depends on it; a loop is kept or dropped as a whole."""
    used = [False] * (builder.first_gate + len(builder.gates))
    for literal in roots:
        used[literal >> 1] = True
    firsts = {end - 1: first for first, end in builder.loops}
    gate = len(builder.gates) - 1
    while gate >= 0:
        first = firsts.get(gate, gate)
        if any(used[builder.first_gate + first : builder.first_gate + gate + 1]):
            for member in range(first, gate + 1):
                used[builder.first_gate + member] = True
                for literal in builder.gates[member].literals:
                    used[literal >> 1] = True
        gate = first - 1
    return used
