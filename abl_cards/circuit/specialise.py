"""Reduce a circuit with fixed inputs to equations of the gates that stay open, to be compiled anew."""

from __future__ import annotations

from collections.abc import Mapping

from abl_cards.asp import Body
from abl_cards.circuit.circuit import AND, OR, Circuit
from abl_cards.core import check_budget

_FALSE, _TRUE, _UNKNOWN = 0, 1, 2


def to_body_literal(literal: int, constant: int) -> int:
    """Convert a literal of a circuit to one of equations, in which node 0 has the number `constant`."""
    node = literal >> 1 or constant
    return -node if literal & 1 else node


def residual_equations(
    circuit: Circuit, fixed: Mapping[int, bool], constant: int
) -> tuple[dict[int, list[Body]], dict[int, bool]]:
    """Propagate fixed inputs through a circuit, and return the rest as equations.

    Fixing an event or a context decides most gates, so compiling the rest is fast.

    Args:
        circuit: Circuit to specialise.
        fixed: Nodes of the fixed inputs, with their values.
        constant: Number of node 0 in the equations.

    Returns:
        The bodies of the open gates that outputs depend on, by node; and the values of the constant nodes.
    """
    values = _propagate_constants(circuit, fixed)
    known = {node: values[2 * node] == _TRUE for node in range(1, constant) if values[2 * node] != _UNKNOWN}
    starts, kinds, bounds = circuit.starts.tolist(), circuit.kinds.tolist(), circuit.bounds.tolist()
    literals, weights = circuit.literals.tolist(), circuit.weights.tolist()
    equations: dict[int, list[Body]] = {}
    queue = [literal >> 1 for literal in circuit.output_literals.tolist()]
    while queue:
        node = queue.pop()
        gate = node - circuit.first_gate
        if gate < 0 or node in known or node in equations:
            continue
        check_budget()
        first, end = starts[gate], starts[gate + 1]
        operands = literals[first:end]
        if kinds[gate] in (AND, OR):
            neutral = _TRUE if kinds[gate] == AND else _FALSE
            operands = [literal for literal in operands if values[literal] != neutral]
        queue += [literal >> 1 for literal in operands]
        body = tuple([to_body_literal(literal, constant) for literal in operands])
        if kinds[gate] == AND:
            equations[node] = [Body(body)]
        elif kinds[gate] == OR:
            equations[node] = [Body((literal,)) for literal in body]
        else:
            equations[node] = [Body(body, tuple(weights[first:end]), bounds[gate])]
    return equations, known | {constant: True}


def _propagate_constants(circuit: Circuit, fixed: Mapping[int, bool]) -> list[int]:
    """Return for each literal true, false or unknown; gates of loops stay unknown, for the compiler to decide."""
    values = [_TRUE, _FALSE] + [_UNKNOWN] * (2 * (circuit.first_gate + circuit.num_gates - 1))
    for node, is_true in fixed.items():
        values[2 * node], values[2 * node + 1] = int(is_true), int(not is_true)
    starts, bounds = circuit.starts.tolist(), circuit.bounds.tolist()
    literals, weights = circuit.literals.tolist(), circuit.weights.tolist()
    inside = {gate for first, end in circuit.loops.tolist() for gate in range(first, end)}
    for gate, kind in enumerate(circuit.kinds.tolist()):
        if gate in inside:
            continue
        first, end = starts[gate], starts[gate + 1]
        operands = [values[literal] for literal in literals[first:end]]
        if kind == AND:
            value = _FALSE if _FALSE in operands else _UNKNOWN if _UNKNOWN in operands else _TRUE
        elif kind == OR:
            value = _TRUE if _TRUE in operands else _UNKNOWN if _UNKNOWN in operands else _FALSE
        else:
            value = _evaluate_sum(operands, weights[first:end], bounds[gate])
        if value != _UNKNOWN:
            node = circuit.first_gate + gate
            values[2 * node], values[2 * node + 1] = value, 1 - value
    return values


def _evaluate_sum(values: list[int], weights: list[int], bound: int) -> int:
    certain = sum(weight for value, weight in zip(values, weights, strict=True) if value == _TRUE)
    possible = sum(weight for value, weight in zip(values, weights, strict=True) if value != _FALSE)
    return _TRUE if certain >= bound else _UNKNOWN if possible >= bound else _FALSE
