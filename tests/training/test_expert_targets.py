"""Training targets from look-ahead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.lookahead import Lookahead
from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.agents.search_budget import SearchRound
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, PPOConfig
from abl_cards.learners.symmetry import Symmetries
from abl_cards.training.expert_targets import ExpertConfig, LookaheadExpert
from abl_cards.training.joint_loop import SelfPlay, learn
from abl_cards.training.metrics import read_metrics
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from abl_cards.training.updates import PPOLearner
from tests.effort import amount, long
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT, lines, same, settings

NUM_TABLES = amount(6, 16)


@pytest.fixture(scope="module")
def engine() -> Any:
    return load(SHORT).engine()


def tables(engine: Any, teaching: ExpertConfig | None, number: int = 16) -> SelfPlay:
    mind = NeuroSymbolicPolicy(engine, engine.preference_model(), Networks(TINY, GameShape.of(engine)))
    return SelfPlay(engine, mind, [], np.zeros((number, 4), np.int8), TINY.ppo, seed=5, expert_config=teaching)


def take_rows(play: SelfPlay, rows: int = 96) -> Any:
    while play.buffer.num_ready < rows:
        play.step()
    return play.buffer.pop_ready(rows)


@pytest.fixture(scope="module")
def half(engine: Any) -> Any:
    """Return decisions of which half have targets."""
    return take_rows(tables(engine, ExpertConfig(0.5, temperature=0.1), NUM_TABLES))


def test_lookahead_targets_do_not_change_play(engine: Any, half: Any) -> None:
    """Play the same cards with and without targets, and store no targets where none are computed."""
    without = take_rows(tables(engine, None, NUM_TABLES))
    for name in ("observation", "label", "log_probability", "advantage", "value_target", "played_later"):
        assert (getattr(without, name) == getattr(half, name)).all()
    assert without.lookahead_policy.shape == (96, 0)
    assert np.isnan(without.lookahead_value).all()
    looked = half.lookahead_policy.any(axis=1)
    assert 0.2 < looked.mean() < 0.7  # of those with several likely labels, half
    assert (looked == ~np.isnan(half.lookahead_value)).all()
    np.testing.assert_allclose(half.lookahead_policy[looked].astype(float).sum(axis=1), 1, atol=2e-3)
    assert (half.lookahead_policy[~half.legal] == 0).all()


def test_first_lookahead_deal_is_the_true_deal(engine: Any) -> None:
    """With one deal the values are those of the look-ahead on the true hands."""
    play = tables(engine, None)
    for _ in range(8):
        play.step()
    tables_to_play = play.tables.rows_to_play()
    decisions = play.tables.decisions(tables_to_play)
    view = play.policy.features(decisions)
    proposed, keys = play.policy.log_probs(view), np.arange(len(view.open_rows), dtype=np.uint64)
    truth = play.tables.open_hands(tables_to_play[view.open_rows])[:, 1:]
    one, three = (
        LookaheadExpert(play.policy, ExpertConfig(1.0, deals)).compute_targets(decisions, view, proposed, truth, keys)
        for deals in (1, 3)
    )
    np.testing.assert_allclose(
        one.lookahead_value, three.lookahead_value, rtol=0.5, atol=0.2
    )  # the weights differ, the deal does not
    assert (one.lookahead_policy != three.lookahead_policy).any()
    ahead = Lookahead(play.policy, [SearchRound(1)]).improve_policy(decisions, view, proposed, true_hands=truth)
    swapped = Lookahead(play.policy, [SearchRound(1)]).improve_policy(
        decisions, view, proposed, true_hands=truth[:, ::-1]
    )
    tried = ~np.isnan(ahead.expected_points)
    assert (ahead.expected_points[tried] == ahead.first_deal_points[tried]).all()
    assert (ahead.expected_points[tried] != swapped.expected_points[tried]).any()
    rows = np.flatnonzero(tried.any(axis=1))
    assert (one.lookahead_value[rows] >= np.nanmin(ahead.expected_points[rows], axis=1) - 1e-5).all()
    assert (one.lookahead_value[rows] <= np.nanmax(ahead.expected_points[rows], axis=1) + 1e-5).all()


def test_policy_approaches_lookahead_targets(engine: Any, half: Any) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    teaching = ExpertConfig(0.5, loss_weight=20.0)
    learner = PPOLearner(
        networks,
        Symmetries.from_orders(engine.symmetries, engine.observation_features),
        replace(TINY.ppo, learning_rate=1e-2),
        expert_config=teaching,
    )
    seen = [learn(learner, half, np.random.default_rng(3)).lookahead_divergence or 0.0 for _ in range(12)]
    assert 0 < seen[-1] < 0.8 * seen[0]


def test_value_target_mixes_lookahead_values(engine: Any, half: Any) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    learner = PPOLearner(
        networks,
        Symmetries.from_orders(engine.symmetries, engine.observation_features),
        expert_config=ExpertConfig(0.5, value_share=0.25),
    )
    mixed, looked = learner.mix_lookahead_values(half).value_target, ~np.isnan(half.lookahead_value)
    np.testing.assert_allclose(
        mixed[looked], 0.75 * half.value_target[looked] + 0.25 * half.lookahead_value[looked], rtol=1e-5
    )
    assert (mixed[~looked] == half.value_target[~looked]).all()


@long
def test_resumed_run_with_lookahead_equals_uninterrupted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    whole = Trainer.from_config(
        settings(
            tmp_path / "whole",
            lookahead_share=0.3,
            lookahead_value_share=0.5,
            critic_warmup_updates=1,
            total_decisions=1800,
        )
    )
    whole.fit()
    assert read_metrics(tmp_path / "whole")[-1]["lookahead_divergence"] > 0
    half = replace(whole.settings, directory=tmp_path / "parts", total_decisions=900)
    Trainer.from_config(half).fit()
    resumed = Trainer.from_config(replace(half, total_decisions=1800))
    resumed.fit()
    assert same(whole, resumed)
    assert lines(tmp_path / "whole") == lines(tmp_path / "parts")


@long
def test_run_can_be_resumed_with_lookahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Continue with look-ahead a run that began without it; matches are dealt anew."""
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    run = Trainer.from_config(settings(tmp_path, total_decisions=500, critic_warmup_updates=0))
    run.fit()
    assert read_metrics(tmp_path)[-1]["lookahead_divergence"] is None
    Trainer.from_config(replace(run.settings, total_decisions=run.decisions + 500, lookahead_share=1.0)).fit()
    assert read_metrics(tmp_path)[-1]["lookahead_divergence"] > 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lookahead_share", 1.5),
        ("lookahead_value_share", -1.0),
        ("lookahead_deals", 0),
        ("lookahead_temperature", 0.0),
    ],
)
def test_invalid_lookahead_settings_are_rejected(name: str, value: float) -> None:
    with pytest.raises(GameError, match=f"{name}: {value}") as error:
        ExpertConfig.from_settings(replace(TrainConfig(Path()), **{name: value}), PPOConfig())  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_lookahead_rejects_trick_rewards() -> None:
    with pytest.raises(GameError) as error:
        ExpertConfig.from_settings(TrainConfig(Path(), lookahead_share=0.5), PPOConfig(trick_point_reward=0.01))
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    assert not ExpertConfig.from_settings(TrainConfig(Path()), PPOConfig(trick_point_reward=0.01)).share
