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
    """The outputs as numbers with a bit a column; inputs likewise, in their order."""
    ones = (1 << num_columns) - 1
    values = [ones, 0]  # of literals: of a node, and of its negation
    for value in inputs:
        values += [value, value ^ ones]
    first = len(values)
    values += [0, ones] * len(circuit["kinds"])
    if "gates" not in circuit:
        circuit["gates"] = _gate_ranges(circuit)
    for start, end, again in circuit["gates"]:
        _evaluate_gates(circuit, start, end, values, first, ones)
        while again:
            before = values[first + 2 * start : first + 2 * end]
            _evaluate_gates(circuit, start, end, values, first, ones)
            if values[first + 2 * start : first + 2 * end] == before:
                break
    return [values[literal] for literal in circuit["output_literals"]]


def _gate_ranges(circuit: Circuit) -> list[tuple[int, int, bool]]:
    """Ranges of gates, and whether they are repeated until nothing changes; and the literals of each gate."""
    starts, literals = circuit["starts"], circuit["literals"]
    circuit["of"] = [literals[starts[gate] : starts[gate + 1]] for gate in range(len(circuit["kinds"]))]
    found, last = [], 0
    for first, end in circuit["loops"]:
        found += [(last, first, False), (first, end, True)]
        last = end
    return [*found, (last, len(circuit["kinds"]), False)]


def _evaluate_gates(circuit: Circuit, start: int, end: int, values: list[int], first: int, ones: int) -> None:
    """Evaluate gates one after the other."""
    kinds, of = circuit["kinds"], circuit["of"]
    place = first + 2 * start
    for gate in range(start, end):
        kind = kinds[gate]
        if kind == 0:
            value = ones
            for literal in of[gate]:
                value &= values[literal]
                if not value:
                    break
        elif kind == 1:
            value = 0
            for literal in of[gate]:
                value |= values[literal]
                if value == ones:
                    break
        else:
            weights = circuit["weights"][circuit["starts"][gate] : circuit["starts"][gate + 1]]
            value = _evaluate_threshold(
                [values[literal] for literal in of[gate]], weights, circuit["bounds"][gate], ones
            )
        values[place] = value
        values[place + 1] = value ^ ones
        place += 2


def _evaluate_threshold(values: list[int], weights: list[int], bound: int, ones: int) -> int:
    """Compare the sum of the weights of true inputs with a bound by binary addition, one bit per move."""
    if bound <= 0:
        return ones
    there = [(value, weight) for value, weight in zip(values, weights) if value]
    if sum(weight for _, weight in there) < bound:
        return 0
    width = max(sum(weights), bound).bit_length() + 1
    total = [ones if ((1 << width) - bound) >> bit & 1 else 0 for bit in range(width)]
    reached = 0
    for value, weight in there:
        carry = 0
        for bit in range(width):
            more = value if weight >> bit & 1 else 0
            total[bit], carry = total[bit] ^ more ^ carry, total[bit] & more | carry & (total[bit] ^ more)
        reached |= carry
    return reached


def compute_costs(outputs: list[int], weights: list[int | None], num_moves: int) -> tuple[int, list[int]]:
    """Which moves are wrong by the outputs of preferences, as bits, and what each costs; weights, None for what is."""
    total, wrong = [0] * num_moves, 0
    for output, weight in zip(outputs, weights):
        if weight is None:
            wrong |= output
            continue
        while output:
            low = output & -output
            total[low.bit_length() - 1] += weight
            output ^= low
    return wrong, total


def find_cheapest(outputs: list[int], weights: list[int | None], num_moves: int) -> int:
    """The number of the move of the lowest cost; what is wrong comes last."""
    wrong, total = compute_costs(outputs, weights, num_moves)
    return min(range(num_moves), key=lambda column: (wrong >> column & 1, total[column], column))
