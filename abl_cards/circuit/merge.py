"""Merge inputs that every gate reads together, for evaluation: their disjunction takes their place.

A play to beat, for instance, is one input for each form, and rules mostly read the forms of a kind and strength alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.circuit.circuit import AND, OR, Circuit

if TYPE_CHECKING:
    from numpy.typing import NDArray


def merge_inputs(circuit: Circuit, mergeable: Sequence[int]) -> tuple[Circuit, NDArray[np.int32]]:
    """Replace inputs that occur in the same gates, and there only as alternatives, by one of them.

    Inputs are alternatives in disjunctions, and, negated, in conjunctions. Where one of the merged inputs is true, the
    remaining one must be set.

    Args:
        circuit: Circuit to change.
        mergeable: Rows of the inputs that may be merged.

    Returns:
        The circuit with fewer inputs and equal outputs, and int32[inputs] the row there of each former input.
    """
    partners = _find_partners(circuit, mergeable)
    is_kept = partners == np.arange(len(circuit.inputs))
    if is_kept.all():
        return circuit, partners.astype(np.int32)
    new_row = (np.cumsum(is_kept) - 1)[partners].astype(np.int32)
    num_removed = len(circuit.inputs) - int(is_kept.sum())
    new_node = np.arange(circuit.first_gate + circuit.num_gates) - num_removed
    new_node[0], new_node[1 : circuit.first_gate] = 0, 1 + new_row
    nodes = circuit.literals >> 1
    is_input = (nodes > 0) & (nodes < circuit.first_gate)
    is_literal_kept = ~is_input | is_kept[np.where(is_input, nodes - 1, 0)]
    starts = np.concatenate([[0], is_literal_kept.cumsum()])[circuit.starts]
    merged = replace(
        circuit,
        inputs=tuple(circuit.inputs[row] for row in np.flatnonzero(is_kept).tolist()),
        output_literals=_renumber(circuit.output_literals, new_node),
        starts=starts.astype(np.int32),
        literals=_renumber(circuit.literals[is_literal_kept], new_node),
        weights=circuit.weights[is_literal_kept],
    )
    return merged, new_row


def _find_partners(circuit: Circuit, mergeable: Sequence[int]) -> NDArray[np.int64]:
    """Return int64[inputs] the first input that occurs in the same gates, for inputs that may be merged."""
    partners, nodes = np.arange(len(circuit.inputs)), circuit.literals >> 1
    is_mergeable = np.zeros(circuit.first_gate + circuit.num_gates, np.bool_)
    is_mergeable[1 + np.asarray(mergeable, np.int64)] = True
    gates = np.repeat(np.arange(circuit.num_gates), np.diff(circuit.starts))
    is_alternative = circuit.kinds[gates] == np.where(circuit.literals & 1, AND, OR)
    is_mergeable[nodes[~is_alternative]] = False
    is_mergeable[circuit.output_literals >> 1] = False
    gates_by_node: dict[int, list[int]] = {}
    occurrences = np.flatnonzero(is_mergeable[nodes])
    for node, gate in zip(nodes[occurrences].tolist(), gates[occurrences].tolist(), strict=True):
        gates_by_node.setdefault(node, []).append(gate)
    first_by_gates: dict[tuple[int, ...], int] = {}
    for node in sorted(gates_by_node):
        partners[node - 1] = first_by_gates.setdefault(tuple(gates_by_node[node]), node) - 1
    return partners


def _renumber(literals: NDArray[np.int32], new_node: NDArray[np.int64]) -> NDArray[np.int32]:
    return (2 * new_node[literals >> 1] + (literals & 1)).astype(np.int32)
