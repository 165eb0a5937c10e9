"""From a ground program to a circuit: order the atoms, propagate constants, build each gate once, drop the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from abl_cards.logic.builder import Builder, Gate
from abl_cards.logic.circuit import AND, FALSE, OR, SUM, TRUE, Circuit
from abl_cards.logic.graph import components
from abl_cards.logic.ground import WEIGHTED, GroundProgram
from abl_cards.logic.terms import Atom


class Body(NamedTuple):
    """One way to derive an atom; `weights` is empty for a conjunction. A negated literal is a negative atom number."""

    literals: tuple[int, ...]
    weights: tuple[int, ...] = ()
    bound: int = 0


Equations = dict[int, list[Body]]  # an atom is true when one of its bodies is


class NotStratified(ValueError):
    """Atoms that depend on their own negation; `loop` are their numbers, each depending on the next."""

    def __init__(self, loop: Sequence[int]) -> None:
        super().__init__(f"atoms {list(loop)} depend on their own negation")
        self.loop = tuple(loop)


def equations_of(ground: GroundProgram) -> Equations:
    """The rules of a ground program by head."""
    equations: Equations = {}
    literals, weights = ground.literals.tolist(), ground.weights.tolist()
    starts, bounds, kinds = ground.starts, ground.bounds, ground.kinds
    for rule, head in enumerate(ground.heads):
        first, end = starts[rule], starts[rule + 1]
        if kinds[rule] == WEIGHTED:
            body = Body(tuple(literals[first:end]), tuple(weights[first:end]), bounds[rule])
        else:
            body = Body(tuple(literals[first:end]))
        equations.setdefault(head, []).append(body)
    return equations


def compile_equations(
    equations: Equations,
    inputs: Sequence[tuple[int, Atom]],
    outputs: Sequence[tuple[int, Atom]],
    values: Mapping[int, bool] | None = None,
    assumed: Mapping[Atom, bool] | None = None,
) -> Circuit:
    """The circuit of the outputs (atom numbers with their names), with some input atoms fixed to values.

    Raises NotStratified when an atom that matters depends on its own negation.
    """
    free = [(number, name) for number, name in inputs if number not in (values or {})]
    builder = Builder(len(free))
    known = {number: TRUE if value else FALSE for number, value in (values or {}).items()}
    known.update({number: 2 * (1 + row) for row, (number, _) in enumerate(free)})
    compiler = _Compiler(equations, builder, known)
    compiler.add(abs(number) for number, _ in outputs)
    roots = [compiler.literal(number) for number, _ in outputs]
    return _pruned(builder, [name for _, name in free], [name for _, name in outputs], roots, assumed or {})


def require_stratified(equations: Equations, atoms: Iterable[int]) -> None:
    """Raises NotStratified when one of these atoms, or what it depends on, depends on its own negation."""
    compiler = _Compiler(equations, Builder(0), {})
    for component in components(atoms, compiler.dependencies):
        compiler.check_stratified(component)


def specialise(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    """See Circuit.specialise."""
    inputs = [(1 + row, name) for row, name in enumerate(circuit.inputs)]
    fixed = {node: bool(values[name]) for node, name in inputs if name in values}
    constant = circuit.first_gate + circuit.gates  # a number of its own for the node true
    equations = _gate_equations(circuit, constant)
    outputs = [
        (_signed(literal, constant), name)
        for literal, name in zip(circuit.output_literals.tolist(), circuit.outputs, strict=True)
    ]
    return compile_equations(equations, inputs, outputs, fixed, {**circuit.assumed, **values})


def _gate_equations(circuit: Circuit, constant: int) -> Equations:
    equations: Equations = {constant: [Body(())]}
    starts, kinds, bounds = circuit.starts.tolist(), circuit.kinds.tolist(), circuit.bounds.tolist()
    literals = [_signed(literal, constant) for literal in circuit.literals.tolist()]
    weights = circuit.weights.tolist()
    for gate, kind in enumerate(kinds):
        first, end = starts[gate], starts[gate + 1]
        body = tuple(literals[first:end])
        if kind == AND:
            bodies = [Body(body)]
        elif kind == OR:
            bodies = [Body((literal,)) for literal in body]
        else:
            bodies = [Body(body, tuple(weights[first:end]), bounds[gate])]
        equations[circuit.first_gate + gate] = bodies
    return equations


def _signed(literal: int, constant: int) -> int:
    node = literal >> 1 or constant
    return -node if literal & 1 else node


class _Compiler:
    """Gives every atom a literal of the builder, component by component."""

    def __init__(self, equations: Equations, builder: Builder, known: dict[int, int]) -> None:
        self.equations, self.builder, self.known = equations, builder, known

    def literal(self, number: int) -> int:
        """The builder's literal of a body literal; an atom without rules is false."""
        return self.known[number] if number > 0 else self.known[-number] ^ 1

    def add(self, atoms: Iterable[int]) -> None:
        """Build the gates of these atoms and of everything that they depend on."""
        for component in components(atoms, self.dependencies):
            number = component[0]
            if number in self.known:
                continue
            if len(component) == 1 and number not in self.dependencies(number):
                self.known[number] = self.builder.disjunction(map(self._body, self.equations.get(number, ())))
            else:
                self._recursive(component)

    def dependencies(self, number: int) -> list[int]:
        if number in self.known:
            return []
        return [abs(literal) for body in self.equations.get(number, ()) for literal in body.literals]

    def _body(self, body: Body) -> int:
        literals = [self.literal(number) for number in body.literals]
        return self.builder.at_least(literals, body.weights, body.bound) if body.weights else self._all(literals)

    def _all(self, literals: list[int]) -> int:
        return literals[0] if len(literals) == 1 else self.builder.conjunction(literals)

    def _recursive(self, component: list[int]) -> None:
        """Settle the atoms that are constant; what stays recursive becomes one loop of gates."""
        self.check_stratified(component)
        settled = self._constants(component)
        if settled:
            self.known.update(settled)
            self.add(component)
        else:
            loop = _Loop(component, self)
            self.builder.loop(loop.gates)
            self.known.update(loop.known)

    def check_stratified(self, component: list[int]) -> None:
        inside = set(component)
        for number in component:
            for body in self.equations.get(number, ()):
                negative = next((-literal for literal in body.literals if -literal in inside), None)
                if negative is not None:
                    raise NotStratified(self._path(negative, number, inside))

    def _path(self, start: int, goal: int, inside: set[int]) -> list[int]:
        """The shortest way from an atom to another one inside a component, goal first."""
        before = {start: start}
        queue = [start]
        for number in queue:
            for successor in self.dependencies(number):
                if successor in inside and successor not in before:
                    before[successor] = number
                    queue.append(successor)
        path = [goal]
        while path[-1] != start:
            path.append(before[path[-1]])
        return [path[0], *reversed(path[1:])]

    def _constants(self, component: list[int]) -> dict[int, int]:
        """Atoms whose value is the same whatever the open literals are: two least fixpoints."""
        certain = self._fixpoint(component, unknown=False)
        possible = self._fixpoint(component, unknown=True)
        return {
            number: TRUE if number in certain else FALSE
            for number in component
            if number in certain or number not in possible
        }

    def _fixpoint(self, component: list[int], unknown: bool) -> set[int]:
        inside, true = set(component), set[int]()

        def holds(literal: int) -> bool:
            if literal in inside:
                return literal in true
            value = self.literal(literal)
            return unknown if value > FALSE else value == TRUE

        def fires(body: Body) -> bool:
            if body.weights:
                weights = zip(body.literals, body.weights, strict=True)
                return sum(weight for literal, weight in weights if holds(literal)) >= body.bound
            return all(map(holds, body.literals))

        size = -1
        while size != len(true):
            size = len(true)
            true.update(
                number for number in component if number not in true and any(map(fires, self.equations[number]))
            )
        return true


class _Loop:
    """The gates of one recursive component. Literals between its atoms are positive, so values only ever rise."""

    def __init__(self, component: list[int], compiler: _Compiler) -> None:
        self.inside = set(component)
        self.compiler = compiler
        self.base = compiler.builder.next_node()
        ordered = component[::-1]  # dependencies tend to come first: fewer rounds
        bodies = {
            number: [b for b in map(self._reduced, compiler.equations[number]) if b is not None] for number in ordered
        }
        self.known: dict[int, int] = {}
        node = self.base
        for number in ordered:
            node += sum(not _single(body) for body in bodies[number])
            self.known[number] = 2 * node
            node += 1
        self.gates: list[Gate] = []
        for number in ordered:
            self._emit(bodies[number])

    def _reduced(self, body: Body) -> Body | None:
        """The body without the literals that are constant; None when it can never be true."""
        if body.weights:
            return body
        outside = {literal: self.compiler.literal(literal) for literal in body.literals if literal not in self.inside}
        if FALSE in outside.values():
            return None
        return Body(tuple(dict.fromkeys(literal for literal in body.literals if outside.get(literal) != TRUE)))

    def _emit(self, bodies: list[Body]) -> None:
        alternatives = []
        for body in bodies:
            literals = tuple(map(self._literal, body.literals))
            if _single(body):
                alternatives.append(literals[0])
                continue
            alternatives.append(2 * (self.base + len(self.gates)))
            self.gates.append(self._sum(body) if body.weights else Gate(AND, literals))
        self.gates.append(Gate(OR, tuple(alternatives)))

    def _sum(self, body: Body) -> Gate:
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
        return self.known[number] if number in self.inside else self.compiler.literal(number)


def _single(body: Body) -> bool:
    return len(body.literals) == 1 and not body.weights


def _pruned(
    builder: Builder, inputs: list[Atom], outputs: list[Atom], roots: list[int], assumed: Mapping[Atom, bool]
) -> Circuit:
    """The circuit without the gates and the inputs that no output depends on."""
    used = _reachable(builder, roots)
    kept_inputs = [row for row in range(len(inputs)) if used[1 + row]]
    kept_gates = [gate for gate in range(len(builder.gates)) if used[builder.first_gate + gate]]
    nodes = [0, *(1 + row for row in kept_inputs), *(builder.first_gate + gate for gate in kept_gates)]
    renumbered = np.zeros(len(used), np.int32)
    renumbered[nodes] = np.arange(len(nodes), dtype=np.int32)
    gates = [builder.gates[gate] for gate in kept_gates]
    loops = []
    position = {gate: index for index, gate in enumerate(kept_gates)}
    for first, end in builder.loops:
        if first in position:
            loops.append((position[first], position[end - 1] + 1))

    def renumber(literals: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        old = np.fromiter(literals, np.int32)
        return (2 * renumbered[old >> 1] + (old & 1)).astype(np.int32)

    return Circuit(
        inputs=tuple(inputs[row] for row in kept_inputs),
        outputs=tuple(outputs),
        output_literals=renumber(roots),
        kinds=np.array([gate.kind for gate in gates], np.int32),
        starts=np.cumsum([0, *(len(gate.literals) for gate in gates)], dtype=np.int32),
        literals=renumber(literal for gate in gates for literal in gate.literals),
        weights=np.array([w for gate in gates for w in gate.weights or (1,) * len(gate.literals)], np.int32),
        bounds=np.array([gate.bound for gate in gates], np.int32),
        loops=np.array(loops, np.int32).reshape(-1, 2),
        assumed=dict(assumed),
    )


def _reachable(builder: Builder, roots: list[int]) -> list[bool]:
    """[nodes] whether an output depends on the node; a loop is kept or dropped as a whole."""
    used = [False] * (builder.first_gate + len(builder.gates))
    for literal in roots:
        used[literal >> 1] = True
    firsts = {end - 1: first for first, end in builder.loops}
    gate = len(builder.gates) - 1
    while gate >= 0:
        first = firsts.get(gate, gate)
        if any(used[builder.first_gate + first : builder.first_gate + gate + 1]):
            for member in range(first, gate + 1):
                used[builder.first_gate + member] = True
                for literal in builder.gates[member].literals:
                    used[literal >> 1] = True
        gate = first - 1
    return used
