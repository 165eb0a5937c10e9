"""Answers of the oracle, and every kind of difference that `verify` finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from abl_cards.asp.terms import Atom
from abl_cards.circuit.oracle import Oracle, verify
from tests.asp.conftest import Load

TEXT = """
#external held(R,N) : R = 1..3, N = 1..2.
legal(R) :- held(R,1), not held(R,2).
:- held(1,2), held(2,2).
preference(f,g). says(f,en,"f"). says(f,zh,"f").
cost(f(R),10*R-15) :- held(R,2).
#show legal/1.
"""
STATES = np.array([[state >> row & 1 for state in range(64)] for row in range(6)], np.uint8)


def test_oracle_solves_a_state(load: Load) -> None:
    oracle = Oracle(load(TEXT))
    answer = oracle.solve([Atom("held", (1, 1)), Atom("held", (3, 2))])
    assert answer.atoms is not None
    assert {str(name) for name in answer.atoms if name.name in ("legal", "cost")} == {"legal(1)", "cost(f(3),15)"}
    assert answer.cost == 15
    assert oracle.solve([Atom("held", (1, 2)), Atom("held", (2, 2))]).atoms is None
    assert oracle.solve([], atoms=[Atom("legal", (1,))]).atoms == frozenset()
    with pytest.raises(KeyError):
        oracle.solve([Atom("held", (9, 9))])


def test_oracle_answers_all_columns(load: Load) -> None:
    kb = load(TEXT)
    answers = list(Oracle(kb).answers(STATES, kb.input_atoms))
    assert [answer.atoms is None for answer in answers].count(True) == 16


def test_verify_finds_wrong_circuits(load: Load) -> None:
    kb = load(TEXT)
    oracle, circuit = Oracle(kb), kb.circuit("legal/1", "cost/2")
    assert verify(kb, circuit, STATES, oracle) == []
    inverted = circuit.output_literals.copy()
    inverted[circuit.output_rows("legal", 1)[1,]] ^= 1
    mismatches = verify(kb, replace(circuit, output_literals=inverted), STATES, oracle)
    assert len(mismatches) == 48  # every state that is consistent
    assert str(mismatches[0]) == "state 0: legal(1) is True for the circuit, False for clingo; inputs: none"
    inverted = circuit.output_literals.copy()
    inverted[circuit.output_rows("cost", 2)["f(3)", 15]] ^= 1
    messages = [mismatch.message for mismatch in verify(kb, replace(circuit, output_literals=inverted), STATES, oracle)]
    assert "the cost is 15 for the circuit, 0 for clingo" in messages


def test_verify_finds_wrong_constraints(load: Load) -> None:
    kb = load(TEXT)
    oracle = Oracle(load(TEXT.replace(":- held(1,2), held(2,2).", ":- held(1,2), held(3,2).")))
    circuit = kb.circuit("legal/1")
    messages = {mismatch.message for mismatch in verify(kb, circuit, STATES, oracle)}
    assert messages == {
        "a constraint is violated for the circuit, not for clingo",
        "a constraint is kept for the circuit, not for clingo",
    }


def test_verify_reports_progress(load: Load) -> None:
    kb = load(TEXT)
    steps: list[int] = []
    verify(kb, kb.circuit("legal/1"), STATES[:, :5], on_progress=steps.append)
    assert steps == [1, 2, 3, 4, 5]
