"""Tests of training: it learns a known class, and resumes a stopped run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.hand_analysis import classifier_training
from abl_cards.hand_analysis.classifier import DealClassPredictor, compute_classifier_inputs, load_classifier
from abl_cards.hand_analysis.classifier_training import (
    DealDataset,
    EpochMetrics,
    compute_metrics,
    predict_logits,
    train_classifier,
)
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.learners.strength import STRENGTH_PRESETS, StrengthCard
from abl_cards.learners.weights_files import write_weights
from tests.games.doudizhu.decided import engine_of
from tests.training.test_checkpoint import write_malicious_pickle

PRESET = replace(STRENGTH_PRESETS["small"], hidden=12, joint_width=8, batch_size=64, learning_rate=0.02)


@pytest.fixture(scope="module")
def lessons() -> DealDataset:
    """Return deals with the holder of the big joker as class."""
    torch.set_num_threads(1)
    rules = DealRules.from_engine(engine_of())
    hands = rules.deal_sampler.deal(np.arange(900, dtype=np.uint64))
    counts, features = compute_classifier_inputs(rules.hand_scorer, hands)
    return DealDataset(counts, features, counts[:, :, 14].argmax(dim=1))


def test_classifier_learns_a_known_class(lessons: DealDataset) -> None:
    network, history = train_classifier(lessons, PRESET, 3, 12, seed=1)
    assert history[-1].accuracy > 0.9 > history[0].accuracy
    best = min(epoch.tested for epoch in history)
    _, tested = lessons.split()
    loss = torch.nn.functional.cross_entropy(predict_logits(network, tested), tested.labels)
    assert float(loss) <= best + 1e-4  # the temperature is fitted on these deals
    assert not network.training


def test_resumed_run_equals_uninterrupted_run(
    lessons: DealDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight, history = train_classifier(lessons, PRESET, 3, 4, seed=2)

    def stop(epoch: EpochMetrics) -> None:
        if epoch.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_classifier(lessons, PRESET, 3, 4, seed=2, checkpoint=tmp_path / "run.state", on_epoch=stop)
    seen: list[int] = []
    resumed, again = train_classifier(
        lessons,
        PRESET,
        3,
        4,
        seed=2,
        checkpoint=tmp_path / "run.state",
        on_epoch=lambda epoch: seen.append(epoch.epoch),
    )
    assert seen == [3, 4]
    assert again == history
    for name, tensor in straight.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], tensor)
    trace = write_malicious_pickle(tmp_path / "run.state")
    with pytest.raises(GameError, match="not a checkpoint"):
        train_classifier(lessons, PRESET, 3, 4, seed=2, checkpoint=tmp_path / "run.state")
    assert not trace.exists()


def test_compute_metrics_returns_expected_scores() -> None:
    odds = np.array([[0.95, 0.05], [0.6, 0.4], [0.2, 0.8], [0.9, 0.1]], np.float32)
    shown = compute_metrics(odds, np.array([0, 0, 1, 1]))
    assert (shown["accuracy"], shown["majority"], shown["confusion"]) == (0.75, 0.5, [[2, 0], [1, 1]])
    assert shown["macro_f1"] == pytest.approx((2 * 2 / 5 + 2 * 1 / 3) / 2)
    less = compute_metrics(np.hstack([odds, np.zeros((4, 1), np.float32)]), np.array([0, 0, 1, 1]))
    assert less["f1"][2] is None  # no deal has this class, and none is predicted
    assert less["macro_f1"] == shown["macro_f1"]
    assert shown["at_0.9"] == {"share": 0.5, "right": 0.5}


def test_split_holds_out_every_fifth_deal(lessons: DealDataset) -> None:
    learned, tested = lessons.split()
    assert (len(learned.labels), len(tested.labels)) == (720, 180)
    assert classifier_training.HELD_OUT_INTERVAL == 5


def test_saved_weights_load_as_a_classifier(lessons: DealDataset, tmp_path: Path) -> None:
    rules = DealRules.from_engine(engine_of())
    from abl_cards.learners.strength import DealClassifier

    network, file = DealClassifier(STRENGTH_PRESETS["small"], 5, 3).eval(), tmp_path / "some.safetensors"
    write_weights(file, network.state_dict(), StrengthCard("doudizhu", "small", 3))
    judge, card = load_classifier("doudizhu", rules.hand_scorer, file)
    hands = rules.deal_sampler.deal(np.arange(50, dtype=np.uint64))
    odds = judge(hands)
    np.testing.assert_allclose(odds.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(odds, DealClassPredictor(network, rules.hand_scorer)(hands), atol=0.01)
    assert card.seed == 3
    with pytest.raises(GameError) as caught:
        load_classifier("big2", rules.hand_scorer, file)
    assert caught.value.code == ErrorCode.WEIGHTS_MISMATCH
    write_weights(file, network.state_dict(), StrengthCard("doudizhu", "paper", 3))
    with pytest.raises(GameError) as caught:
        load_classifier("doudizhu", rules.hand_scorer, file)
    assert caught.value.code == ErrorCode.WEIGHTS_MISMATCH
    write_weights(file, network.state_dict(), StrengthCard("doudizhu", "huge", 3))
    with pytest.raises(GameError, match="'huge'") as caught:
        load_classifier("doudizhu", rules.hand_scorer, file)
    assert caught.value.code == ErrorCode.UNKNOWN_PRESET
