"""Compare two circuits over all states: clingo finds a state in which they differ, or proves that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

import clingo

from abl_cards.asp import Atom
from abl_cards.circuit.circuit import AND, OR, Circuit

Axioms = Callable[["MiterEncoding"], None]
"""Adds constraints that hold in all possible states to an encoding."""


class MiterStatus(Enum):
    """Outcome of a search: a state was found, none exists, or the time ran out."""

    FOUND = "found"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class MiterResult:
    """Result of a search.

    Attributes:
        status: Its outcome.
        state: The true inputs of the state that was found.
    """

    status: MiterStatus
    state: frozenset[Atom] = frozenset()


class MiterEncoding:
    """Ground program under construction: it chooses the inputs, and derives the values of gates.

    Literals are clingo's: an atom number, negative when negated.

    Attributes:
        true: Atom that is always true.
        inputs: Atom number of each input.
    """

    def __init__(self, backend: clingo.Backend) -> None:
        """Begin a program with one atom, which is always true."""
        self._backend = backend
        self.true = self.new_atom()
        backend.add_rule([self.true])
        self.inputs: dict[Atom, int] = {}

    def new_atom(self) -> int:
        """Add an atom without a name, and return its number."""
        return self._backend.add_atom()

    def new_choice(self) -> int:
        """Add an atom that may be true or false, and return its number."""
        atom = self.new_atom()
        self._backend.add_rule([atom], choice=True)
        return atom

    def input_atom(self, atom: Atom) -> int:
        """Return the atom of an input, which all circuits share."""
        if atom not in self.inputs:
            self.inputs[atom] = self.new_choice()
        return self.inputs[atom]

    def all_of(self, body: Iterable[int]) -> int:
        """Add an atom that is true where all of these literals are."""
        return self._derive([list(body)])

    def any_of(self, literals: Iterable[int]) -> int:
        """Add an atom that is true where one of these literals is."""
        return self._derive([[literal] for literal in literals])

    def at_least(self, bound: int, weighted: Iterable[tuple[int, int]]) -> int:
        """Add an atom that is true where a weighted sum reaches a bound.

        Args:
            bound: Least sum.
            weighted: Literals with their weights.

        Returns:
            The number of the atom.
        """
        head = self.new_atom()
        self._backend.add_weight_rule([head], bound, list(weighted))
        return head

    def forbid(self, *body: int) -> None:
        """Add the constraint that these literals are not all true."""
        self._backend.add_rule([], list(body))

    def require_equal(self, first: int, second: int) -> None:
        """Add the constraint that two literals are both true or both false."""
        self.forbid(first, -second)
        self.forbid(-first, second)

    def require_one_of(self, literals: Iterable[int], at_least_one: bool = True) -> None:
        """Add the constraint that at most one of these literals is true, and with `at_least_one` exactly one."""
        weighted = [(literal, 1) for literal in literals]
        self._backend.add_weight_rule([], 2, weighted)
        if at_least_one:
            self.forbid(*(-literal for literal, _ in weighted))

    def encode_circuit(self, circuit: Circuit) -> dict[Atom, int]:
        """Add the gates of a circuit.

        Args:
            circuit: Circuit, whose inputs are shared with others by their atoms.

        Returns:
            The literal of each output.
        """
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
            positions = range(starts[gate], starts[gate + 1])
            body = [literal(literals[position]) for position in positions]
            if kind == AND:
                self._backend.add_rule(head, body)
            elif kind == OR:
                for operand in body:
                    self._backend.add_rule(head, [operand])
            else:
                self._backend.add_weight_rule(
                    head,
                    bound,
                    [(operand, weights[position]) for operand, position in zip(body, positions, strict=True)],
                )
        rows = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        return {atom: literal(number) for atom, number in rows}

    def _derive(self, bodies: Iterable[list[int]]) -> int:
        head = self.new_atom()
        for body in bodies:
            self._backend.add_rule([head], body)
        return head


def find_difference(first: Circuit, second: Circuit, axioms: Axioms, seconds: float) -> MiterResult:
    """Search for a state in which two circuits differ.

    Args:
        first: A circuit.
        second: A circuit; an output that one of the two lacks counts as false there.
        axioms: Constraints on the states.
        seconds: Time limit, in seconds.

    Returns:
        A state, or the proof that none exists.
    """

    def goal(encoding: MiterEncoding) -> int:
        first_literals, second_literals = encoding.encode_circuit(first), encoding.encode_circuit(second)
        differences = []
        for atom in dict.fromkeys([*first_literals, *second_literals]):
            first_literal, second_literal = (
                first_literals.get(atom, -encoding.true),
                second_literals.get(atom, -encoding.true),
            )
            differences += [
                encoding.all_of([first_literal, -second_literal]),
                encoding.all_of([-first_literal, second_literal]),
            ]
        return encoding.any_of(differences)

    return _search(goal, axioms, seconds)


def find_state_with(circuit: Circuit, output: Atom, axioms: Axioms, seconds: float) -> MiterResult:
    """Search for a state in which an output of a circuit is true.

    Args:
        circuit: The circuit.
        output: One of its outputs.
        axioms: Constraints on the states.
        seconds: Time limit, in seconds.

    Returns:
        A state, or the proof that none exists.
    """
    return _search(lambda encoding: encoding.encode_circuit(circuit)[output], axioms, seconds)


def _search(goal: Callable[[MiterEncoding], int], axioms: Axioms, seconds: float) -> MiterResult:
    control = clingo.Control(["--models=1", "--warn=none"])
    with control.backend() as backend:
        encoding = MiterEncoding(backend)
        encoding.forbid(-goal(encoding))
        axioms(encoding)
    states: list[frozenset[Atom]] = []

    def on_model(model: clingo.Model) -> None:
        states.append(_state(encoding.inputs, model))

    with control.solve(on_model=on_model, async_=True) as handle:
        finished = handle.wait(seconds)
        handle.cancel()
        result = handle.get()
    if states:
        return MiterResult(MiterStatus.FOUND, states[0])
    return MiterResult(MiterStatus.NONE if finished and result.unsatisfiable else MiterStatus.UNKNOWN)


def _state(inputs: Mapping[Atom, int], model: clingo.Model) -> frozenset[Atom]:
    return frozenset(atom for atom, literal in inputs.items() if model.is_true(literal))
