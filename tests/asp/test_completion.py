"""Circuits of random equations agree with the equations, also with fixed inputs and in bots."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abl_cards.asp.completion import Body
from abl_cards.asp.terms import Atom
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.compile import compile_circuit
from abl_cards.circuit.evaluation import evaluate
from abl_cards.protocols.botzone import bot_runtime
from abl_cards.protocols.botzone.bot_data import circuit_to_json
from tests.effort import amount

INPUTS = (1, 2, 3)
STATES = np.array(list(product((0, 1), repeat=len(INPUTS))), np.uint8).T
Layers = list[dict[int, list[Body]]]


@st.composite
def bodies(draw: st.DrawFn, below: list[int], own: list[int]) -> Body:
    """A conjunction or a sum over atoms and their negations, and over atoms of the same layer."""
    open_ = [*below, *(-number for number in below), *own, *own]
    literals = tuple(draw(st.lists(st.sampled_from(open_), max_size=5)))
    if not literals or draw(st.booleans()):
        return Body(literals)
    weights = tuple(draw(st.sampled_from([1, 1, 2, 3, 4, 8, 100])) for _ in literals)
    return Body(literals, weights, draw(st.integers(0, sum(weights) + 1)))


@st.composite
def layers(draw: st.DrawFn) -> Layers:
    """Draw equations by layers; equations of one layer may depend on each other without negation."""
    below, result = list(INPUTS), []
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
        group = list(range(below[-1] + 1, below[-1] + 1 + size))
        own = group if draw(st.booleans()) else []
        result.append({number: draw(st.lists(bodies(below, own), max_size=3)) for number in group})
        below += group
    return result


def values(equations: Layers) -> dict[int, NDArray[np.bool_]]:
    """The least values of all atoms in all states, layer by layer."""
    known = {number: STATES[number - 1] > 0 for number in INPUTS}

    def holds(body: Body) -> NDArray[np.bool_]:
        literals = np.array([known[x] if x > 0 else ~known[-x] for x in body.literals], bool).reshape(-1, 8)
        weights, bound = body.weights or (1,) * len(literals), body.bound if body.weights else len(literals)
        reached: NDArray[np.bool_] = np.array(weights, int) @ literals >= bound
        return reached

    for layer in equations:
        known |= {number: np.zeros(STATES.shape[1], bool) for number in layer}
        for _ in layer:  # a round makes one more atom true at least, where there is one
            for number, atom_bodies in layer.items():
                for body in atom_bodies:
                    known[number] = known[number] | holds(body)
    return known


def agree(circuit: Circuit, expected: dict[int, NDArray[np.bool_]], states: NDArray[np.bool_]) -> None:
    rows = np.ascontiguousarray(STATES[[int(args[0]) - 1 for _, args in circuit.inputs]][:, states])
    outputs = np.array([expected[int(args[0])][states] for _, args in circuit.outputs], np.uint8)
    assert np.array_equal(evaluate(circuit, rows), outputs)
    columns = rows.shape[1]
    inputs = [sum(int(value) << place for place, value in enumerate(row)) for row in rows]
    bits = bot_runtime.evaluate(circuit_to_json(circuit), inputs, columns)
    assert bits == [sum(int(value) << place for place, value in enumerate(row)) for row in outputs]


# In a loop, a sum of nothing but what is always false: fixing an input made it true.
EMPTY = [{4: [Body((1, -1))]}, {5: [Body((4,), (1,), 1), Body((5, 2), (1, 1), 1)]}]


@settings(max_examples=amount(8, 50, 2_000))
@given(layers(), st.dictionaries(st.sampled_from(INPUTS), st.booleans()))
@example(EMPTY, {})
def test_circuits_equal_the_equations(equations: Layers, fixed: dict[int, bool]) -> None:
    expected = values(equations)
    flat = {number: atom_bodies for layer in equations for number, atom_bodies in layer.items()}
    inputs = [(number, Atom("in", (number,))) for number in INPUTS]
    circuit = compile_circuit(flat, inputs, [(number, Atom("p", (number,))) for number in [*INPUTS, *flat]])
    every = np.ones(STATES.shape[1], bool)
    agree(circuit, expected, every)
    for number, value in fixed.items():
        circuit = circuit.specialise({Atom("in", (number,)): value})
        every &= STATES[number - 1] == value
        agree(circuit, expected, every)
    agree(circuit.specialise({}), expected, every)
