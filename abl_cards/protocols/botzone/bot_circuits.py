"""Circuits for single-file bots, evaluated for many moves at once in pure Python.

``bot.py`` writes these functions into each bot. The value of an atom is an integer with one bit per move.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Circuit = dict[str, Any]

# --- circuits ---------------------------------------------------------------------------------------------------------


def evaluate(circuit: Circuit, inputs: list[int], num_columns: int) -> list[int]:
    """Evaluate a circuit for several columns; inputs and outputs are integers with one bit per column."""
    ones = (1 << num_columns) - 1
    values = [ones, 0]  # of literals: of a node, and of its negation
    for value in inputs:
        values += [value, value ^ ones]
    first_gate_literal = len(values)
    values += [0, ones] * len(circuit["kinds"])
    if "gates" not in circuit:
        circuit["gates"] = _gate_ranges(circuit)
    for start, end, is_loop in circuit["gates"]:
        _evaluate_gates(circuit, start, end, values, first_gate_literal, ones)
        while is_loop:
            before = values[first_gate_literal + 2 * start : first_gate_literal + 2 * end]
            _evaluate_gates(circuit, start, end, values, first_gate_literal, ones)
            if values[first_gate_literal + 2 * start : first_gate_literal + 2 * end] == before:
                break
    return [values[literal] for literal in circuit["output_literals"]]


def _gate_ranges(circuit: Circuit) -> list[tuple[int, int, bool]]:
    """Return ranges of gates, with whether they are repeated to a fixpoint; also stores the literals by gate."""
    starts, literals = circuit["starts"], circuit["literals"]
    circuit["of"] = [literals[starts[gate] : starts[gate + 1]] for gate in range(len(circuit["kinds"]))]
    ranges, previous_end = [], 0
    for first, end in circuit["loops"]:
        ranges += [(previous_end, first, False), (first, end, True)]
        previous_end = end
    return [*ranges, (previous_end, len(circuit["kinds"]), False)]


def _evaluate_gates(
    circuit: Circuit, start: int, end: int, values: list[int], first_gate_literal: int, ones: int
) -> None:
    """Evaluate a range of gates in order."""
    kinds, literals_of = circuit["kinds"], circuit["of"]
    position = first_gate_literal + 2 * start
    for gate in range(start, end):
        kind = kinds[gate]
        if kind == 0:
            value = ones
            for literal in literals_of[gate]:
                value &= values[literal]
                if not value:
                    break
        elif kind == 1:
            value = 0
            for literal in literals_of[gate]:
                value |= values[literal]
                if value == ones:
                    break
        else:
            weights = circuit["weights"][circuit["starts"][gate] : circuit["starts"][gate + 1]]
            value = _evaluate_threshold(
                [values[literal] for literal in literals_of[gate]], weights, circuit["bounds"][gate], ones
            )
        values[position] = value
        values[position + 1] = value ^ ones
        position += 2


def _evaluate_threshold(values: list[int], weights: list[int], bound: int, ones: int) -> int:
    """Compare the sum of the weights of true inputs with a bound by binary addition, one bit per move."""
    if bound <= 0:
        return ones
    true_inputs = [(value, weight) for value, weight in zip(values, weights) if value]
    if sum(weight for _, weight in true_inputs) < bound:
        return 0
    width = max(sum(weights), bound).bit_length() + 1
    total = [ones if ((1 << width) - bound) >> bit & 1 else 0 for bit in range(width)]
    is_reached = 0
    for value, weight in true_inputs:
        carry = 0
        for bit in range(width):
            addend = value if weight >> bit & 1 else 0
            total[bit], carry = total[bit] ^ addend ^ carry, total[bit] & addend | carry & (total[bit] ^ addend)
        is_reached |= carry
    return is_reached


def compute_costs(outputs: list[int], weights: list[int | None], num_moves: int) -> tuple[int, list[int]]:
    """Return violating moves as bits and the cost of each move; a weight of None marks a violation."""
    total, violating = [0] * num_moves, 0
    for output, weight in zip(outputs, weights):
        if weight is None:
            violating |= output
            continue
        while output:
            low = output & -output
            total[low.bit_length() - 1] += weight
            output ^= low
    return violating, total


def find_cheapest(outputs: list[int], weights: list[int | None], num_moves: int) -> int:
    """Return the index of the move of the lowest cost; violating moves come last."""
    violating, total = compute_costs(outputs, weights, num_moves)
    return min(range(num_moves), key=lambda column: (violating >> column & 1, total[column], column))
