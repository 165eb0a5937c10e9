"""What bots in one file have in common: circuits, evaluated for many moves at once by nothing but Python.

``bot.py`` writes these functions into each of them. An atom is a number with one bit a move.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Circuit = dict[str, Any]

# --- circuits ---------------------------------------------------------------------------------------------------------


def evaluate(circuit: Circuit, inputs: list[int], columns: int) -> list[int]:
    """The outputs as numbers with a bit a column; inputs likewise, in their order."""
    ones = (1 << columns) - 1
    values = [ones, 0]  # of literals: of a node, and of its negation
    for value in inputs:
        values += [value, value ^ ones]
    first = len(values)
    values += [0, ones] * len(circuit["kinds"])
    loops = dict(circuit["loops"])
    gate = 0
    while gate < len(circuit["kinds"]):
        end = loops.get(gate, gate + 1)
        while True:
            before = values[first + 2 * gate : first + 2 * end]
            for number in range(gate, end):
                value = _gate(circuit, number, values, ones)
                values[first + 2 * number] = value
                values[first + 2 * number + 1] = value ^ ones
            if end == gate + 1 or values[first + 2 * gate : first + 2 * end] == before:
                break
        gate = end
    return [values[literal] for literal in circuit["output_literals"]]


def _gate(circuit: Circuit, number: int, values: list[int], ones: int) -> int:
    literals = circuit["literals"][circuit["starts"][number] : circuit["starts"][number + 1]]
    kind = circuit["kinds"][number]
    if kind == 0:
        value = ones
        for literal in literals:
            value &= values[literal]
            if not value:
                break
        return value
    if kind == 1:
        value = 0
        for literal in literals:
            value |= values[literal]
            if value == ones:
                break
        return value
    weights = circuit["weights"][circuit["starts"][number] : circuit["starts"][number + 1]]
    return _reaches([values[literal] for literal in literals], weights, circuit["bounds"][number], ones)


def _reaches(values: list[int], weights: list[int], bound: int, ones: int) -> int:
    """Where the weights of what is true add up to the bound: sums in binary, a number for each of their bits."""
    if bound <= 0:
        return ones
    width = max(sum(weights), bound).bit_length() + 1
    total = [ones if ((1 << width) - bound) >> bit & 1 else 0 for bit in range(width)]
    reached = 0
    for value, weight in zip(values, weights):
        carry = 0
        for bit in range(width):
            more = value if weight >> bit & 1 else 0
            total[bit], carry = total[bit] ^ more ^ carry, total[bit] & more | carry & (total[bit] ^ more)
        reached |= carry
    return reached


def cheapest(costs: list[int], weights: list[int | None], columns: int) -> int:
    """The number of the move of the lowest cost by the outputs of preferences: weights, None for what is wrong."""
    total, wrong = [0] * columns, 0
    for output, weight in zip(costs, weights):
        if weight is None:
            wrong |= output
            continue
        while output:
            low = output & -output
            total[low.bit_length() - 1] += weight
            output ^= low
    return min(range(columns), key=lambda column: (wrong >> column & 1, total[column], column))
