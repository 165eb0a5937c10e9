"""The training loop through ABLkit."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ablkit.learning import ABLModel

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.presets import PRESETS
from abl_cards.reasoners.abduction.clingo_reasoner import ClingoReasoner
from abl_cards.training.bridge import JointBridge, LabelsKB, PolicyBaseModel, SamplingReasoner
from abl_cards.training.trainer import Trainer
from tests.effort import amount, long
from tests.learners.tiny import TINY
from tests.open_rules import small_planner
from tests.training.test_joint_loop import lines, same, settings, weights


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.chdir(tmp_path)


def test_ablkit_run_equals_trainer_run(tmp_path: Path) -> None:
    decisions = amount(200, 1500)
    alone = Trainer.from_config(settings(tmp_path / "alone", total_decisions=decisions))
    alone.fit()
    bridge = JointBridge(Trainer.from_config(settings(tmp_path / "bridge", total_decisions=decisions)))
    bridge.train()
    assert len(lines(tmp_path / "alone")) == len(lines(tmp_path / "bridge"))
    first, other = ({key: value for key, value in lines(tmp_path / way)[0].items() if value is not None}
                    for way in ("alone", "bridge"))  # fmt: skip
    assert first == pytest.approx(other, rel=1e-4)
    assert "value_loss" in first
    assert not same(alone, Trainer.from_config(settings(tmp_path / "fresh")))


def test_reasoner_can_be_replaced(tmp_path: Path) -> None:
    class Timid(SamplingReasoner):
        """A reasoner that takes the last consistent label."""

        def batch_abduce(self, data_examples: Any) -> Any:
            legal = data_examples.X[0][0].batch.checked_view.legal
            last = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
            data_examples.abduced_pseudo_label = [[self.idx_to_label[int(label)]] for label in last]
            return data_examples.abduced_pseudo_label

    run = Trainer.from_config(replace(settings(tmp_path), total_decisions=1))
    JointBridge(run, reasoner=Timid(LabelsKB(run.engine.labels)))
    for _ in range(40):
        run.self_play.step()
    rows = run.self_play.buffer.rows.at(run.self_play.buffer.state > 0)
    assert len(rows) > 50
    assert np.array_equal(rows.label, rows.legal.shape[1] - 1 - rows.legal[:, ::-1].argmax(axis=1))


class Uniform:
    """A custom model that learns nothing."""

    def __init__(self, labels: int) -> None:
        self.labels, self.taught = labels, 0

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), np.int64)

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), self.labels), 1 / self.labels)

    def fit(self, X: Any, y: Any) -> float:
        self.taught += 1
        return 0.0


def test_model_without_weights_is_not_saved_or_resumed(tmp_path: Path) -> None:
    """Save nothing where a model has no weights to save; nothing else may take their place."""
    run = Trainer.from_config(settings(tmp_path, workers=1))
    own = Uniform(len(run.engine.labels))
    bridge = JointBridge(run, model=ABLModel(own))
    with pytest.raises(GameError) as error:
        bridge.train()
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    with pytest.raises(GameError) as error:
        run.save_weights(run.weights_path)
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    with pytest.raises(GameError) as error:
        run.finetune_critic()
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    assert not run.weights_path.exists()
    assert not run.checkpoint_path.exists()
    with run.start_workers():
        run.step()
    assert own.taught

    begun = Trainer.from_config(settings(tmp_path / "begun", workers=1, total_decisions=1))
    begun.fit()
    again = Trainer.from_config(settings(tmp_path / "begun", workers=1))
    with pytest.raises(GameError) as error:
        JointBridge(again, model=ABLModel(own))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    JointBridge(again, model=ABLModel(PolicyBaseModel(again)))  # its networks are the run's


def test_bridge_rejects_several_workers(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="workers=1") as error:
        JointBridge(Trainer.from_config(settings(tmp_path, workers=2)))
    assert error.value.code == ErrorCode.SETTING_CONFLICT


def test_logic_forward_equals_legal_labels(tmp_path: Path) -> None:
    run = Trainer.from_config(settings(tmp_path))
    from abl_cards.training.bridge import DecisionBatch

    view = run.self_play.policy.features(run.self_play.tables.decisions(run.self_play.tables.rows_to_play()))
    examples = DecisionBatch(view).to_list_data()
    kb = LabelsKB(run.engine.labels)
    for row in range(3):
        allowed = [kb.logic_forward([label], examples.X[row]) for label in run.engine.labels]
        assert np.array_equal(allowed, view.legal[row])


@long
def test_clingo_choice_rule_excludes_labels_in_training(tmp_path: Path) -> None:
    """Let clingo exclude labels of single low cards where the others of their rank can be played too."""
    folder, plan = small_planner(tmp_path)
    few: Any = {
        "num_envs": 2,
        "rollout_size": 4,
        "minibatch_size": 4,
        "kb_opponent_share": 0.0,
        "past_opponent_share": 0.0,
        "critic_warmup_updates": 0,
    }
    run = Trainer.from_config(settings(tmp_path / "run", game=str(folder), clingo=plan, workers=1, **few))
    JointBridge(run)
    judge, low = run.actor.judge, run.engine.labels.index("single(5)")
    assert isinstance(judge, ClingoReasoner)
    before, forbidden = deepcopy(weights(run)), 0
    with run.start_workers():
        for _ in range(50):
            report = run.step()
            rows = run.self_play.buffer.rows.at(run.self_play.buffer.state > 0)
            assert rows.legal[np.arange(len(rows)), rows.label].all()
            forbidden += int((~rows.legal[:, low]).sum())
    judge.solver.close()
    assert report.update == 50
    assert report.update_stats.policy_loss is not None
    assert forbidden > 0
    assert any(not torch.equal(before[name], weight) for name, weight in weights(run).items())
