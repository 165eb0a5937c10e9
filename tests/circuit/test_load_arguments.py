"""Arguments of `KnowledgeBase.load`, weights of outputs, and texts of predicates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.terms import Input
from abl_cards.circuit.evaluation import evaluate, weighted_sums
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": "rules.lp"},
        {"files": None},
        {"files": [3]},
        {"files": [""]},
        {"inputs": Input("a", ())},
        {"inputs": ["a"]},
        {"inputs": None},
        {"outputs": "b/0"},
        {"outputs": ["b/0"]},
        {"outputs": ("b", 0)},
        {"outputs": [("b", "0")]},
        {"outputs": [("b", -1)]},
        {"constants": [("n", 1)]},
        {"constants": {3: 1}},
        {"limits": 20},
        {"trusted": "no"},
        {"cache": np.array([0, 1])},
        {"ground_limits": "x"},
        {"library": "folder"},
        {"library": [3]},
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """The letters of a text were read as files, folders and predicates."""
    file = tmp_path / "rules.lp"
    file.write_text("#external a.\nb :- a.\n", "utf-8")
    arguments: dict[str, Any] = {"files": [file], "inputs": [Input("a", ())], "outputs": [("b", 0)]}
    assert KnowledgeBase.load(**arguments).circuit("b/0").outputs == (("b", ()),)
    with pytest.raises(GameError) as error:
        KnowledgeBase.load(**arguments | wrong)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.fixture(scope="module")
def president_kb() -> KnowledgeBase:
    return load("president").knowledge_base()


def test_predicates_of_circuits_are_texts(president_kb: KnowledgeBase) -> None:
    name: Any = 3
    with pytest.raises(ValueError, match="3"):
        president_kb.circuit(name)


@pytest.mark.parametrize("rows", [None, [[0, 1]], np.zeros((1, 2), np.int64), np.zeros(2, np.uint8), np.array([["a"]])])
def test_inputs_of_circuits_are_bytes(president_kb: KnowledgeBase, rows: Any) -> None:
    circuit = president_kb.circuit("legal/1")
    with pytest.raises(ValueError, match="rows"):
        evaluate(circuit, rows)


@pytest.mark.parametrize("weights", [np.ones(2, np.int32), np.ones(4, np.int32), np.ones((3, 1), np.int32)])
def test_sums_need_a_weight_for_each_output(weights: Any) -> None:
    """With more weights than outputs the sums were those of memory behind the outputs."""
    with pytest.raises(ValueError, match="weights"):
        weighted_sums(weights, np.ones((3, 5), np.uint8))


@pytest.mark.parametrize("change", [lambda w: w[:1], lambda w: w * 0.5, lambda w: w.astype(np.int64) + 2**31])
def test_weights_of_preferences_are_whole_numbers_for_each_output(change: Any) -> None:
    model = load("president").engine().preference_model()
    with pytest.raises(GameError) as error:
        model.with_weights(change(model.weights))
    assert error.value.code == ErrorCode.INVALID_VALUE
