"""Fine-tuning of the critic at the end of a run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.games.game import load
from abl_cards.learners import TrainingBatch
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.symmetry import Symmetries
from abl_cards.learners.weights_files import load_card
from abl_cards.learners.weights_io import load_networks
from abl_cards.training import critic_finetuning, pretraining
from abl_cards.training.critic_finetuning import SelfPlayGames
from abl_cards.training.trainer import Trainer
from tests.effort import amount, long
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT, WHOLE, lines, settings


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.setattr(critic_finetuning, "CHUNK_ROWS", 256)
    monkeypatch.setattr(critic_finetuning, "ROUND_ROWS", 256)
    monkeypatch.setattr(critic_finetuning, "HELD_OUT_ROWS", amount(256, 512))


def test_value_targets_are_discounted_returns() -> None:
    engine = load(SHORT).engine()
    games = SelfPlayGames(
        engine, Networks(TINY, GameShape.of(engine)), TINY.ppo, seed=3, num_tables=32
    ).collect_decisions(400)
    assert len(games) == 512
    steps = np.log(np.abs(games.value_target)[:, None] / [1, 2]) / np.log(TINY.ppo.gamma)
    assert (np.abs(steps - steps.round()) < 0.01).any(axis=1).all()
    assert games.regret.shape == (512, 0)
    assert games.hands.any()


def test_round_is_played_at_few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the error of a critic was that of the first episodes of matches alone."""
    engine, asked = load(SHORT).engine(), list[tuple[int, int]]()

    def few(num_decisions: int, max_tables: int) -> int:
        asked.append((num_decisions, max_tables))
        return 6

    monkeypatch.setattr(critic_finetuning, "num_round_tables", few)
    games = SelfPlayGames(engine, Networks(TINY, GameShape.of(engine)), TINY.ppo, seed=3).collect_decisions(256)
    assert asked == [(256, 1024)]
    assert len(games) == 256


def test_value_targets_exclude_trick_rewards() -> None:
    engine = load("whist").engine()
    networks = Networks(TINY, GameShape.of(engine))
    by_tricks = replace(TINY.ppo, trick_point_reward=0.01, terminal_share=0.25)
    plain, shaped = (
        SelfPlayGames(engine, networks, ppo, seed=3, num_tables=8).collect_decisions(256).value_target
        for ppo in (TINY.ppo, by_tricks)
    )
    assert (plain == shaped).all()
    assert plain.any()


@pytest.mark.parametrize(("rate", "is_better"), [(1e-3, True), (30.0, False)])
def test_critic_with_larger_validation_error_is_dropped(rate: float, is_better: bool) -> None:
    """Regression: Guandan's critic went from an error of 2.32 to 2.44 by fine-tuning, and was shipped so."""
    engine = load("whist").engine()
    networks = Networks(TINY, GameShape.of(engine))
    former = {name: tensor.clone() for name, tensor in networks.critic.state_dict().items()}
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    run = critic_finetuning.create_critic_run(networks, symmetries, 512, 20)
    run.peak_learning_rate = rate
    games = SelfPlayGames(engine, networks, TINY.ppo, seed=3, num_tables=32)
    errors = games.train_critic(run, former, 512, lambda done, loss: None, lambda done, what: None)
    assert errors.is_better == (errors.after < errors.before) == is_better
    assert errors.decisions == critic_finetuning.HELD_OUT_ROWS
    kept = all(torch.equal(former[name], tensor) for name, tensor in networks.critic.state_dict().items())
    assert kept != is_better
    state = run.state_dict()
    again = critic_finetuning.create_critic_run(networks, symmetries, 512, 20)
    again.load_state_dict(state)
    assert games.train_critic(again, former, 512, lambda done, loss: None, lambda done, what: None) == errors


def test_each_decision_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: 3,000 steps on 800,000 decisions learned Dou dizhu's episodes by heart."""
    monkeypatch.setattr(critic_finetuning, "_BATCH_SIZE", 64)
    engine = load(SHORT).engine()
    networks = Networks(TINY, GameShape.of(engine))
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    run = critic_finetuning.create_critic_run(networks, symmetries, 256)
    assert run.steps == 4
    used: list[Any] = []
    learn = run.loss_fn

    def loss(batch: TrainingBatch, rows: Any) -> torch.Tensor:
        used.append(rows.log_probability)
        return learn(batch, rows)

    run.loss_fn = loss
    rows = SelfPlayGames(engine, networks, TINY.ppo, seed=3, num_tables=32).collect_decisions(256)
    rows = replace(rows, log_probability=np.arange(256, dtype=np.float32))
    run.train(rows, networks.device)
    assert sorted(np.concatenate(used)) == list(range(256))


@long
def test_finetuning_changes_only_the_critic(tmp_path: Path, whole: Trainer) -> None:
    """Fine-tune the critic once, save it with the run, and continue the run unchanged."""
    run = Trainer.from_config(
        settings(tmp_path, total_decisions=1, critic_finetune_decisions=400, critic_finetune_steps=30)
    )
    run.fit()
    run.finetune_critic()
    before = load_networks(run.weights_path, run.engine).state_dict()
    losses: list[str] = []
    again = Trainer.from_config(
        settings(tmp_path, total_decisions=1, critic_finetune_decisions=400, critic_finetune_steps=30)
    )
    again.fit()
    plain = load_networks(run.weights_path, run.engine)
    assert plain.has_trained_critic
    again.finetune_critic(lambda done, remark: losses.append(remark))
    assert not losses  # what was learned is kept beside the run
    assert load_card(run.weights_path).critic_finetune_decisions == 400
    after = load_networks(run.weights_path, run.engine).state_dict()
    changed = {name.split(".")[0] for name in before if not torch.equal(before[name], plain.state_dict()[name])}
    assert changed == {"critic"}
    assert all(torch.equal(before[name], after[name]) for name in before)
    resumed = Trainer.from_config(settings(tmp_path, total_decisions=WHOLE))
    resumed.fit()
    assert lines(tmp_path) == lines(whole.settings.directory)


@long
def test_interrupted_fit_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretraining, "CHECKPOINT_STEPS", 20)
    chosen = settings(tmp_path / "whole", total_decisions=1, critic_finetune_decisions=400, critic_finetune_steps=30)
    whole = Trainer.from_config(chosen)
    whole.fit()
    whole.finetune_critic()
    parts = replace(chosen, directory=tmp_path / "parts")
    run = Trainer.from_config(parts)
    run.fit()

    def stop(done: int, remark: str) -> None:
        if remark.startswith("critic: ") and done == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.finetune_critic(stop)
    steps: list[int] = []
    resumed = Trainer.from_config(parts)
    resumed.fit()
    resumed.finetune_critic(lambda done, remark: steps.append(done) if remark.startswith("critic: ") else None)
    assert steps[0] == 21  # steps up to the last that were kept are not made again
    one, other = (load_networks(trainer.weights_path, resumed.engine).state_dict() for trainer in (whole, resumed))
    assert all(torch.equal(one[name], other[name]) for name in one)


class Stopped(Exception):
    """An interruption of the run."""


@long
def test_finetuning_resumes_between_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Continue after the finished rounds, and end with the same critic."""
    changes = {"total_decisions": 1, "critic_finetune_decisions": 700, "critic_finetune_steps": 30}
    whole = Trainer.from_config(settings(tmp_path / "whole", **changes))
    whole.fit()
    whole.finetune_critic()
    played: list[int] = []
    decisions = SelfPlayGames.collect_decisions

    def stopping(self: SelfPlayGames, least: int, number: int = 0, **options: Any) -> Any:
        played.append(number)
        if played == [0, 1]:
            raise Stopped
        return decisions(self, least, number, **options)

    monkeypatch.setattr(pretraining, "CHECKPOINT_STEPS", 5)
    monkeypatch.setattr(SelfPlayGames, "collect_decisions", stopping)
    run = Trainer.from_config(settings(tmp_path / "run", **changes))
    run.fit()
    with pytest.raises(Stopped):
        run.finetune_critic()
    again = Trainer.from_config(settings(tmp_path / "run", **changes))
    again.fit()
    again.finetune_critic()
    assert played == [0, 1, 1, 2, 3]  # the last to measure its error
    one, other = (load_networks(trainer.weights_path, trainer.engine).state_dict() for trainer in (whole, again))
    assert all(torch.equal(one[name], other[name]) for name in one)
