"""Recursive components: which of their atoms are constant, and the gates of the others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

from abl_cards.asp import Body, Equations
from abl_cards.circuit.builder import Gate
from abl_cards.circuit.circuit import AND, FALSE, OR, SUM, TRUE
from abl_cards.core import check_budget

LiteralLookup = Callable[[int], int]  # the literal in the circuit of a body literal from outside of the component


def fixpoint_constants(component: list[int], equations: Equations, literal_of: LiteralLookup) -> dict[int, int]:
    """Atoms whose value is the same whatever the open literals are: two least fixpoints."""
    certain = _fixpoint(component, equations, literal_of, unknown=False)
    possible = _fixpoint(component, equations, literal_of, unknown=True)
    values = {number: FALSE for number in component if number not in possible}
    values.update(dict.fromkeys(certain, TRUE))
    return values


def _fixpoint(component: list[int], equations: Equations, literal_of: LiteralLookup, unknown: bool) -> set[int]:
    """The atoms that are derived when every open literal has the value `unknown`."""
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

    waiting = list(component)
    while waiting:
        number = waiting.pop()
        if number not in true and any(map(fires, equations[number])):
            true.add(number)
            waiting.extend(dependents.get(number, ()))
    return true


class RecursiveComponent:
    """The gates of one recursive component. Literals between its atoms are positive, so values only ever rise."""

    def __init__(self, component: list[int], equations: Equations, literal_of: LiteralLookup, base: int) -> None:
        self.members = set(component)
        self.outside_literal, self.first_node = literal_of, base
        ordered = component[::-1]  # dependencies tend to come first: fewer rounds
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
        """The body without the literals that are constant, a sum as it is; None when it can never be true."""
        if body.weights:
            able = [literal in self.members or self.outside_literal(literal) != FALSE for literal in body.literals]
            return body if sum(compress(body.weights, able)) >= body.bound else None
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
        """Constants move into the bound: gates hold no constant literals."""
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
