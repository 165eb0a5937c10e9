"""Cut a circuit in two: gates that depend on the state alone, and gates that depend on the move.

The shared half is evaluated once for a decision, the varying half once for each move; `shared(K)` carries the values
across the cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.asp import Atom
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.compile import specialise_circuit

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARED = "shared"
"""Name of the atoms at the cut, `shared(K)`."""


def partition_circuit(circuit: Circuit, is_varying: Callable[[Atom], bool]) -> tuple[Circuit, Circuit]:
    """Cut a circuit into a shared and a varying half.

    Args:
        circuit: Circuit to cut.
        is_varying: Returns whether an input differs between moves.

    Returns:
        The shared half, with outputs `shared(0)`, `shared(1)`, …; and the varying half, with the circuit's outputs.
        The inputs of the varying half are the shared atoms that it reads and the varying inputs.
    """
    dependent = _find_dependent(circuit, is_varying)
    frontier = _find_frontier(circuit, dependent)
    names = tuple(Atom(SHARED, (index,)) for index in range(len(frontier)))
    shared = replace(circuit, outputs=names, output_literals=(2 * frontier).astype(np.int32))
    return specialise_circuit(shared, {}), specialise_circuit(
        _make_varying_half(circuit, dependent, frontier, names), {}
    )


def _find_dependent(circuit: Circuit, is_varying: Callable[[Atom], bool]) -> NDArray[np.bool_]:
    """Return bool[nodes]: whether a node depends on a varying input; all gates of a loop do, or none does."""
    dependent = np.zeros(circuit.first_gate + circuit.num_gates, bool)
    dependent[1 : circuit.first_gate] = [is_varying(atom) for atom in circuit.inputs]
    nodes, starts = circuit.literals >> 1, circuit.starts
    loops = {int(first): int(end) for first, end in circuit.loops}
    gate = 0
    while gate < circuit.num_gates:
        end = loops.get(gate, gate + 1)
        group = slice(circuit.first_gate + gate, circuit.first_gate + end)
        dependent[group] = dependent[nodes[starts[gate] : starts[end]]].any()
        gate = end
    return dependent


def _find_frontier(circuit: Circuit, dependent: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the nodes at the cut: independent ones that dependent gates or outputs read, without the constant."""
    gates = np.flatnonzero(dependent[circuit.first_gate :])
    read = [circuit.literals[circuit.starts[gate] : circuit.starts[gate + 1]] for gate in gates]
    nodes = np.unique(np.concatenate([circuit.output_literals, *read]) >> 1)
    return nodes[(nodes > 0) & ~dependent[nodes]].astype(np.int64)


def _make_varying_half(
    circuit: Circuit, dependent: NDArray[np.bool_], frontier: NDArray[np.int64], names: tuple[Atom, ...]
) -> Circuit:
    inputs = np.flatnonzero(dependent[: circuit.first_gate])
    gates = np.flatnonzero(dependent[circuit.first_gate :])
    new_number = np.zeros(len(dependent), np.int64)  # of each node that crosses over
    kept_nodes = np.concatenate([frontier, inputs, circuit.first_gate + gates])
    new_number[kept_nodes] = 1 + np.arange(len(kept_nodes))
    lengths = np.diff(circuit.starts)[gates]
    is_kept_literal = np.repeat(dependent[circuit.first_gate :], np.diff(circuit.starts))
    literals = circuit.literals[is_kept_literal]
    new_gate = {int(gate): index for index, gate in enumerate(gates)}
    loops = [
        (new_gate[int(first)], new_gate[int(end) - 1] + 1) for first, end in circuit.loops if int(first) in new_gate
    ]
    return replace(
        circuit,
        inputs=(*names, *(circuit.inputs[node - 1] for node in inputs)),
        output_literals=_renumber(circuit.output_literals, new_number),
        kinds=circuit.kinds[gates],
        starts=np.concatenate([[0], lengths.cumsum()]).astype(np.int32),
        literals=_renumber(literals, new_number),
        weights=circuit.weights[is_kept_literal],
        bounds=circuit.bounds[gates],
        loops=np.array(loops, np.int32).reshape(-1, 2),
    )


def _renumber(literals: NDArray[np.int32], new_number: NDArray[np.int64]) -> NDArray[np.int32]:
    return (2 * new_number[literals >> 1] + (literals & 1)).astype(np.int32)
