"""Distillation of the policy into a rollout network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.rollouts import position_shape
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, RolloutConfig
from abl_cards.learners.symmetry import Symmetries
from abl_cards.learners.weights_files import load_card, opponent_weights_file, rollout_weights_file
from abl_cards.learners.weights_io import load_networks
from abl_cards.training import pretraining, rollout_distillation
from abl_cards.training.rollout_distillation import RolloutDistillation, list_student_networks
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=RolloutConfig(hidden=(32, 16))))
    monkeypatch.setattr(rollout_distillation, "ROUND_ROWS", 256)
    monkeypatch.setattr(rollout_distillation, "HELD_OUT_ROWS", 128)
    monkeypatch.setattr(rollout_distillation, "_BATCH_SIZE", 16)
    monkeypatch.setattr(rollout_distillation, "_PEAK_LEARNING_RATE", 0.03)


def distillation(seed: int = 3) -> RolloutDistillation:
    engine = load("doudizhu").engine()
    networks = Networks(PRESETS["tiny"], GameShape.of(engine), 1)
    with torch.no_grad():
        for name, weights in networks.decision.named_parameters():
            if name.startswith("policy."):
                weights.mul_(40.0)  # a policy that is sure of something
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    return RolloutDistillation(engine, networks.eval(), symmetries, seed, num_tables=32)


def test_examples_are_decisions_with_a_choice_and_the_probabilities_of_the_policy() -> None:
    games = distillation()
    examples, others = games.collect_examples(200), games.collect_examples(200, round_number=1)
    assert len(examples) == 200
    assert (examples.legal.sum(axis=1) > 1).all()
    probs = np.exp(examples.log_probs.astype(np.float32))
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=0.01)
    assert not probs[~examples.legal].any()
    assert (probs[np.arange(200), examples.label] > 0).all()
    assert (examples.observation != others.observation).any()
    assert (examples.observation == games.collect_examples(200).observation).all()


def test_round_is_played_at_few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a round at a thousand tables knew the first episodes of matches alone."""
    few, many = distillation(), distillation()
    monkeypatch.setattr(rollout_distillation, "num_round_tables", lambda num_decisions, max_tables: num_decisions // 50)
    examples = few.collect_examples(200)
    monkeypatch.setattr(rollout_distillation, "num_round_tables", lambda num_decisions, max_tables: 4)
    assert (examples.observation == many.collect_examples(200).observation).all()


def test_network_learns_the_probabilities_of_the_policy() -> None:
    games = distillation()
    run = games.create_run(512)
    assert run.steps == 64  # each decision twice
    examples = games.collect_examples(128, round_number=9)
    before = games._evaluate(run.model, examples)
    result = games.train(run, 512, lambda done, loss: None, lambda done, what: None)
    after = games._evaluate(run.model, examples)
    assert after.divergence < 0.8 * before.divergence
    assert after.agreement > before.agreement
    assert result.decisions == 128
    assert 0 < result.agreement <= 1
    again = games.create_run(512)
    again.load_state_dict(run.state_dict())
    assert games.train(again, 512, lambda done, loss: None, lambda done, what: None) == result


def test_network_for_compiled_rollouts_reads_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    config = RolloutConfig(is_compiled=True, hidden=(32, 16))
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=config))
    games = distillation()
    run, examples = games.create_run(512), games.collect_examples(128, round_number=9)
    assert examples.observation.shape[1] == GameShape.of(load("doudizhu").engine()).num_position_inputs
    assert set(np.unique(examples.observation)) == {0, 1}
    assert (np.isfinite(examples.log_probs) <= examples.legal).all()
    before = games._evaluate(run.model, examples)
    games.train(run, 512, lambda done, loss: None, lambda done, what: None)
    after = games._evaluate(run.model, examples)
    assert after.divergence < 0.9 * before.divergence


def test_positions_are_those_before_the_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs after the play would be those of the next seat."""
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=RolloutConfig(is_compiled=True, hidden=(32, 16))))
    examples = distillation().collect_examples(256)
    first_lead = position_shape(load("doudizhu").engine().rules).first_lead
    assert (leads := examples.to_beat < 0).any()
    assert (examples.observation[leads, first_lead:] == examples.legal[leads]).all()


def test_distillation_for_compiled_rollouts_is_refused_before_a_game_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=RolloutConfig(is_compiled=True)))
    engine = load("whist").engine()
    networks = Networks(PRESETS["tiny"], GameShape.of(engine), 1)
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    with pytest.raises(GameError) as caught:
        RolloutDistillation(engine, networks, symmetries, 3)
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


def test_run_ends_with_a_rollout_network_beside_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted distillation goes on, and new weights of the policy remove the network of former ones."""
    monkeypatch.setattr(pretraining, "CHECKPOINT_STEPS", 10)
    chosen = settings(tmp_path / "whole", total_decisions=1, distill_decisions=400)
    whole = Trainer.from_config(chosen)
    whole.fit()
    whole.distill_rollout_network()
    file = rollout_weights_file(whole.weights_path)
    card = load_card(file)
    assert card.results["imitation of the policy in other games"]["decisions"] == 128
    assert load_networks(whole.weights_path, whole.engine).rollout_weights is not None

    run = Trainer.from_config(replace(chosen, directory=tmp_path / "parts"))
    run.fit()

    def stop(done: int, remark: str) -> None:
        if remark.startswith("rollouts: ") and done == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.distill_rollout_network(stop)
    steps: list[Any] = []
    resumed = Trainer.from_config(replace(chosen, directory=tmp_path / "parts"))
    resumed.fit()
    resumed.distill_rollout_network(lambda done, remark: steps.append(done) if remark.startswith("rollouts") else None)
    assert steps[0] == 21
    one, other = (load_networks(trainer.weights_path, trainer.engine).rollout_weights for trainer in (whole, resumed))
    assert one is not None
    assert other is not None
    assert all((first == second).all() for first, second in zip(one, other, strict=True))

    resumed.save_weights(resumed.weights_path)
    assert not rollout_weights_file(resumed.weights_path).exists()


def test_run_ends_with_an_opponent_model_where_deals_are_weighted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads positions, while the rollout network reads candidates; new weights remove it as well."""
    config = RolloutConfig(hidden=(16, 8), likelihood_exponent=0.8, opponent_hidden=(32, 16))
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=config))
    trainer = Trainer.from_config(settings(tmp_path, total_decisions=1, distill_decisions=300))
    trainer.fit()
    trainer.distill_rollout_network()
    file = opponent_weights_file(trainer.weights_path)
    assert load_card(file).results["imitation of the policy in other games"]["decisions"] == 128
    networks = load_networks(trainer.weights_path, trainer.engine)
    assert networks.rollout_weights is not None
    assert networks.rollout_weights.second.shape == (16, 8)
    assert networks.opponent_weights is not None
    assert networks.opponent_weights.second.shape == (32, 16)
    assert len(networks.opponent_weights.first) < len(networks.rollout_weights.first)

    trainer.save_weights(trainer.weights_path)
    assert not file.exists()


def test_games_that_cannot_be_compiled_get_no_opponent_model() -> None:
    """A long run must not end with an error because of it."""
    preset = replace(TINY, rollout=RolloutConfig(opponent_hidden=(32, 16)))
    students = {game: list_student_networks(preset, load(game).engine()) for game in ("doudizhu", "whist")}
    assert [student.name for student in students["doudizhu"]] == ["rollout", "opponent"]
    assert [student.name for student in students["whist"]] == ["rollout"]
