"""Hash-consing gate constructors: equal gates are built once; constant and trivial gates are not built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import NamedTuple

from abl_cards.asp import INT32_MAX
from abl_cards.circuit.circuit import AND, FALSE, OR, SUM, TRUE


class Gate(NamedTuple):
    """Gate of a circuit.

    Attributes:
        kind: AND, OR or SUM.
        literals: Operands, `2 * node + negated`.
        weights: Weight of each operand of a SUM; empty for other kinds.
        bound: Least sum of the weights of true operands of a SUM.
    """

    kind: int
    literals: tuple[int, ...]
    weights: tuple[int, ...] = ()
    bound: int = 0


class CircuitBuilder:
    """Collects gates over input nodes; the constructors of gates return literals.

    Attributes:
        first_gate: Node of the first gate.
        gates: The gates, in topological order outside of loops.
        loops: First gate, and the gate behind the last one, of each loop.
    """

    def __init__(self, inputs: int) -> None:
        """Begin a circuit with a number of input nodes."""
        self.first_gate = 1 + inputs
        self.gates: list[Gate] = []
        self.loops: list[tuple[int, int]] = []
        self._literals: dict[Gate, int] = {}

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true when all literals are."""
        operands = set(literals)
        operands.discard(TRUE)
        if FALSE in operands or any(literal ^ 1 in operands for literal in operands):
            return FALSE
        return self._nary_gate(AND, operands) if operands else TRUE

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true when one of the literals is."""
        operands = set(literals)
        operands.discard(FALSE)
        if TRUE in operands or any(literal ^ 1 in operands for literal in operands):
            return TRUE
        return self._nary_gate(OR, operands) if operands else FALSE

    def at_least(self, literals: Sequence[int], weights: Sequence[int], bound: int) -> int:
        """Return a literal that is true when a weighted sum reaches a bound.

        Args:
            literals: Operands.
            weights: Weight of each operand.
            bound: Least sum of the weights of true operands.

        Returns:
            The literal.

        Raises:
            OverflowError: The weights could add up to more than an int32 holds.
        """
        terms, bound = normalise_sum(literals, weights, bound)
        if bound <= 0:
            return TRUE
        total = sum(terms.values())
        if total < bound:
            return FALSE
        smallest = min(terms.values())
        if smallest >= bound:
            return self.disjunction(terms)
        if total - smallest < bound:
            return self.conjunction(terms)
        ordered = sorted(terms.items())
        gate = Gate(SUM, tuple(literal for literal, _ in ordered), tuple(weight for _, weight in ordered), bound)
        return self._append(gate)

    def add_loop(self, gates: Sequence[Gate]) -> None:
        """Append the gates of a recursive component unchanged; their literals may point forward."""
        first = len(self.gates)
        self.gates.extend(gates)
        self.loops.append((first, len(self.gates)))

    def next_node(self) -> int:
        """Return the node of the next gate."""
        return self.first_gate + len(self.gates)

    def _nary_gate(self, kind: int, literals: set[int]) -> int:
        if len(literals) == 1:
            return next(iter(literals))
        return self._append(Gate(kind, tuple(sorted(literals))))

    def _append(self, gate: Gate) -> int:
        literal = self._literals.get(gate)
        if literal is None:
            literal = self._literals[gate] = 2 * self.next_node()
            self.gates.append(gate)
        return literal


def normalise_sum(literals: Sequence[int], weights: Sequence[int], bound: int) -> tuple[dict[int, int], int]:
    """Simplify a weighted sum to one positive weight for each node, without constants and common divisors.

    Args:
        literals: Operands.
        weights: Weight of each operand, of any sign.
        bound: Least sum of the weights of true operands.

    Returns:
        Weights by literal, and the bound, of an equivalent sum.

    Raises:
        OverflowError: The weights could add up to more than an int32 holds.
    """
    coefficients: dict[int, int] = {}
    for literal, weight in zip(literals, weights, strict=True):
        if literal & 1:  # w * (1 - x) = w - w * x
            bound, weight = bound - weight, -weight
        coefficients[literal >> 1] = coefficients.get(literal >> 1, 0) + weight
    bound -= coefficients.pop(0, 0)
    terms: dict[int, int] = {}
    for node, coefficient in coefficients.items():
        if coefficient > 0:
            terms[2 * node] = coefficient
        elif coefficient < 0:
            terms[2 * node + 1] = -coefficient
            bound -= coefficient
    if sum(terms.values()) > INT32_MAX:
        raise OverflowError("the weights of a sum add up to more than 2147483647")
    divisor = gcd(*terms.values()) or 1
    return {literal: weight // divisor for literal, weight in terms.items()}, -(-bound // divisor)
