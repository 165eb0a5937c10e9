"""Merged inputs and packed outputs: values equal those of a plain evaluation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.asp.completion import Body
from abl_cards.asp.terms import Atom
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.compile import compile_circuit
from abl_cards.circuit.evaluation import CircuitInputs, evaluate, evaluate_packed
from abl_cards.circuit.merge import merge_inputs

INPUTS = 8


@st.composite
def circuits(draw: st.DrawFn) -> Circuit:
    """Draw a circuit over eight inputs, with conjunctions, disjunctions and sums of inputs and earlier gates."""
    equations, outputs = {}, []
    for atom in range(INPUTS + 1, INPUTS + 2 + draw(st.integers(0, 6))):
        literal = st.integers(1, atom - 1).flatmap(lambda number: st.sampled_from([number, -number]))
        bodies = [Body(tuple(dict.fromkeys(draw(st.lists(literal, min_size=1, max_size=4))))) for _ in range(2)]
        if draw(st.booleans()):
            bodies += [Body((number,)) for number in range(1, 4)]  # alternatives alike
        if draw(st.booleans()):
            bodies.append(Body((1, 2, -3), (1, 2, 1), 2))
        equations[atom] = bodies
        outputs.append((atom, Atom("out", (atom,))))
    return compile_circuit(equations, [(number, Atom("in", (number,))) for number in range(1, INPUTS + 1)], outputs)


def _all_rows(circuit: Circuit) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    states = np.arange(1 << len(circuit.inputs))
    return np.stack(
        [(states >> row & 1).astype(np.uint8) for row in range(len(circuit.inputs))] or [states[:0].astype(np.uint8)]
    )


@given(circuits(), st.sets(st.integers(0, INPUTS - 1)))
def test_merged_inputs_keep_the_outputs(circuit: Circuit, rows: set[int]) -> None:
    mergeable = sorted(row for row in rows if row < len(circuit.inputs))
    merged, new_row = merge_inputs(circuit, mergeable)
    values = _all_rows(circuit)
    merged_values = np.zeros((len(merged.inputs), values.shape[1]), np.uint8)
    np.maximum.at(merged_values, new_row, values)
    assert np.array_equal(evaluate(merged, merged_values), evaluate(circuit, values))
    removed = np.flatnonzero(np.bincount(new_row, minlength=len(merged.inputs)) > 1)
    assert {row for row, new in enumerate(new_row) if new in removed} <= set(mergeable)


def test_alternative_inputs_are_merged() -> None:
    inputs = [(number, Atom("in", (number,))) for number in range(1, 7)]
    equations = {7: [Body((1,)), Body((2,)), Body((3,)), Body((4, 5))], 8: [Body((-1, -2, -3, 6))], 9: [Body((-4, 1))]}
    outputs = [(number, Atom("out", (number,))) for number in (7, 8)]
    circuit = compile_circuit(equations, inputs, outputs)
    merged, new_row = merge_inputs(circuit, range(6))
    assert [str(atom) for atom in merged.inputs] == ["in(1)", "in(4)", "in(5)", "in(6)"]
    assert new_row.tolist() == [0, 0, 0, 1, 2, 3]
    assert merge_inputs(circuit, [0])[0] is circuit
    apart = compile_circuit(equations, inputs, [*outputs, (9, Atom("out", (9,)))])
    assert [str(atom) for atom in merge_inputs(apart, range(6))[0].inputs if str(atom) < "in(4)"] == ["in(1)", "in(2)"]


@pytest.mark.parametrize("states", [1, 2, 64, 65, 512, 513, 700, 5000, 70_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_packed_outputs_equal_byte_outputs(states: int, threads: int) -> None:
    inputs = [(number, Atom("in", (number,))) for number in range(1, 6)]
    equations = {6: [Body((1, -2)), Body((3, 4))], 7: [Body((6, 5, 1), (1, 2, 1), 2)], 8: [Body(())], 9: []}
    outputs = [(number, Atom("out", (number,))) for number in (6, 7, 8, 9, 1)]
    circuit = compile_circuit(equations, inputs, outputs)
    rows = np.random.default_rng(states).integers(0, 2, (len(circuit.inputs), states)).astype(np.uint8)
    slots, none = np.arange(len(rows), dtype=np.int32), np.empty((0, states), np.int32)
    expected = evaluate(circuit, rows)
    out, packed = evaluate_packed(circuit, CircuitInputs(rows, slots, none), lambda lo, hi: None, slice(1, 5), threads)
    assert np.array_equal(out, expected[:1])
    assert np.array_equal(packed.unpack(), expected[1:5])
    some = np.arange(0, states, 3)
    assert np.array_equal(packed.select(some).unpack(), expected[1:5, some])
