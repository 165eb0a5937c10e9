"""From a ground program to a circuit: order the atoms, propagate constants, build each gate once, drop the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from weakref import WeakValueDictionary

from abl_cards import garbage
from abl_cards.budget import tick
from abl_cards.logic.builder import Builder
from abl_cards.logic.circuit import FALSE, TRUE, Circuit
from abl_cards.logic.equations import Body, Equations
from abl_cards.logic.fixing import open_gates, signed
from abl_cards.logic.graph import components
from abl_cards.logic.loops import Loop, constants
from abl_cards.logic.prune import pruned
from abl_cards.logic.strata import check_stratified
from abl_cards.logic.terms import Atom


@garbage.none_made()
def compile_equations(
    equations: Equations,
    inputs: Sequence[tuple[int, Atom]],
    outputs: Sequence[tuple[int, Atom]],
    values: Mapping[int, bool] | None = None,
    assumed: Mapping[Atom, bool] | None = None,
    order: Iterable[int] | None = None,
) -> Circuit:
    """The circuit of the outputs (atom numbers with their names), with some atoms fixed to values.

    Who knows an order in which each atom comes after what it depends on may say so.

    Raises NotStratified when an atom that matters depends on its own negation.
    """
    free = [(number, name) for number, name in inputs if number not in (values or {})]
    builder = Builder(len(free))
    known = {number: TRUE if value else FALSE for number, value in (values or {}).items()}
    known.update({number: 2 * (1 + row) for row, (number, _) in enumerate(free)})
    compiler = _Compiler(equations, builder, known)
    if order is None:
        compiler.add(abs(number) for number, _ in outputs)
    else:
        compiler.add_in_order(order)
    roots = [compiler.literal(number) for number, _ in outputs]
    return pruned(builder, [name for _, name in free], [name for _, name in outputs], roots, assumed or {})


_specialised: WeakValueDictionary[bytes, Circuit] = WeakValueDictionary()
"""What somebody still holds, by what it was made of: of edited rules most circuits are those of the rules before."""


def specialise(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    """See Circuit.specialise."""
    fixed = repr(sorted(((name, bool(true)) for name, true in values.items()), key=repr))
    key = circuit.digest + fixed.encode()
    found = _specialised.get(key)
    if found is None:
        found = _specialised[key] = _specialise(circuit, values)
    return found


def _specialise(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    inputs = [(1 + row, name) for row, name in enumerate(circuit.inputs)]
    fixed = {node: bool(values[name]) for node, name in inputs if name in values}
    constant = circuit.first_gate + circuit.gates  # a number of its own for the node true
    equations, settled = open_gates(circuit, fixed, constant)
    outputs = [
        (signed(literal, constant), name)
        for literal, name in zip(circuit.output_literals.tolist(), circuit.outputs, strict=True)
    ]
    order = None if len(circuit.loops) else sorted(equations)  # gates lie in topological order, but for loops
    return compile_equations(equations, inputs, outputs, settled, {**circuit.assumed, **values}, order)


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
            if len(component) == 1 and not self._of_itself(number):
                self.add_in_order(component)
            else:
                self._recursive(component)

    def add_in_order(self, atoms: Iterable[int]) -> None:
        """Build the gates of atoms of which each comes after all that it depends on."""
        for number in atoms:
            self.known[number] = self.builder.disjunction(map(self._body, self.equations.get(number, ())))

    def dependencies(self, number: int) -> list[int]:
        if number in self.known:
            return []
        return [abs(literal) for body in self.equations.get(number, ()) for literal in body.literals]

    def _of_itself(self, number: int) -> bool:
        return any(number in body.literals or -number in body.literals for body in self.equations.get(number, ()))

    def _body(self, body: Body) -> int:
        tick()
        known = self.known
        literals = [known[number] if number > 0 else known[-number] ^ 1 for number in body.literals]
        if body.weights:
            return self.builder.at_least(literals, body.weights, body.bound)
        return literals[0] if len(literals) == 1 else self.builder.conjunction(literals)

    def _recursive(self, component: list[int]) -> None:
        """Settle the atoms that are constant; what stays recursive becomes one loop of gates."""
        check_stratified(component, self.equations, self.dependencies)
        settled = constants(component, self.equations, self.literal)
        if settled:
            self.known.update(settled)
            self.add(component)
        else:
            loop = Loop(component, self.equations, self.literal, self.builder.next_node())
            self.builder.loop(loop.gates)
            self.known.update(loop.known)
