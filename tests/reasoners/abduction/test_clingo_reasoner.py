"""Tests of rules without a circuit as a preference model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.reasoners.abduction.clingo_reasoner import ClingoReasoner
from abl_cards.reasoners.abduction.minimiser import Minimiser
from tests.open_rules import planner


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("president").engine()


def test_costs_without_choices_equal_the_circuit(engine: Engine) -> None:
    decisions = engine.sample_decisions(12, seed=3)
    lists = decisions.moves()
    result = ClingoReasoner.of(engine, load("president").directory).costs(decisions, lists)
    for mine, circuit in zip(result, engine.preference_model().costs(decisions, lists), strict=True):
        assert np.array_equal(mine, circuit)


def test_rules_with_choices_add_costs_and_constraints(engine: Engine, tmp_path: Path) -> None:
    reasoner = ClingoReasoner.of(engine, planner(tmp_path))
    moment: Any = engine.read_decision_point(
        {"hand": ["S3", "H3", "C9", "D9", "H9"], "to_beat": None, "cards": [9, 3, 4]}
    )
    costs, sound = reasoner.costs(moment.decision, moment.move_lists)
    plain, _ = engine.preference_model().costs(moment.decision, moment.move_lists)
    labels = [engine.label_of(int(form)) for form in moment.move_lists.form]
    assert [label for label, fine in zip(labels, sound, strict=True) if not fine] == ["set(3,1)", "set(3,1)"]
    more = dict(zip(labels, (costs - plain).tolist(), strict=True))
    assert (more["set(3,2)"], more["set(9,1)"]) == (1, 2)
    cached = len(reasoner.cache)
    assert Minimiser(reasoner).best(moment.decision).form.shape == (1,)
    assert len(reasoner.cache) == cached, "what was asked once is remembered"
    reasoner.solver.close()
