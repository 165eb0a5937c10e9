"""Circuits in pure Python return the outputs of the engine."""

from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.terms import Input
from abl_cards.circuit.evaluation import evaluate
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.protocols.botzone import bot_runtime
from abl_cards.protocols.botzone.bot_data import circuit_to_json

RULES = {
    "gates": "p(X) :- held(X,1), not held(X,2). p(9) :- p(1), p(2). p(9) :- held(3,2).",
    "sums": "p(N) :- N = 0..7, N <= #sum { R : held(R,1); 5 : held(1,2) }.",
    "loops": "edge(1,2). edge(2,3). edge(3,1). p(R) :- held(R,1). p(Y) :- p(X), edge(X,Y), held(X,2).",
    "constants": "p(1). p(2) :- held(1,1), not held(1,1). p(3) :- held(2,2).",
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_evaluate_equals_the_engine(tmp_path: Path, rules: str) -> None:
    """All states are evaluated at once, one bit each."""
    file = tmp_path / "rules.lp"
    file.write_text("#external held(R,N) : R = 1..3, N = 1..2.\n" + rules, "utf-8")
    kb = KnowledgeBase.load([file], inputs=[Input("held", ((1, 2, 3), (1, 2)))], outputs=[], cache=False)
    circuit = kb.circuit("p/1")
    assert (rules != RULES["loops"]) == (circuit.stats.loops == 0)
    columns = 1 << len(circuit.inputs)
    rows = np.arange(columns)[None] >> np.arange(len(circuit.inputs))[:, None] & 1
    inputs = [sum(int(value) << place for place, value in enumerate(row)) for row in rows]
    expected = evaluate(circuit, rows.astype(np.uint8))
    outputs = bot_runtime.evaluate(circuit_to_json(circuit), inputs, columns)
    assert outputs == [sum(int(value) << place for place, value in enumerate(row)) for row in expected]


def test_find_cheapest_returns_first_consistent_minimum() -> None:
    """The first of equal moves is chosen, and a violating one only if all are."""
    assert bot_runtime.find_cheapest([0b110, 0b001], [3, None], 3) == 1
    assert bot_runtime.find_cheapest([0b101], [-2], 3) == 0
