"""From a ground program to a circuit: order the atoms, propagate constants, build each gate once, drop the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from weakref import WeakValueDictionary

from abl_cards.asp import Atom, Body, Equations, check_stratified, strong_components
from abl_cards.circuit.builder import CircuitBuilder
from abl_cards.circuit.circuit import FALSE, TRUE, Circuit
from abl_cards.circuit.prune import build_pruned_circuit
from abl_cards.circuit.recursion import RecursiveComponent, fixpoint_constants
from abl_cards.circuit.specialise import residual_equations, to_body_literal
from abl_cards.core import check_budget, pause_gc


@pause_gc()
def compile_circuit(
    equations: Equations,
    inputs: Sequence[tuple[int, Atom]],
    outputs: Sequence[tuple[int, Atom]],
    values: Mapping[int, bool] | None = None,
    fixed_inputs: Mapping[Atom, bool] | None = None,
    order: Iterable[int] | None = None,
) -> Circuit:
    """The circuit of the outputs (atom numbers with their names), with some atoms fixed to values.

    Who knows an order in which each atom comes after what it depends on may say so.

    Raises NotStratified when an atom that matters depends on its own negation.
    """
    free = [(number, name) for number, name in inputs if number not in (values or {})]
    builder = CircuitBuilder(len(free))
    known = {number: TRUE if value else FALSE for number, value in (values or {}).items()}
    known.update({number: 2 * (1 + row) for row, (number, _) in enumerate(free)})
    compiler = _Compiler(equations, builder, known)
    if order is None:
        compiler.compile_atoms(abs(number) for number, _ in outputs)
    else:
        compiler.compile_ordered(order)
    roots = [compiler.literal(number) for number, _ in outputs]
    return build_pruned_circuit(
        builder, [name for _, name in free], [name for _, name in outputs], roots, fixed_inputs or {}
    )


_specialise_cache: WeakValueDictionary[bytes, Circuit] = WeakValueDictionary()
"""What somebody still holds, by what it was made of: of edited rules most circuits are those of the rules before."""


def specialise_circuit(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    """See Circuit.specialise."""
    fixed = repr(sorted(((name, bool(true)) for name, true in values.items()), key=repr))
    key = circuit.digest + fixed.encode()
    found = _specialise_cache.get(key)
    if found is None:
        found = _specialise_cache[key] = _specialise(circuit, values)
    return found


def _specialise(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    inputs = [(1 + row, name) for row, name in enumerate(circuit.inputs)]
    fixed = {node: bool(values[name]) for node, name in inputs if name in values}
    constant = circuit.first_gate + circuit.num_gates  # a number of its own for the node true
    equations, settled = residual_equations(circuit, fixed, constant)
    outputs = [
        (to_body_literal(literal, constant), name)
        for literal, name in zip(circuit.output_literals.tolist(), circuit.outputs, strict=True)
    ]
    order = None if len(circuit.loops) else sorted(equations)  # gates lie in topological order, but for loops
    return compile_circuit(equations, inputs, outputs, settled, {**circuit.fixed_inputs, **values}, order)


class _Compiler:
    """Gives every atom a literal of the builder, component by component."""

    def __init__(self, equations: Equations, builder: CircuitBuilder, literals: dict[int, int]) -> None:
        self.equations, self.builder, self.literals = equations, builder, literals

    def literal(self, number: int) -> int:
        """The builder's literal of a body literal; an atom without rules is false."""
        return self.literals[number] if number > 0 else self.literals[-number] ^ 1

    def compile_atoms(self, atoms: Iterable[int]) -> None:
        """Build the gates of these atoms and of everything that they depend on."""
        for component in strong_components(atoms, self.dependencies):
            number = component[0]
            if number in self.literals:
                continue
            if len(component) == 1 and not self._is_self_recursive(number):
                self.compile_ordered(component)
            else:
                self._compile_recursive(component)

    def compile_ordered(self, atoms: Iterable[int]) -> None:
        """Build the gates of atoms of which each comes after all that it depends on."""
        for number in atoms:
            self.literals[number] = self.builder.disjunction(map(self._compile_body, self.equations.get(number, ())))

    def dependencies(self, number: int) -> list[int]:
        if number in self.literals:
            return []
        return [abs(literal) for body in self.equations.get(number, ()) for literal in body.literals]

    def _is_self_recursive(self, number: int) -> bool:
        return any(number in body.literals or -number in body.literals for body in self.equations.get(number, ()))

    def _compile_body(self, body: Body) -> int:
        check_budget()
        known = self.literals
        literals = [known[number] if number > 0 else known[-number] ^ 1 for number in body.literals]
        if body.weights:
            return self.builder.at_least(literals, body.weights, body.bound)
        return literals[0] if len(literals) == 1 else self.builder.conjunction(literals)

    def _compile_recursive(self, component: list[int]) -> None:
        """Settle the atoms that are constant; what stays recursive becomes one loop of gates."""
        check_stratified(component, self.equations, self.dependencies)
        settled = fixpoint_constants(component, self.equations, self.literal)
        if settled:
            self.literals.update(settled)
            self.compile_atoms(component)
        else:
            loop = RecursiveComponent(component, self.equations, self.literal, self.builder.next_node())
            self.builder.add_loop(loop.gates)
            self.literals.update(loop.literals)
