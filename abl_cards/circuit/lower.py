"""Lower gates to straight-line code over words of 64 states: sums become adders, values get slots of a small buffer.

An operation is a row `[opcode, target, second target, a, b, c, d]`; operands and targets are `2 * slot + negated`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from abl_cards.circuit.circuit import AND, FALSE, OR, TRUE, Circuit

if TYPE_CHECKING:
    from numpy.typing import NDArray

AND2, AND3, AND4, HALF_ADD, FULL_ADD, CLEAR, OR_ASSIGN = range(7)
"""Opcodes."""
CONST_TRUE, CONST_FALSE = -1, -2
"""Operands of constant outputs."""


@dataclass(frozen=True)
class Bytecode:
    """Code of a circuit for the numba kernels.

    Attributes:
        operations: int32[operations, 7] Rows `[opcode, target, second target, a, b, c, d]`.
        segments: int32[segments, 3] First operation, end, and whether to repeat until no value changes.
        outputs: int32[outputs] `2 * slot + negated`, or CONST_TRUE or CONST_FALSE.
        slots: Number of slots; the first ones hold the inputs.
    """

    operations: NDArray[np.int32]
    segments: NDArray[np.int32]
    outputs: NDArray[np.int32]
    slots: int


class _Operation(NamedTuple):
    opcode: int
    target: int  # a value, or a literal of one
    second: int
    operands: tuple[int, ...]


class _CodeWriter:
    """Collects operations over an unbounded number of values; literals are `2 * value + negated`."""

    def __init__(self, values: int) -> None:
        self.values = values
        self.operations: list[_Operation] = []
        self.known_literals: dict[tuple[int, tuple[int, ...]], int] = {}
        self.known_sums: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}

    def new_literal(self) -> int:
        self.values += 1
        return 2 * (self.values - 1)

    def emit(self, opcode: int, operands: tuple[int, ...]) -> int:
        """Return the literal of the (first) result; the second one of HALF_ADD and FULL_ADD is the next value."""
        key = (opcode, tuple(sorted(operands)))
        literal = self.known_literals.get(key)
        if literal is None:
            literal = self.known_literals[key] = self.new_literal()
            second = self.new_literal() if opcode in (HALF_ADD, FULL_ADD) else 0
            self.operations.append(_Operation(opcode, literal, second, key[1]))
        return literal

    def conjunction(self, literals: list[int]) -> int:
        while len(literals) > 1:
            operands, literals = literals[:4], literals[4:]
            literals.insert(0, self.emit(AND2 + len(operands) - 2, tuple(operands)))
        return literals[0]

    def disjunction(self, literals: list[int]) -> int:
        return self.conjunction([literal ^ 1 for literal in literals]) ^ 1

    def at_least(self, literals: tuple[int, ...], weights: tuple[int, ...], bound: int) -> int:
        """Compare the binary digits of a sum with those of the bound, lowest first."""
        digits = self.known_sums.get((literals, weights))
        if digits is None:
            digits = self.known_sums[literals, weights] = self._sum_digits(literals, weights)
        if bound <= 0 or bound >> len(digits):
            return TRUE if bound <= 0 else FALSE
        result = TRUE
        for digit_index, digit in enumerate(digits):
            result = self._fold_and(digit, result) if bound >> digit_index & 1 else self._fold_or(digit, result)
        return result

    def _fold_and(self, left: int, right: int) -> int:
        if FALSE in (left, right):
            return FALSE
        if TRUE in (left, right):
            return right if left == TRUE else left
        return self.conjunction([left, right])

    def _fold_or(self, left: int, right: int) -> int:
        if TRUE in (left, right):
            return TRUE
        return self._fold_and(left ^ 1, right ^ 1) ^ 1

    def _sum_digits(self, literals: tuple[int, ...], weights: tuple[int, ...]) -> list[int]:
        """Return the binary digits of a weighted sum, lowest first, by full and half adders."""
        columns: list[list[int]] = [[] for _ in range(sum(weights).bit_length() + 1)]
        for literal, weight in zip(literals, weights, strict=True):
            for digit_index in range(weight.bit_length()):
                if weight >> digit_index & 1:
                    columns[digit_index].append(literal)
        digits = []
        for digit_index, column in enumerate(columns):
            while len(column) > 1:
                operands, column = tuple(column[:3]), column[3:]
                result = self.emit(FULL_ADD if len(operands) == 3 else HALF_ADD, operands)
                column.append(result)
                columns[digit_index + 1].append(result + 2)
            digits.append(column[0] if column else FALSE)
        while digits and digits[-1] == FALSE:
            digits.pop()
        return digits


def lower_circuit(circuit: Circuit) -> Bytecode:
    """Lower a circuit to code for the numba kernels.

    Args:
        circuit: Circuit to lower.

    Returns:
        Its code.
    """
    writer = _CodeWriter(circuit.first_gate)
    node_literal = [2 * node for node in range(circuit.first_gate)]
    loops = {int(first): int(end) for first, end in circuit.loops}
    marks: list[tuple[int, int, int]] = []
    start = gate = 0
    emit = _make_gate_emitter(circuit, writer, node_literal)
    while gate < circuit.num_gates:
        if gate not in loops:
            node_literal.append(emit(gate))
            gate += 1
            continue
        state = [writer.new_literal() for _ in range(gate, loops[gate])]
        node_literal.extend(state)
        writer.operations.extend(_Operation(CLEAR, literal, 0, ()) for literal in state)
        before = len(writer.operations)
        marks.append((start, before, 0))
        _emit_loop(writer, emit, gate, state)
        marks.append((before, len(writer.operations), 1))
        start, gate = len(writer.operations), loops[gate]
    marks.append((start, len(writer.operations), 0))
    outputs = [node_literal[literal >> 1] ^ (literal & 1) for literal in circuit.output_literals.tolist()]
    return _allocate_slots(writer, len(circuit.inputs), outputs, [mark for mark in marks if mark[0] < mark[1]])


def _emit_loop(writer: _CodeWriter, emit: Callable[[int], int], first: int, state: list[int]) -> None:
    """Emit the gates of a loop; its values are not cached, because they change in each round."""
    saved_literals, saved_sums = dict(writer.known_literals), dict(writer.known_sums)
    for offset, target in enumerate(state):
        result = emit(first + offset)
        if result != FALSE:
            writer.operations.append(_Operation(OR_ASSIGN, target, 0, (result,)))
    writer.known_literals, writer.known_sums = saved_literals, saved_sums


def _make_gate_emitter(circuit: Circuit, writer: _CodeWriter, node_literal: list[int]) -> Callable[[int], int]:
    """Make a function that emits one gate and returns its literal; operands are read from `node_literal`."""
    kinds, bounds, starts = circuit.kinds.tolist(), circuit.bounds.tolist(), circuit.starts.tolist()
    literals, weights = circuit.literals.tolist(), circuit.weights.tolist()

    def emit(gate: int) -> int:
        first, end = starts[gate], starts[gate + 1]
        operands = [node_literal[literal >> 1] ^ (literal & 1) for literal in literals[first:end]]
        if kinds[gate] == AND:
            return writer.conjunction(operands) if operands else TRUE
        if kinds[gate] == OR:
            return writer.disjunction(operands) if operands else FALSE
        return writer.at_least(tuple(operands), tuple(weights[first:end]), bounds[gate])

    return emit


def _allocate_slots(
    writer: _CodeWriter, inputs: int, outputs: list[int], segments: list[tuple[int, int, int]]
) -> Bytecode:
    """Allocate slots by linear scan: a value keeps its slot until its last use, in a loop until the loop's end."""
    operations = writer.operations
    never = len(operations) + 1
    last_index = list(range(len(operations)))  # operation after which the operands of each operation may be freed
    for first, end, repeated in segments:
        if repeated:
            last_index[first:end] = [end - 1] * (end - first)
    last_use = [-1] * writer.values
    for index, operation in enumerate(operations):
        used = (operation.target, operation.second, *operation.operands)
        for literal in used:
            last_use[literal >> 1] = last_index[index]
    for literal in outputs:
        last_use[literal >> 1] = never
    values_by_last_use: dict[int, list[int]] = {}
    for value, last in enumerate(last_use):
        if value:
            values_by_last_use.setdefault(last, []).append(value)
    return _assign_slots(operations, inputs, outputs, segments, values_by_last_use, writer.values)


def _assign_slots(
    operations: list[_Operation],
    inputs: int,
    outputs: list[int],
    segments: list[tuple[int, int, int]],
    last_uses: dict[int, list[int]],
    values: int,
) -> Bytecode:
    slot = [-1] * values
    free: list[int] = []
    slots = inputs
    slot[1 : 1 + inputs] = range(inputs)
    rows = np.zeros((len(operations), 7), np.int32)
    for index, operation in enumerate(operations):
        for literal in (operation.target, operation.second)[: 2 if operation.opcode in (HALF_ADD, FULL_ADD) else 1]:
            if slot[literal >> 1] < 0:
                if not free:
                    free.append(slots)
                    slots += 1
                slot[literal >> 1] = free.pop()
        operands = [2 * slot[literal >> 1] + (literal & 1) for literal in operation.operands]
        second = slot[operation.second >> 1] if operation.opcode in (HALF_ADD, FULL_ADD) else 0
        rows[index, : 3 + len(operands)] = [operation.opcode, slot[operation.target >> 1], second, *operands]
        free.extend(slot[value] for value in last_uses.get(index, ()))
    output_codes = [
        (CONST_TRUE if literal == TRUE else CONST_FALSE) if literal <= FALSE else 2 * slot[literal >> 1] + (literal & 1)
        for literal in outputs
    ]
    return Bytecode(
        rows,
        np.array(segments, np.int32).reshape(-1, 3),
        np.array(output_codes, np.int32),
        max(slots, 1),
    )
