"""The samples that an update uses."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.batches import to_training_batch
from abl_cards.learners.networks import BF16_ROW_MULTIPLE, GameShape, Networks
from abl_cards.learners.symmetry import Symmetries
from abl_cards.training.experience import Experience
from abl_cards.training.joint_loop import SelfPlay, learn
from abl_cards.training.updates import PPOLearner, UpdateStats, value_loss
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT


@pytest.fixture(scope="module")
def engine() -> Any:
    return load(SHORT).engine()


@pytest.fixture(scope="module")
def rows(engine: Any) -> Experience:
    networks = Networks(TINY, GameShape.of(engine))
    play = SelfPlay(
        engine,
        NeuroSymbolicPolicy(engine, engine.preference_model(), networks),
        [],
        np.zeros((32, 4), np.int8),
        TINY.ppo,
        seed=5,
    )
    while play.buffer.num_ready < 128:
        play.step()
    return play.buffer.pop_ready(128)


def trainer(engine: Any, certain: float = 1.0, **ppo_settings: Any) -> PPOLearner:
    networks = Networks(TINY, GameShape.of(engine))
    ppo = replace(TINY.ppo, minibatch_size=128, max_prob_for_update=certain, **ppo_settings)
    return PPOLearner(networks, Symmetries.from_orders(engine.symmetries, engine.observation_features), ppo)


def gradient(trainer: PPOLearner, rows: Experience) -> torch.Tensor:
    part = trainer._select_uncertain(rows)
    loss, _ = trainer._policy_loss(rows.at(part), rows.advantage[part], len(part) / len(rows))
    return torch.cat(
        [grad.flatten() for grad in torch.autograd.grad(loss, list(trainer.networks.decision.parameters()))]
    )


def test_a_loss_that_is_not_finite_ends_the_run(engine: Any, rows: Experience) -> None:
    """Before a checkpoint holds the weights that follow from it."""
    broken = replace(rows, value_target=np.full_like(rows.value_target, np.inf))
    with pytest.raises(GameError) as error:
        learn(trainer(engine), broken, np.random.default_rng(0))
    assert error.value.code == ErrorCode.MODEL_OUTPUT_NOT_FINITE


def test_certain_decisions_do_not_change_the_gradient(engine: Any, rows: Experience) -> None:
    """Decisions with a certain label have no gradient, whatever their advantage."""
    only = np.zeros_like(rows.legal)
    only[np.arange(len(rows)), rows.label] = True
    every_second = np.arange(len(rows)) % 2 == 0
    certain = replace(
        rows,
        legal=np.where(every_second[:, None], only, rows.legal),
        log_probability=np.where(every_second, 0, np.minimum(rows.log_probability, -0.1)).astype(np.float32),
    )
    certain_trainer, full_trainer = trainer(engine, 0.99), trainer(engine, 1.0)
    assert certain_trainer._select_uncertain(certain).tolist() == np.flatnonzero(~every_second).tolist()
    assert len(full_trainer._select_uncertain(certain)) == len(rows)
    torch.testing.assert_close(
        gradient(certain_trainer, certain), gradient(full_trainer, certain), atol=1e-6, rtol=1e-4
    )


def test_least_certain_decision_is_always_selected(engine: Any, rows: Experience) -> None:
    """Always keep the least certain decisions, so that every worker has a gradient."""
    sure = replace(rows, log_probability=np.linspace(-0.001, 0, len(rows), dtype=np.float32))
    assert trainer(engine, 0.99)._select_uncertain(sure).tolist() == [0]


def test_bfloat16_batches_are_filled_with_next_certain_rows(engine: Any, rows: Experience) -> None:
    unsure = BF16_ROW_MULTIPLE + 3
    sure = replace(rows, log_probability=np.linspace(-1, -0.001, len(rows), dtype=np.float32)[::-1].copy())
    learner = trainer(engine, certain=float(np.exp(np.sort(sure.log_probability)[unsure - 1] + 1e-4)))
    assert learner._select_uncertain(sure).tolist() == list(range(len(rows) - unsure, len(rows)))
    learner.networks.precision = "bfloat16"
    assert learner._select_uncertain(sure).tolist() == list(range(len(rows) - 2 * BF16_ROW_MULTIPLE, len(rows)))


def test_losses_are_computed_on_the_network_device(
    engine: Any, rows: Experience, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No tensor is left on the CPU where the networks are elsewhere: the device "meta" computes shapes alone."""
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())  # it refuses this device
    learner = trainer(engine)
    learner.networks.to("meta")
    loss, stats = learner._policy_loss(rows, rows.advantage, 1.0)
    batch = to_training_batch(rows, learner.networks.device)
    assert {tensor.device.type for tensor in (loss, stats, value_loss(learner.networks, batch, rows))} == {"meta"}


def test_abln_learns_from_few_decisions(engine: Any, rows: Experience) -> None:
    """Make a step with a quarter of 64 decisions, less than half a batch."""
    learner = trainer(engine)
    before = [weights.detach().clone() for weights in learner.networks.abln.parameters()]  # type: ignore[union-attr]
    seen = learn(learner, rows.at(np.arange(64)), np.random.default_rng(3))
    assert seen.hands_loss is not None
    assert seen.hands_loss > 0
    after = list(learner.networks.abln.parameters())  # type: ignore[union-attr]
    assert any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))


def test_stats_of_networks_not_trained_are_none(engine: Any, rows: Experience) -> None:
    seen = learn(trainer(engine), rows, np.random.default_rng(3), critic_only=True)
    assert seen.value_loss is not None
    assert astuple(seen) == (None, seen.value_loss, None, None, None, None, None)
    again = learn(trainer(engine), rows, np.random.default_rng(3))
    assert None not in astuple(again)[:-1]
    assert again.lookahead_divergence is None
    both = UpdateStats.mean([seen, again])
    assert both.hands_loss == again.hands_loss
    assert both.value_loss == pytest.approx((seen.value_loss + (again.value_loss or 0)) / 2)
    assert astuple(UpdateStats.mean([seen, seen])) == astuple(seen)


def test_hands_loss_is_none_without_abln(engine: Any, rows: Experience) -> None:
    networks = Networks(TINY.without_abln(), GameShape.of(engine))
    learner = PPOLearner(networks, Symmetries.from_orders(engine.symmetries, engine.observation_features))
    assert learn(learner, rows, np.random.default_rng(3)).hands_loss is None


def test_critic_is_trained_for_num_value_epochs(engine: Any, rows: Experience) -> None:
    once, first_only, twice = (
        trainer(engine, num_epochs=epochs, num_value_epochs=value_epochs)
        for epochs, value_epochs in ((1, 1), (2, 1), (2, 2))
    )
    seen = [learn(learner, rows, np.random.default_rng(3)) for learner in (once, first_only, twice)]
    of_critic = [
        torch.nn.utils.parameters_to_vector(learner.networks.critic.parameters())
        for learner in (once, first_only, twice)
    ]
    of_policy = [
        torch.nn.utils.parameters_to_vector(learner.networks.decision.parameters()) for learner in (once, first_only)
    ]
    assert torch.equal(of_critic[0], of_critic[1])
    assert not torch.equal(of_critic[1], of_critic[2])
    assert not torch.equal(*of_policy)
    losses = [stats.value_loss or 0.0 for stats in seen]
    assert losses[0] == losses[1] > losses[2] > 0


def test_for_critic_keeps_all_inputs_of_the_critic(engine: Any, rows: Experience) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    less = rows.for_critic()
    assert less.response_counts.size == less.played_later.size == 0
    full_batch, critic_batch = (to_training_batch(experience, networks.device) for experience in (rows, less))
    assert torch.equal(value_loss(networks, full_batch, rows), value_loss(networks, critic_batch, less))
