"""Tests of the splitter's training loop: resumption, exchangeable parts, and no collapse."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ablkit.data.structures import ListData
from ablkit.reasoning import Reasoner

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.hand_analysis.split_labels import TaggedHands
from abl_cards.hand_analysis.split_training import SplitBridge, SplitTrainConfig
from abl_cards.learners.presets import SPLITTER_PRESETS
from abl_cards.reasoners.splits.ablkit_splits import SplitsKB, SplittingReasoner, hands_to_cards, iter_hands
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import load_split_rules
from abl_cards.reasoners.splits.splits import Splitter
from abl_cards.training.run_lock import lock_run_folder
from tests.games.doudizhu.decided import read_hand, uneven_hands
from tests.training.test_checkpoint import write_malicious_pickle

HANDS = uneven_hands(np.random.default_rng(2), 300)
NONE = TaggedHands(np.zeros(0, np.uint64), np.zeros((0, 20), np.uint8))


@cache
def splitter() -> Splitter:
    return Splitter.of(load_split_rules())


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(
        SPLITTER_PRESETS,
        "tiny",
        replace(SPLITTER_PRESETS["small"], name="tiny", card_width=8, hidden_width=8, num_layers=1, batch_size=32),
    )
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)


def labelled(count: int = 40) -> TaggedHands:
    return TaggedHands(HANDS[:count], splitter().best_by_rules(HANDS[:count]).tags)


def bridge(folder: Path, **more: Any) -> SplitBridge:
    settings = SplitTrainConfig(
        folder,
        preset="tiny",
        rounds=6,
        labelled_per_round=32,
        unlabelled_per_round=32,
        checkpoint_interval=2,
        eval_interval=3,
    )
    return SplitBridge(replace(settings, **more), splitter(), labelled(), HANDS[40:])


def lines(folder: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in rows]


class Interrupted(Exception):
    pass


def test_resumed_run_equals_uninterrupted_run(tmp_path: Path) -> None:
    def stop(done: int, remark: str) -> None:
        if done == 3:
            raise Interrupted

    whole = bridge(tmp_path / "whole")
    whole.train()
    with pytest.raises(Interrupted):
        bridge(tmp_path / "parts").train(on_progress=stop)
    again = bridge(tmp_path / "parts")
    assert again.tagger.round == 2
    again.train()
    assert again.is_done
    assert lines(tmp_path / "parts") == lines(tmp_path / "whole")
    for name, tensor in whole.network.state_dict().items():
        torch.testing.assert_close(again.network.state_dict()[name], tensor, atol=0, rtol=0)


def test_training_lowers_the_loss_and_is_evaluated(tmp_path: Path) -> None:
    taught = bridge(tmp_path, rounds=12)
    taught.train(evaluate=lambda network: {"measured": 1.0})
    losses = [line["loss"] for line in lines(tmp_path)]
    assert losses[-1] < losses[0]
    assert [line["update"] for line in lines(tmp_path) if "measured" in line] == [3, 6, 9, 12]


def test_training_without_prices_collapses_to_singles(tmp_path: Path) -> None:
    """Without labels, consistency alone reinforces the learner's predictions; prices lead it to pieces."""

    def singles(weight: float) -> float:
        settings = SplitTrainConfig(tmp_path / str(weight), "tiny", 25, 0, 64, weight)
        run = SplitBridge(settings, splitter(), NONE, HANDS)
        with torch.no_grad():
            run.network.tag.bias.copy_(torch.tensor([1.0, 0.0, 0.0, 0.0]))  # most cards are singles
        run.train()
        return lines(tmp_path / str(weight))[-1]["abduced singles"]

    truth = splitter().best_by_rules(HANDS).tags
    expected = float((truth[truth != NO_TAG] == 0).mean())
    assert singles(0.0) > 0.95
    assert singles(12.0) == pytest.approx(expected, abs=0.1)


def test_custom_reasoner_is_used(tmp_path: Path) -> None:
    class Singles(SplittingReasoner):
        """Reasoner that plays one card after the other."""

        def batch_abduce(self, data_examples: Any) -> Any:
            data_examples.abduced_pseudo_label = [[0] * len(cards) for cards in data_examples.X]
            return data_examples.abduced_pseudo_label

    settings = SplitTrainConfig(tmp_path, "tiny", 2, 0, 32)
    run = SplitBridge(settings, splitter(), NONE, HANDS, reasoner=Singles(SplitsKB(splitter()), 1.0))
    run.train()
    assert [line["abduced singles"] for line in lines(tmp_path)] == [1.0, 1.0]


def test_ablkit_search_agrees_with_splits_kb() -> None:
    kb = SplitsKB(splitter())
    hands = np.array([read_hand("3344")], np.uint64)
    (cards,) = hands_to_cards(hands)
    assert list(iter_hands(cards)) == [(int(hands[0]), 0, 4)]
    assert kb.logic_forward([1, 1, 0, 0], cards)
    assert not kb.logic_forward([0, 1, 0, 0], cards)
    probabilities = np.array([[0.1, 0.8, 0.05, 0.05], [0.4, 0.5, 0.05, 0.05], [0.9, 0.1, 0, 0], [0.9, 0.1, 0, 0]])
    data = ListData(
        X=[cards], pred_prob=[probabilities], pred_idx=[[1, 1, 0, 0]], pred_pseudo_label=[[0, 1, 0, 0]], Y=[True]
    )
    assert SplittingReasoner(kb, 0.0).batch_abduce(data) == [[1, 1, 0, 0]]
    assert SplittingReasoner(kb, 0.0).abduce(data[0]) == [1, 1, 0, 0]
    (abduced,) = Reasoner(kb, dist_func="hamming", max_revision=1).batch_abduce(data)
    assert kb.logic_forward(abduced, cards)


@pytest.mark.parametrize(
    ("more", "code"),
    [({"preset": "huge"}, ErrorCode.UNKNOWN_PRESET), ({"unlabelled_per_round": 5}, ErrorCode.SETTING_CONFLICT)],
)
def test_invalid_settings_are_rejected(more: dict[str, Any], code: ErrorCode, tmp_path: Path) -> None:
    with pytest.raises(GameError) as caught:
        SplitBridge(SplitTrainConfig(tmp_path, **more), splitter(), labelled(), np.zeros(0, np.uint64))
    assert caught.value.code == code


def test_pickled_checkpoint_is_not_executed(tmp_path: Path) -> None:
    trace = write_malicious_pickle(tmp_path / "checkpoint.state")
    with pytest.raises(GameError, match=r"checkpoint\.state: "):
        bridge(tmp_path, rounds=2)
    assert not trace.exists()


def test_run_folder_allows_one_run_at_a_time(tmp_path: Path) -> None:
    first, second = bridge(tmp_path, rounds=2), bridge(tmp_path, rounds=2)
    with lock_run_folder(tmp_path), pytest.raises(GameError, match="is at work here"):
        first.train()
    first.train()
    with pytest.raises(GameError, match="another process has gone on"):
        second.train()


def test_checkpoint_of_other_settings_is_rejected(tmp_path: Path) -> None:
    bridge(tmp_path, rounds=2).train()
    with pytest.raises(GameError, match="of other settings"):
        SplitBridge(SplitTrainConfig(tmp_path), splitter(), labelled(), HANDS)
