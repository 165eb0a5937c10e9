"""Compile recursive components: find their constant atoms, and make the gates of the others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

from abl_cards.asp import Body, Equations
from abl_cards.circuit.builder import Gate
from abl_cards.circuit.circuit import AND, FALSE, OR, SUM, TRUE
from abl_cards.core import check_budget

LiteralLookup = Callable[[int], int]
"""Returns the circuit's literal of a body literal outside of the component."""


def fixpoint_constants(component: list[int], equations: Equations, literal_of: LiteralLookup) -> dict[int, int]:
    """Find the atoms that have one value for all values of the open literals, by two least fixpoints.

    Args:
        component: Atom numbers of the component.
        equations: Bodies by atom number.
        literal_of: Returns the literal of a body literal outside of the component.

    Returns:
        TRUE or FALSE for each constant atom.
    """
    certain = _fixpoint(component, equations, literal_of, unknown=False)
    possible = _fixpoint(component, equations, literal_of, unknown=True)
    values = {number: FALSE for number in component if number not in possible}
    values.update(dict.fromkeys(certain, TRUE))
    return values


def _fixpoint(component: list[int], equations: Equations, literal_of: LiteralLookup, unknown: bool) -> set[int]:
    """Return the atoms that are derived when all open literals have the value `unknown`."""
    inside, true = set(component), set[int]()
    dependents: dict[int, list[int]] = {}
    for number in component:
        for body in equations[number]:
            for other in inside.intersection(body.literals):
                dependents.setdefault(other, []).append(number)

    def holds(number: int) -> bool:
        if number in inside:
            return number in true
        value = literal_of(number)
        return unknown if value > FALSE else value == TRUE

    def fires(body: Body) -> bool:
        check_budget()
        if body.weights:
            weights = zip(body.literals, body.weights, strict=True)
            return sum(weight for other, weight in weights if holds(other)) >= body.bound
        return all(map(holds, body.literals))

    queue = list(component)
    while queue:
        number = queue.pop()
        if number not in true and any(map(fires, equations[number])):
            true.add(number)
            queue.extend(dependents.get(number, ()))
    return true


class RecursiveComponent:
    """The gates of one recursive component; literals between its atoms are positive, so its values only rise.

    Attributes:
        members: Atom numbers of the component.
        outside_literal: Returns the literal of a body literal outside of the component.
        first_node: Node of the first gate.
        literals: Literal of each atom.
        gates: The gates.
    """

    def __init__(self, component: list[int], equations: Equations, literal_of: LiteralLookup, base: int) -> None:
        """Make the gates.

        Args:
            component: Atom numbers, none of which is constant.
            equations: Bodies by atom number.
            literal_of: Returns the literal of a body literal outside of the component.
            base: Node of the first gate.
        """
        self.members = set(component)
        self.outside_literal, self.first_node = literal_of, base
        ordered = component[::-1]  # dependencies tend to come first, which needs fewer rounds
        bodies = {number: [b for b in map(self._reduce, equations[number]) if b is not None] for number in ordered}
        self.literals: dict[int, int] = {}
        node = self.first_node
        for number in ordered:
            node += sum(not _is_single_literal(body) for body in bodies[number])
            self.literals[number] = 2 * node
            node += 1
        self.gates: list[Gate] = []
        for number in ordered:
            self._emit_atom(bodies[number])

    def _reduce(self, body: Body) -> Body | None:
        """Drop the constant literals of a conjunction; return None for a body that is never true."""
        if body.weights:
            possible = [literal in self.members or self.outside_literal(literal) != FALSE for literal in body.literals]
            return body if sum(compress(body.weights, possible)) >= body.bound else None
        outside = {literal: self.outside_literal(literal) for literal in body.literals if literal not in self.members}
        if FALSE in outside.values():
            return None
        return Body(tuple(dict.fromkeys(literal for literal in body.literals if outside.get(literal) != TRUE)))

    def _emit_atom(self, bodies: list[Body]) -> None:
        alternatives = []
        for body in bodies:
            literals = tuple(map(self._literal, body.literals))
            if _is_single_literal(body):
                alternatives.append(literals[0])
                continue
            alternatives.append(2 * (self.first_node + len(self.gates)))
            self.gates.append(self._make_sum(body) if body.weights else Gate(AND, literals))
        self.gates.append(Gate(OR, tuple(alternatives)))

    def _make_sum(self, body: Body) -> Gate:
        """Make the gate of a sum; constant literals move into its bound."""
        bound, literals, weights = body.bound, [], []
        for number, weight in zip(body.literals, body.weights, strict=True):
            literal = self._literal(number)
            if literal == TRUE:
                bound -= weight
            elif literal != FALSE:
                literals.append(literal)
                weights.append(weight)
        return Gate(SUM, tuple(literals), tuple(weights), bound)

    def _literal(self, number: int) -> int:
        return self.literals[number] if number in self.members else self.outside_literal(number)


def _is_single_literal(body: Body) -> bool:
    return len(body.literals) == 1 and not body.weights
