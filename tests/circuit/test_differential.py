"""The circuit, on numba and on torch, answers what clingo answers: on random programs and random states."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Atom
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.evaluation import evaluate, scores
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.oracle import Oracle, true_atoms, verify
from abl_cards.circuit.proofs import ProofFinder
from abl_cards.circuit.torch_backend import evaluate_torch
from abl_cards.core.errors import ErrorCode
from tests.circuit.chains import claims
from tests.circuit.programs import INPUTS, OUTPUTS, programs
from tests.effort import amount

PROGRAMS = amount(6, 50, 2_000)
ALL = [*(f"{name}/{arity}" for name, arity in OUTPUTS), "cost/2", "violated/1"]


def load_text(text: str, folder: Path | None = None) -> KnowledgeBase:
    """A knowledge base whose file stays in the folder, if there is one."""
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return load_text(text, Path(temporary))
    file = folder / "rules.lp"
    file.write_text(text)
    try:
        kb = KnowledgeBase.load([file], inputs=INPUTS, outputs=OUTPUTS, cache=False)
    except KBError as refusal:
        assume(all(problem.code != ErrorCode.ALWAYS_VIOLATED for problem in refusal.diagnostics))
        raise
    kb.__dict__["oracle"] = Oracle(kb)  # while the file is there
    return kb


def random_rows(circuit: Circuit, states: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (len(circuit.inputs), states), np.uint8)


def agree(kb: KnowledgeBase, circuit: Circuit, rows: np.ndarray) -> None:
    """Numba, torch and clingo give one answer."""
    out = evaluate(circuit, rows)
    assert np.array_equal(evaluate_torch(circuit, torch.from_numpy(rows)).numpy(), out)
    assert verify(kb, circuit, rows, kb.__dict__["oracle"]) == []


@settings(max_examples=PROGRAMS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(programs(), st.integers(0, 2**32), st.integers(1, 70))
def test_random_programs_equal_clingo(text: str, seed: int, states: int) -> None:
    kb = load_text(text)
    circuit = kb.circuit(*ALL)
    agree(kb, circuit, random_rows(circuit, states, seed))


@settings(max_examples=PROGRAMS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(programs(), st.integers(0, 2**32), st.integers(0, 99))
def test_proofs_of_random_programs_equal_clingo(text: str, seed: int, output: int) -> None:
    """Proofs state the true value of each atom, also in states that violate a constraint."""
    with tempfile.TemporaryDirectory() as folder:
        kb = load_text(text, Path(folder))
        circuit = kb.circuit(*ALL)
        assume(circuit.outputs)
        rows = random_rows(circuit, 1, seed)
        values = zip(map(str, circuit.outputs), evaluate(circuit, rows)[:, 0].tolist(), strict=True)
        expected = {name: bool(value) for name, value in values}
        reasons = ProofFinder(kb, true_atoms(rows, circuit.inputs, 0))
        why = reasons.explain(circuit.outputs[output % len(circuit.outputs)])
        assert why.rule or why.kind == "fact"
        assert [name for name, holds in claims(why) if expected.get(name, holds) != holds] == []


@settings(max_examples=PROGRAMS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(programs(), st.integers(0, 2**32), st.data())
def test_specialised_and_pruned_circuits_equal_the_original(text: str, seed: int, data: st.DataObject) -> None:
    kb = load_text(text)
    circuit = kb.circuit(*ALL)
    fixed = data.draw(st.dictionaries(st.sampled_from(circuit.inputs), st.booleans())) if circuit.inputs else {}
    special = circuit.specialise(fixed)
    assert not set(special.inputs) & set(fixed)
    agree(kb, special, random_rows(special, 10, seed))
    pruned = kb.circuit("p2/1", "cost/2")
    agree(kb, pruned, random_rows(pruned, 10, seed))


@settings(max_examples=amount(15, 50, 2_000))
@given(st.integers(0, 2**32), st.integers(0, 5000))
def test_results_do_not_depend_on_blocks_threads_or_strides(seed: int, states: int) -> None:
    """Single states, many states, several threads and a strided table give equal bytes."""
    text = """
        #external in(X,N) : X = 1..3, N = 1..2.
        p0(X) :- in(X,1), #sum { N,Y : in(Y,N) } >= 4.   p0(X) :- p0(Y), in(X,2), Y != X.
        p1(X) :- not p0(X), in(X,_).   p2(1). p3(1) :- in(1,1). p4(9) :- in(1,1), not in(1,1).
    """
    kb = load_text(text)
    circuit = kb.circuit("p0/1", "p1/1", "p2/1")
    rows = random_rows(circuit, states, seed)
    out = evaluate(circuit, rows)
    assert np.array_equal(evaluate(circuit, rows, threads=3), out)
    table = np.zeros((len(out), 2 * states), np.uint8)
    evaluate(circuit, rows, table[:, ::2])
    assert np.array_equal(table[:, ::2], out)
    assert not table[:, 1::2].any()
    for state in range(min(states, 5)):
        assert np.array_equal(evaluate(circuit, rows[:, state : state + 1])[:, 0], out[:, state])


def test_costs_are_summed() -> None:
    text = """
        #external flag(X) : X = 1..3.
        preference(f,g). says(f,en,"f"). says(f,zh,"f").
        cost(f(X),100000*X-150000) :- flag(X).
        p0(X) :- flag(X). p1(1). p2(1). p3(1). p4(1).
    """
    kb = load_text(text)
    circuit = kb.circuit("cost/2")
    rows = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 1]], np.uint8)
    assert circuit.inputs == (Atom("flag", (1,)), Atom("flag", (2,)), Atom("flag", (3,)))
    assert scores(circuit, evaluate(circuit, rows)).tolist() == [0, -50000, 150000]
