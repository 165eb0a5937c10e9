"""Tests of the rules in ABLkit: legal labels, chosen moves, ABLkit's own search and our reasoner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

ablkit = pytest.importorskip("ablkit", reason="ablkit is not installed (pip install 'abl-cards[learning]')")

from ablkit.data.structures import ListData  # noqa: E402
from ablkit.reasoning import Reasoner  # noqa: E402

from abl_cards.games.game import load  # noqa: E402
from abl_cards.reasoners.abduction.ablkit_adapters import MinimisingReasoner, RulesKB  # noqa: E402

STATE = {"level": "8", "hand": ["H4", "C4", "D4", "H8", "S9", "D9"], "to_beat": ["Pair", "3", ["S3", "D3"]]}


@pytest.fixture(scope="module")
def kb() -> RulesKB:
    return RulesKB(load("guandan").engine())


def example(kb: RulesKB, likely: dict[str, float]) -> Any:
    """Make one decision with probabilities of the labels."""
    labels = list(kb.engine.labels)
    probabilities = np.full((1, len(labels)), 1e-6)
    for label, probability in likely.items():
        probabilities[0, labels.index(label)] = probability
    top = labels[int(probabilities.argmax())]
    return ListData(X=[STATE], Y=None, pred_prob=probabilities, pred_pseudo_label=[top], pred_idx=[labels.index(top)])


def test_logic_forward_returns_a_move_only_for_legal_labels(kb: RulesKB) -> None:
    assert kb.logic_forward(["pair(9)"], [STATE]) == ["Pair", "9", ["S9", "D9"]]
    assert kb.logic_forward(["pair(10)"], [STATE]) is None


def test_candidates_equal_the_legal_labels(kb: RulesKB) -> None:
    labels, moves = kb.abduce_candidates(["pair(10)"], None, [STATE], 1, 0)
    assert ["pass"] in labels
    assert ["pair(4)"] in labels
    assert ["pair(10)"] not in labels
    assert len(labels) == len(moves)
    assert kb.abduce_candidates(["pair(10)"], ["Pair", "9", ["S9", "D9"]], [STATE], 1, 0)[0] == [["pair(9)"]]


def test_reasoner_returns_the_most_probable_legal_label(kb: RulesKB) -> None:
    reasoner = MinimisingReasoner(kb)
    assert reasoner.abduce(example(kb, {"pair(9)": 0.6, "pass": 0.3})) == ["pair(9)"]
    assert reasoner.abduce(example(kb, {"pair(10)": 0.6, "pass": 0.3, "pair(9)": 0.1})) == ["pass"]


def test_batch_abduction_equals_single_abduction(kb: RulesKB) -> None:
    batch = ListData(
        X=[[STATE], [STATE]],
        Y=[None, None],
        pred_prob=[example(kb, {"pair(9)": 0.6}).pred_prob, example(kb, {"pair(4)": 0.6}).pred_prob],
        pred_pseudo_label=[["pair(9)"], ["pair(4)"]],
    )
    assert MinimisingReasoner(kb).batch_abduce(batch) == [["pair(9)"], ["pair(4)"]]


def test_ablkit_search_returns_legal_labels(kb: RulesKB) -> None:
    abduced = Reasoner(kb, dist_func="hamming").abduce(example(kb, {"pair(10)": 0.9}))
    assert kb.logic_forward(abduced, [STATE]) is not None
