"""Is there a state in which two circuits differ? clingo finds one, or proves that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

import clingo

from abl_cards.logic.circuit import AND, OR, Circuit
from abl_cards.logic.terms import Atom

Axioms = Callable[["Encoding"], None]
"""Adds what is true of all states that there can be."""


class Verdict(Enum):
    """What the search came to."""

    FOUND = "found"
    NONE = "none"  # proved
    UNKNOWN = "unknown"  # time ran out


@dataclass(frozen=True)
class Search:
    """A verdict, with the inputs that are true in the state that was found."""

    verdict: Verdict
    state: frozenset[Atom] = frozenset()


class Encoding:
    """A ground program in the making: the inputs are chosen, what depends on them is derived."""

    def __init__(self, backend: clingo.Backend) -> None:
        """Nothing is in it but the atom that is always true."""
        self._backend = backend
        self.true = self.new()
        backend.add_rule([self.true])
        self.inputs: dict[Atom, int] = {}

    def new(self) -> int:
        """An atom without a name."""
        return self._backend.add_atom()

    def choice(self) -> int:
        """An atom that may be true or not."""
        chosen = self.new()
        self._backend.add_rule([chosen], choice=True)
        return chosen

    def input(self, atom: Atom) -> int:
        """The atom of an input, the same for all circuits."""
        if atom not in self.inputs:
            self.inputs[atom] = self.choice()
        return self.inputs[atom]

    def all_of(self, body: Iterable[int]) -> int:
        """An atom that is true where these literals are."""
        return self._derived([list(body)])

    def any_of(self, literals: Iterable[int]) -> int:
        """An atom that is true where one of these literals is."""
        return self._derived([[literal] for literal in literals])

    def at_least(self, bound: int, weighted: Iterable[tuple[int, int]]) -> int:
        """An atom that is true where the weights of the true literals come to a bound."""
        head = self.new()
        self._backend.add_weight_rule([head], bound, list(weighted))
        return head

    def never(self, *body: int) -> None:
        """These literals are not true together."""
        self._backend.add_rule([], list(body))

    def same(self, first: int, second: int) -> None:
        """Two literals are both true or both false."""
        self.never(first, -second)
        self.never(-first, second)

    def one_of(self, literals: Iterable[int], at_least_one: bool = True) -> None:
        """At most one of these literals is true, and at least one if so said."""
        every = [(literal, 1) for literal in literals]
        self._backend.add_weight_rule([], 2, every)
        if at_least_one:
            self.never(*(-literal for literal, _ in every))

    def circuit(self, circuit: Circuit) -> dict[Atom, int]:
        """The literal of each output."""
        nodes = [self.true, *(self.input(atom) for atom in circuit.inputs), *(self.new() for _ in range(circuit.gates))]

        def literal(number: int) -> int:
            return -nodes[number >> 1] if number & 1 else nodes[number >> 1]

        starts, literals, weights = circuit.starts.tolist(), circuit.literals.tolist(), circuit.weights.tolist()
        for gate, (kind, bound) in enumerate(zip(circuit.kinds.tolist(), circuit.bounds.tolist(), strict=True)):
            head = [nodes[circuit.first_gate + gate]]
            places = range(starts[gate], starts[gate + 1])
            body = [literal(literals[place]) for place in places]
            if kind == AND:
                self._backend.add_rule(head, body)
            elif kind == OR:
                for each in body:
                    self._backend.add_rule(head, [each])
            else:
                self._backend.add_weight_rule(
                    head, bound, [(each, weights[place]) for each, place in zip(body, places, strict=True)]
                )
        rows = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        return {atom: literal(number) for atom, number in rows}

    def _derived(self, bodies: Iterable[list[int]]) -> int:
        head = self.new()
        for body in bodies:
            self._backend.add_rule([head], body)
        return head


def differing(first: Circuit, second: Circuit, axioms: Axioms, seconds: float) -> Search:
    """A state in which some output of one circuit is true and that of the other, or none of its name, is not."""

    def goal(encoding: Encoding) -> int:
        ours, theirs = encoding.circuit(first), encoding.circuit(second)
        unlike = []
        for atom in dict.fromkeys([*ours, *theirs]):
            one, other = ours.get(atom, -encoding.true), theirs.get(atom, -encoding.true)
            unlike += [encoding.all_of([one, -other]), encoding.all_of([-one, other])]
        return encoding.any_of(unlike)

    return _search(goal, axioms, seconds)


def holding(circuit: Circuit, output: Atom, axioms: Axioms, seconds: float) -> Search:
    """A state in which an output of a circuit is true."""
    return _search(lambda encoding: encoding.circuit(circuit)[output], axioms, seconds)


def _search(goal: Callable[[Encoding], int], axioms: Axioms, seconds: float) -> Search:
    control = clingo.Control(["--models=1", "--warn=none"])
    with control.backend() as backend:
        encoding = Encoding(backend)
        encoding.never(-goal(encoding))
        axioms(encoding)
    found: list[frozenset[Atom]] = []

    def keep(model: clingo.Model) -> None:
        found.append(_state(encoding.inputs, model))

    with control.solve(on_model=keep, async_=True) as handle:
        finished = handle.wait(seconds)
        handle.cancel()
        result = handle.get()
    if found:
        return Search(Verdict.FOUND, found[0])
    return Search(Verdict.NONE if finished and result.unsatisfiable else Verdict.UNKNOWN)


def _state(inputs: Mapping[Atom, int], model: clingo.Model) -> frozenset[Atom]:
    return frozenset(atom for atom, literal in inputs.items() if model.is_true(literal))
