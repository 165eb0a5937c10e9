"""Is there a state in which two circuits differ? clingo finds one, or proves that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

import clingo

from abl_cards.asp import Atom
from abl_cards.circuit.circuit import AND, OR, Circuit

Axioms = Callable[["MiterEncoding"], None]
"""Adds what is true of all states that there can be."""


class MiterStatus(Enum):
    """What the search came to."""

    FOUND = "found"
    NONE = "none"  # proved
    UNKNOWN = "unknown"  # time ran out


@dataclass(frozen=True)
class MiterResult:
    """A verdict, with the inputs that are true in the state that was found."""

    status: MiterStatus
    state: frozenset[Atom] = frozenset()


class MiterEncoding:
    """A ground program in the making: the inputs are chosen, what depends on them is derived."""

    def __init__(self, backend: clingo.Backend) -> None:
        """Nothing is in it but the atom that is always true."""
        self._backend = backend
        self.true = self.new_atom()
        backend.add_rule([self.true])
        self.inputs: dict[Atom, int] = {}

    def new_atom(self) -> int:
        """An atom without a name."""
        return self._backend.add_atom()

    def new_choice(self) -> int:
        """An atom that may be true or not."""
        chosen = self.new_atom()
        self._backend.add_rule([chosen], choice=True)
        return chosen

    def input_atom(self, atom: Atom) -> int:
        """The atom of an input, the same for all circuits."""
        if atom not in self.inputs:
            self.inputs[atom] = self.new_choice()
        return self.inputs[atom]

    def all_of(self, body: Iterable[int]) -> int:
        """An atom that is true where these literals are."""
        return self._derive([list(body)])

    def any_of(self, literals: Iterable[int]) -> int:
        """An atom that is true where one of these literals is."""
        return self._derive([[literal] for literal in literals])

    def at_least(self, bound: int, weighted: Iterable[tuple[int, int]]) -> int:
        """An atom that is true where the weights of the true literals come to a bound."""
        head = self.new_atom()
        self._backend.add_weight_rule([head], bound, list(weighted))
        return head

    def forbid(self, *body: int) -> None:
        """These literals are not true together."""
        self._backend.add_rule([], list(body))

    def require_equal(self, first: int, second: int) -> None:
        """Two literals are both true or both false."""
        self.forbid(first, -second)
        self.forbid(-first, second)

    def require_one_of(self, literals: Iterable[int], at_least_one: bool = True) -> None:
        """At most one of these literals is true, and at least one if so said."""
        every = [(literal, 1) for literal in literals]
        self._backend.add_weight_rule([], 2, every)
        if at_least_one:
            self.forbid(*(-literal for literal, _ in every))

    def encode_circuit(self, circuit: Circuit) -> dict[Atom, int]:
        """The literal of each output."""
        nodes = [
            self.true,
            *(self.input_atom(atom) for atom in circuit.inputs),
            *(self.new_atom() for _ in range(circuit.num_gates)),
        ]

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

    def _derive(self, bodies: Iterable[list[int]]) -> int:
        head = self.new_atom()
        for body in bodies:
            self._backend.add_rule([head], body)
        return head


def find_difference(first: Circuit, second: Circuit, axioms: Axioms, seconds: float) -> MiterResult:
    """A state in which some output of one circuit is true and that of the other, or none of its name, is not."""

    def goal(encoding: MiterEncoding) -> int:
        ours, theirs = encoding.encode_circuit(first), encoding.encode_circuit(second)
        unlike = []
        for atom in dict.fromkeys([*ours, *theirs]):
            one, other = ours.get(atom, -encoding.true), theirs.get(atom, -encoding.true)
            unlike += [encoding.all_of([one, -other]), encoding.all_of([-one, other])]
        return encoding.any_of(unlike)

    return _search(goal, axioms, seconds)


def find_state_with(circuit: Circuit, output: Atom, axioms: Axioms, seconds: float) -> MiterResult:
    """A state in which an output of a circuit is true."""
    return _search(lambda encoding: encoding.encode_circuit(circuit)[output], axioms, seconds)


def _search(goal: Callable[[MiterEncoding], int], axioms: Axioms, seconds: float) -> MiterResult:
    control = clingo.Control(["--models=1", "--warn=none"])
    with control.backend() as backend:
        encoding = MiterEncoding(backend)
        encoding.forbid(-goal(encoding))
        axioms(encoding)
    found: list[frozenset[Atom]] = []

    def keep(model: clingo.Model) -> None:
        found.append(_state(encoding.inputs, model))

    with control.solve(on_model=keep, async_=True) as handle:
        finished = handle.wait(seconds)
        handle.cancel()
        result = handle.get()
    if found:
        return MiterResult(MiterStatus.FOUND, found[0])
    return MiterResult(MiterStatus.NONE if finished and result.unsatisfiable else MiterStatus.UNKNOWN)


def _state(inputs: Mapping[Atom, int], model: clingo.Model) -> frozenset[Atom]:
    return frozenset(atom for atom, literal in inputs.items() if model.is_true(literal))
