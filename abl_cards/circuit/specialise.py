"""What stays open in a circuit when some inputs are fixed: its gates as equations, to be compiled anew."""

from __future__ import annotations

from collections.abc import Mapping

from abl_cards.asp import Body
from abl_cards.circuit.circuit import AND, OR, Circuit
from abl_cards.core import check_budget

_FALSE, _TRUE, _UNKNOWN = 0, 1, 2


def to_body_literal(literal: int, constant: int) -> int:
    """A literal of a circuit as one of equations, in which the node true has the number `constant`."""
    node = literal >> 1 or constant
    return -node if literal & 1 else node


def residual_equations(
    circuit: Circuit, fixed: Mapping[int, bool], constant: int
) -> tuple[dict[int, list[Body]], dict[int, bool]]:
    """The equations of the gates that some output depends on and no constant decides; the nodes that are constant.

    Most of a circuit goes when an event or a context is fixed, so that only the rest is worth compiling.
    """
    values = _propagate_constants(circuit, fixed)
    settled = {node: values[2 * node] == _TRUE for node in range(1, constant) if values[2 * node] != _UNKNOWN}
    starts, kinds, bounds = circuit.starts.tolist(), circuit.kinds.tolist(), circuit.bounds.tolist()
    literals, weights = circuit.literals.tolist(), circuit.weights.tolist()
    equations: dict[int, list[Body]] = {}
    waiting = [literal >> 1 for literal in circuit.output_literals.tolist()]
    while waiting:
        node = waiting.pop()
        gate = node - circuit.first_gate
        if gate < 0 or node in settled or node in equations:
            continue
        check_budget()
        first, end = starts[gate], starts[gate + 1]
        mine = literals[first:end]
        if kinds[gate] in (AND, OR):
            idle = _TRUE if kinds[gate] == AND else _FALSE
            mine = [literal for literal in mine if values[literal] != idle]
        waiting += [literal >> 1 for literal in mine]
        body = tuple([to_body_literal(literal, constant) for literal in mine])
        if kinds[gate] == AND:
            equations[node] = [Body(body)]
        elif kinds[gate] == OR:
            equations[node] = [Body((literal,)) for literal in body]
        else:
            equations[node] = [Body(body, tuple(weights[first:end]), bounds[gate])]
    return equations, settled | {constant: True}


def _propagate_constants(circuit: Circuit, fixed: Mapping[int, bool]) -> list[int]:
    """[literals of all nodes] true, false, or open; what lies in loops is left open for the compiler to look at."""
    values = [_TRUE, _FALSE] + [_UNKNOWN] * (2 * (circuit.first_gate + circuit.num_gates - 1))
    for node, true in fixed.items():
        values[2 * node], values[2 * node + 1] = int(true), int(not true)
    starts, bounds = circuit.starts.tolist(), circuit.bounds.tolist()
    literals, weights = circuit.literals.tolist(), circuit.weights.tolist()
    inside = {gate for first, end in circuit.loops.tolist() for gate in range(first, end)}
    for gate, kind in enumerate(circuit.kinds.tolist()):
        if gate in inside:
            continue
        first, end = starts[gate], starts[gate + 1]
        mine = [values[literal] for literal in literals[first:end]]
        if kind == AND:
            value = _FALSE if _FALSE in mine else _UNKNOWN if _UNKNOWN in mine else _TRUE
        elif kind == OR:
            value = _TRUE if _TRUE in mine else _UNKNOWN if _UNKNOWN in mine else _FALSE
        else:
            value = _evaluate_sum(mine, weights[first:end], bounds[gate])
        if value != _UNKNOWN:
            node = circuit.first_gate + gate
            values[2 * node], values[2 * node + 1] = value, 1 - value
    return values


def _evaluate_sum(values: list[int], weights: list[int], bound: int) -> int:
    certain = sum(weight for value, weight in zip(values, weights, strict=True) if value == _TRUE)
    possible = sum(weight for value, weight in zip(values, weights, strict=True) if value != _FALSE)
    return _TRUE if certain >= bound else _UNKNOWN if possible >= bound else _FALSE
