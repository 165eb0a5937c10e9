"""Gates as operations on words: sums, digit by digit."""

from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from abl_cards.logic import Atom, evaluate
from abl_cards.logic.compile import compile_equations
from abl_cards.logic.equations import Body


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 100))
@example([4, 4, 1], 5)  # no weight has the second digit
def test_sums_of_any_weights(weights: list[int], bound: int) -> None:
    inputs = [(number, Atom("in", (number,))) for number in range(1, len(weights) + 1)]
    most = len(inputs) + 1
    equations = {most: [Body(tuple(number for number, _ in inputs), tuple(weights), bound)]}
    circuit = compile_equations(equations, inputs, [(most, Atom("most", ()))])
    states = np.array(list(product((0, 1), repeat=len(inputs))), np.uint8).T
    rows = np.ascontiguousarray(states[[int(args[0]) - 1 for _, args in circuit.inputs]])
    assert np.array_equal(evaluate(circuit, rows)[0], weights @ states.astype(int) >= bound)
