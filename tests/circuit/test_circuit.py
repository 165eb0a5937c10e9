"""Circuits: pruning, specialising, caching, and errors of invalid input tables."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import numpy as np
import pytest
import torch

from abl_cards.asp.completion import Body, NotStratified
from abl_cards.asp.terms import Atom
from abl_cards.circuit.compile import compile_circuit
from abl_cards.circuit.evaluation import evaluate, get_bytecode
from abl_cards.circuit.torch_backend import evaluate_torch
from tests.asp.conftest import Load

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\n"


def test_circuit_keeps_only_relevant_inputs(load: Load) -> None:
    kb = load(DECLARATION + "p(R) :- held(R,1), not held(R,2). q :- p(1). r :- held(3,1).")
    circuit = kb.circuit("q/0")
    assert circuit.inputs == (("held", (1, 1)), ("held", (1, 2)))
    assert circuit.outputs == (("q", ()),)
    assert circuit.input_rows("held", 2) == {(1, 1): 0, (1, 2): 1}
    assert circuit.output_rows("q", 0) == {(): 0}
    assert circuit.output_rows("r", 0) == circuit.input_rows("wild", 1) == {}
    assert circuit.stats.gates == 1


def test_constant_outputs_keep_their_rows(load: Load) -> None:
    kb = load(DECLARATION + "p(1). p(2) :- held(1,1). p(3) :- held(1,1), held(2,1).")
    circuit = kb.circuit("p/1").specialise({Atom("held", (1, 1)): False})
    assert circuit.inputs == ()
    assert circuit.fixed_inputs == {("held", (1, 1)): False}
    assert circuit.output_rows("p", 1) == {(1,): 0, (2,): 1, (3,): 2}
    rows = np.zeros((0, 70), np.uint8)
    assert evaluate(circuit, rows).tolist() == [[1] * 70, [0] * 70, [0] * 70]
    assert evaluate_torch(circuit, torch.from_numpy(rows)).tolist() == [[1] * 70, [0] * 70, [0] * 70]


def test_equal_bodies_share_a_gate(load: Load) -> None:
    kb = load(DECLARATION + "p(X) :- held(1,1), held(2,1), X = 1..9.")
    assert kb.circuit("p/1").stats.gates == 1


def test_trivial_sums_become_plain_gates(load: Load) -> None:
    text = "p :- 1 <= #count { R : held(R,1) }. q :- 3 <= #count { R : held(R,1) }. r :- #sum { R : held(R,1) } < 0."
    stats = load(DECLARATION + text).circuit("p/0", "q/0").stats
    assert (stats.gates, stats.literals, stats.depth) == (2, 6, 1)


def test_constant_input_removes_a_loop(load: Load) -> None:
    text = "edge(1,2). edge(2,3). edge(3,1). on(R) :- held(R,1). on(Y) :- on(X), edge(X,Y), held(X,2)."
    circuit = load(DECLARATION + text).circuit("on/1")
    assert circuit.stats.loops == 1
    opened = circuit.specialise({Atom("held", (1, 2)): False})
    assert opened.stats.loops == 0
    rows = np.ones((len(opened.inputs), 1), np.uint8)
    assert evaluate(opened, rows).tolist() == [[1], [1], [1]]


def test_long_chains_compile_without_recursion(load: Load) -> None:
    text = "p(0) :- held(1,1), held(2,1). p(X+1) :- p(X), held(1+X\\3,1), X < 5000."
    kb = load(DECLARATION + text)
    circuit = kb.circuit("p/1")
    assert evaluate(circuit, np.ones((len(circuit.inputs), 1), np.uint8)).all()


def test_negative_loops_raise_with_their_atoms() -> None:
    equations = {1: [Body((2,))], 2: [Body((3,))], 3: [Body((-1, 9))], 4: [Body((1,))]}
    with pytest.raises(NotStratified) as caught:
        compile_circuit(equations, [(9, Atom("held", (1, 1)))], [(4, Atom("p"))])
    assert caught.value.loop == (3, 1, 2)


Evaluate = Callable[[np.ndarray], object]


def test_invalid_input_tables_raise(load: Load) -> None:
    circuit = load(DECLARATION + "p(R) :- held(R,1), held(R,2).").circuit("p/1")
    evaluators: list[Evaluate] = [
        lambda rows: evaluate(circuit, rows),
        lambda rows: evaluate_torch(circuit, torch.from_numpy(rows)),
    ]
    for run in evaluators:
        for wrong in (np.zeros((5, 3), np.uint8), np.zeros((6, 3), np.int32), np.zeros(6, np.uint8)):
            with pytest.raises(ValueError, match=r"rows must be uint8\[6, states\], not"):
                run(wrong)
        assert run(np.zeros((6, 3), np.bool_)) is not None
        with pytest.raises(ValueError, match="rows must be 0 or 1, not 255"):
            run(np.full((6, 3), 255, np.uint8))
    with pytest.raises(ValueError, match=r"out must be uint8\[3, 4\]"):
        evaluate(circuit, np.zeros((6, 4), np.uint8), np.zeros((3, 5), np.uint8))


def test_false_outputs_can_be_removed(load: Load) -> None:
    kb = load(DECLARATION + "p(1). p(2) :- held(1,1). p(3) :- held(2,1).")
    circuit = kb.circuit("p/1").specialise({Atom("held", (1, 1)): False}).without_false_outputs()
    assert circuit.output_rows("p", 1) == {(1,): 0, (3,): 1}
    assert evaluate(circuit, np.array([[0, 1, 0]], np.uint8)).tolist() == [[1, 1, 1], [0, 1, 0]]


def test_outputs_false_in_a_whole_block_are_zero(load: Load) -> None:
    """Literals are plain and negated, in full blocks and in partial ones."""
    circuit = load(DECLARATION + "p :- held(1,1). q :- not held(1,1).").circuit("p/0", "q/0")
    for states in (1, 64, 100, 512, 700):
        for truth in (0, 1):
            rows = np.full((1, states), truth, np.uint8)
            assert evaluate(circuit, rows).tolist() == [[truth] * states, [1 - truth] * states]


def test_equal_circuits_are_compiled_once(load: Load) -> None:
    """After an edit most circuits are reused."""
    text = DECLARATION + "q :- held(1,1), not held(2,1). q :- held(3,1). r :- held(2,1)."
    first, again = load(text).circuit("q/0"), load(text + " other :- held(1,1).").circuit("q/0")
    assert first is not again
    assert first.digest == again.digest
    fixed = {Atom("held", (1, 1)): True}
    assert first.specialise(fixed) is again.specialise(dict(fixed))
    assert first.specialise(fixed) is not first.specialise({Atom("held", (1, 1)): False})
    assert get_bytecode(first) is get_bytecode(again)


def test_latest_circuits_are_kept(load: Load) -> None:
    """Events that fix a circuit alike compile it once, even if nothing else uses the result."""
    circuit = load(DECLARATION + "q :- held(1,1), held(2,1).").circuit("q/0")
    fixed = {Atom("held", (1, 1)): False}
    latest = ref(circuit.specialise(fixed))
    assert latest() is circuit.specialise(fixed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("q :- held(1,1), held(2,1).", "q :- held(1,1). q :- held(2,1)."),
        ("q :- held(1,1), held(2,1).", "q :- held(1,1), not held(2,1)."),
        ("q :- held(1,1), held(2,1).", "q :- held(1,1), held(3,1)."),
        ("q :- 2 { held(1..3,1) }.", "q :- 1 { held(1..3,1) }."),
        ("q :- #sum { R,R : held(R,1) } > 3.", "q :- #sum { R*R,R : held(R,1) } > 3."),
    ],
)
def test_different_circuits_have_different_digests(load: Load, one: str, other: str) -> None:
    """They depend on gates and on names."""
    assert load(DECLARATION + one).circuit("q/0").digest != load(DECLARATION + other).circuit("q/0").digest


def test_different_outputs_and_assumptions_give_different_circuits(load: Load) -> None:
    kb = load(DECLARATION + "q :- held(1,1), held(2,1). s :- held(1,1), held(2,1).")
    circuit = kb.circuit("q/0")
    assumed = [circuit.specialise({Atom("held", (3, 1)): true}) for true in (True, False)]
    assert len({variant.digest for variant in (circuit, kb.circuit("s/0"), *assumed)}) == 4
