"""Policies that play imagined tables on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import make_agent
from abl_cards.agents.determinized_rollouts import DeterminizedRollout
from abl_cards.agents.lookahead import select_candidates
from abl_cards.agents.rollout_policies import (
    FullRolloutPolicy,
    NetworkRolloutPolicy,
    PreferenceRolloutPolicy,
    make_rollout_policy,
)
from abl_cards.games.game import load
from abl_cards.learners.presets import PRESETS, RolloutConfig
from tests.effort import amount
from tests.learners.test_rollout_network import weights_file
from tests.positions import shared_positions

__all__ = ["weights_file"]


@pytest.fixture
def agent(weights_file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an agent whose look-ahead plays on by a rollout network."""
    config = RolloutConfig(hidden=(24, 16), num_tables=12, num_determinizations=5, depths=(1_000,))
    monkeypatch.setitem(PRESETS, "tiny", replace(PRESETS["tiny"], rollout=config, endgame_cards=0))
    return make_agent(f"abl:weights={weights_file}", load("doudizhu").engine())


def test_rollout_network_takes_precedence_over_the_preset(agent: Any) -> None:
    policy = agent.policy
    assert isinstance(make_rollout_policy(policy), NetworkRolloutPolicy)
    policy.networks.rollout_weights = None
    assert isinstance(make_rollout_policy(policy), FullRolloutPolicy)
    policy.networks.preset = replace(policy.networks.preset, rollout_with_kb=True)
    assert isinstance(make_rollout_policy(policy), PreferenceRolloutPolicy)


def test_option_leaves_out_the_rollout_network(agent: Any, weights_file: Path) -> None:
    plain: Any = make_agent(f"abl:weights={weights_file},no-rollout-network", load("doudizhu").engine())
    assert agent.policy.networks.rollout_weights is not None
    assert plain.policy.networks.rollout_weights is None


def test_tables_of_a_decision_are_divided_among_its_labels(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 12 tables, and 5 deals of a label; what is chosen does not depend on the other decisions."""
    decisions: Any = shared_positions(agent.policy.engine, amount(30, 60))
    deals: list[tuple[int, int]] = []
    lookahead, run_round = agent._lookahead, agent._lookahead._run_round

    def record(batch: Any, trials: Any, step: Any) -> None:
        deals.append((int((trials.decision == 0).sum()), step.deals))
        run_round(batch, trials, step)

    monkeypatch.setattr(lookahead, "_run_round", record)
    view = agent.policy.features(decisions)
    prior = agent.policy.log_probs(view)
    together = lookahead.improve_policy(decisions, view, prior)
    assert deals
    assert len({labels for labels, _ in deals}) > 1
    assert all(number == min(5, max(1, 12 // labels)) for labels, number in deals)
    searched = np.flatnonzero(select_candidates(prior, 8, 0.001).any(axis=1))
    assert (np.flatnonzero(~np.isnan(together.expected_points).all(axis=1)) == searched).all()
    for row in searched[: amount(3, 6)]:
        one = decisions.select(view.open_rows[[row]])
        alone = lookahead.improve_policy(one, agent.policy.features(one), prior[[row]])
        np.testing.assert_array_equal(alone.expected_points[0], together.expected_points[row])


def test_episodes_are_played_to_the_end(agent: Any) -> None:
    """Points on single deals are whole results, not values of the critic."""
    decisions: Any = shared_positions(agent.policy.engine, amount(12, 30))
    view = agent.policy.features(decisions)
    first = agent._lookahead.improve_policy(decisions, view, agent.policy.log_probs(view)).first_deal_points
    results = np.abs(first[~np.isnan(first)]).astype(np.float64) ** (
        1 / agent.policy.networks.preset.ppo.reward_exponent
    )
    assert results.size
    np.testing.assert_allclose(results, results.round(), atol=1e-3)
    assert results.min() >= 1


def test_critic_is_asked_once_for_tables_that_end_their_plays_at_different_times(
    agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values are those of tables alone; only tables where a move is forced then need the critic again."""
    policy = agent.policy
    tables = policy.engine.start_matches(np.arange(24, dtype=np.uint64))
    tables.auto_next_episode = False
    kb = make_agent("kb", policy.engine)
    while (choosing := tables.rows_to_choose()).size:
        tables.choose(choosing, kb.choose(tables.choices(choosing), choosing.astype(np.uint64)))
    rollout, asked, value = DeterminizedRollout(policy), list[int](), policy.value
    alone = []
    for row in range(24):
        one = tables.copy(np.array([row]))
        alone.append(rollout.evaluate(one, one.seat.copy(), (3,))[0])

    def record(inputs: Any, privileged: Any) -> Any:
        asked.append(len(inputs.to_beat))
        return value(inputs, privileged)

    monkeypatch.setattr(policy, "value", record)
    together = rollout.evaluate(tables.copy(np.arange(24)), tables.seat.copy(), (3,))
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert sum(asked) == 24
    assert len(asked) <= 6
