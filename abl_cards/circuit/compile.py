"""Compile a ground program to a circuit: order the atoms, propagate constants, build each gate once, prune."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from weakref import WeakValueDictionary

from abl_cards.asp import Atom, Body, Equations, check_stratified, load_or_compute, strong_components
from abl_cards.circuit.builder import CircuitBuilder
from abl_cards.circuit.circuit import FALSE, TRUE, Circuit
from abl_cards.circuit.circuit_io import MIN_CACHED_GATES, pack_circuit, unpack_circuit
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
    """Compile a circuit.

    Args:
        equations: Bodies by atom number.
        inputs: Atom numbers of the inputs, with their names.
        outputs: Atom numbers of the outputs, with their names.
        values: Atom numbers that are fixed, with their values.
        fixed_inputs: Inputs that were fixed, to be stored in the circuit.
        order: All atom numbers to compile, each after those that it depends on; by default it is computed.

    Returns:
        The circuit of the outputs.

    Raises:
        NotStratified: An atom that an output depends on depends on its own negation.
    """
    free_inputs = [(number, name) for number, name in inputs if number not in (values or {})]
    builder = CircuitBuilder(len(free_inputs))
    literals = {number: TRUE if value else FALSE for number, value in (values or {}).items()}
    literals.update({number: 2 * (1 + row) for row, (number, _) in enumerate(free_inputs)})
    compiler = _Compiler(equations, builder, literals)
    if order is None:
        compiler.compile_atoms(abs(number) for number, _ in outputs)
    else:
        compiler.compile_ordered(order)
    roots = [compiler.literal(number) for number, _ in outputs]
    return build_pruned_circuit(
        builder, [name for _, name in free_inputs], [name for _, name in outputs], roots, fixed_inputs or {}
    )


_specialise_cache: WeakValueDictionary[bytes, Circuit] = WeakValueDictionary()
"""Specialised circuits that are still in use, by the digest of their content and the fixed values.

After an edit of the rules most circuits are equal to those before, so they are reused.
"""
_latest: deque[Circuit] = deque(maxlen=16)
"""The latest results, kept in use: most events of a game fix a circuit alike, and nothing else keeps empty circuits."""


def specialise_circuit(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    """Fix inputs of a circuit; equal circuits with equal values share the result.

    Args:
        circuit: Circuit to specialise.
        values: Inputs with their values.

    Returns:
        The smaller circuit, with equal outputs.
    """
    fixed = repr(sorted(((name, bool(value)) for name, value in values.items()), key=repr))
    key = circuit.digest + fixed.encode()
    specialised = _specialise_cache.get(key)
    if specialised is None:
        specialised = _specialise_cache[key] = _load_or_specialise(circuit, values, key)
        _latest.append(specialised)
    return specialised


def _load_or_specialise(circuit: Circuit, values: Mapping[Atom, bool], key: bytes) -> Circuit:
    if circuit.num_gates < MIN_CACHED_GATES:
        return _specialise(circuit, values)
    compute = partial(_specialise, circuit, values)
    specialised = load_or_compute(b"specialised" + key, compute, pack_circuit, unpack_circuit)
    return replace(specialised, fixed_inputs={**circuit.fixed_inputs, **values})


def _specialise(circuit: Circuit, values: Mapping[Atom, bool]) -> Circuit:
    inputs = [(1 + row, name) for row, name in enumerate(circuit.inputs)]
    fixed = {node: bool(values[name]) for node, name in inputs if name in values}
    constant = circuit.first_gate + circuit.num_gates  # unused number, for the constant node
    equations, settled = residual_equations(circuit, fixed, constant)
    outputs = [
        (to_body_literal(literal, constant), name)
        for literal, name in zip(circuit.output_literals.tolist(), circuit.outputs, strict=True)
    ]
    order = None if len(circuit.loops) else sorted(equations)  # gates are in topological order outside of loops
    return compile_circuit(equations, inputs, outputs, settled, {**circuit.fixed_inputs, **values}, order)


class _Compiler:
    """Assigns a literal of the builder to each atom, component by component."""

    def __init__(self, equations: Equations, builder: CircuitBuilder, literals: dict[int, int]) -> None:
        self.equations, self.builder, self.literals = equations, builder, literals

    def literal(self, number: int) -> int:
        """Return the builder's literal of a compiled body literal."""
        return self.literals[number] if number > 0 else self.literals[-number] ^ 1

    def compile_atoms(self, atoms: Iterable[int]) -> None:
        """Build the gates of atoms and of all atoms that they depend on."""
        for component in strong_components(atoms, self.dependencies):
            number = component[0]
            if number in self.literals:
                continue
            if len(component) == 1 and not self._is_self_recursive(number):
                self.compile_ordered(component)
            else:
                self._compile_recursive(component)

    def compile_ordered(self, atoms: Iterable[int]) -> None:
        """Build the gates of atoms, each after those that it depends on; an atom without rules is false."""
        for number in atoms:
            self.literals[number] = self.builder.disjunction(map(self._compile_body, self.equations.get(number, ())))

    def dependencies(self, number: int) -> list[int]:
        """Return the atoms that an atom depends on; none for one that is compiled."""
        if number in self.literals:
            return []
        return [abs(literal) for body in self.equations.get(number, ()) for literal in body.literals]

    def _is_self_recursive(self, number: int) -> bool:
        return any(number in body.literals or -number in body.literals for body in self.equations.get(number, ()))

    def _compile_body(self, body: Body) -> int:
        check_budget()
        literal_of = self.literals
        literals = [literal_of[number] if number > 0 else literal_of[-number] ^ 1 for number in body.literals]
        if body.weights:
            return self.builder.at_least(literals, body.weights, body.bound)
        return literals[0] if len(literals) == 1 else self.builder.conjunction(literals)

    def _compile_recursive(self, component: list[int]) -> None:
        """Assign the constant atoms of a component; the atoms that stay recursive become one loop of gates."""
        check_stratified(component, self.equations, self.dependencies)
        settled = fixpoint_constants(component, self.equations, self.literal)
        if settled:
            self.literals.update(settled)
            self.compile_atoms(component)
        else:
            loop = RecursiveComponent(component, self.equations, self.literal, self.builder.next_node())
            self.builder.add_loop(loop.gates)
            self.literals.update(loop.literals)
