"""Gates as operations on words: sums, digit by digit."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abl_cards.asp.completion import Body
from abl_cards.asp.terms import Atom
from abl_cards.circuit.compile import compile_circuit
from abl_cards.circuit.evaluation import evaluate


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 100))
@example([4, 4, 1], 5)  # no weight has the second digit
def test_sums_of_any_weights_equal_integer_sums(weights: list[int], bound: int) -> None:
    inputs = [(number, Atom("in", (number,))) for number in range(1, len(weights) + 1)]
    most = len(inputs) + 1
    equations = {most: [Body(tuple(number for number, _ in inputs), tuple(weights), bound)]}
    circuit = compile_circuit(equations, inputs, [(most, Atom("most", ()))])
    states = np.array(list(product((0, 1), repeat=len(inputs))), np.uint8).T
    rows = np.ascontiguousarray(states[[int(args[0]) - 1 for _, args in circuit.inputs]])
    assert np.array_equal(evaluate(circuit, rows)[0], weights @ states.astype(int) >= bound)


@pytest.mark.parametrize("states", [0, 1, 2, 63, 64, 65, 448, 513, 700, 5000])
def test_outputs_do_not_depend_on_the_number_of_states(states: int) -> None:
    """The outputs of a state depend on its inputs alone, and not on its block."""
    inputs = [(number, Atom("in", (number,))) for number in range(1, 6)]
    equations = {6: [Body((1, -2)), Body((3, 4))], 7: [Body((6, 5, 1), (1, 2, 1), 2)]}
    circuit = compile_circuit(equations, inputs, [(6, Atom("some", ())), (7, Atom("most", ()))])
    bits = np.random.default_rng(states).integers(0, 2, (5, states)).astype(np.uint8)
    one, two, three, four, five = (bits[int(args[0]) - 1] for _, args in sorted(circuit.inputs))
    either = (one & (1 - two)) | (three & four)
    most = either + 2 * five + one >= 2
    rows = np.ascontiguousarray(bits[[int(args[0]) - 1 for _, args in circuit.inputs]])
    assert np.array_equal(evaluate(circuit, rows), np.stack([either, most.astype(np.uint8)]))
    assert np.array_equal(evaluate(circuit, rows, threads=2), np.stack([either, most.astype(np.uint8)]))
