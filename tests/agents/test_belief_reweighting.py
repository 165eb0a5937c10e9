"""Deals weighted by the acts of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from abl_cards.agents import belief_reweighting, make_agent
from abl_cards.agents.belief_reweighting import BeliefSampler
from abl_cards.agents.lookahead import Lookahead
from abl_cards.agents.search_budget import SearchRound
from abl_cards.core import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import HISTORY_ACTS, Tables
from abl_cards.learners.presets import PRESETS
from abl_cards.reasoners.hidden_hands import draw_deals, uniform_estimate
from tests.agents.policies import untrained_whist_policy


@pytest.mark.parametrize(("is_set", "options", "is_needed"), [  # of `likelihood_exponent`
    (True, "", True), (True, "think=20", True), (False, "", False), (False, "think=20", False),
    (True, "no-rollout-network", False), (True, "no-lookahead", False),
])  # fmt: skip
def test_history_is_needed_where_deals_are_weighted(
    monkeypatch: pytest.MonkeyPatch, is_set: bool, options: str, is_needed: bool
) -> None:
    small = PRESETS["small"]
    rollout = replace(small.rollout, likelihood_exponent=0.4 if is_set else 0.0)
    monkeypatch.setitem(PRESETS, "small", replace(small, rollout=rollout))
    engine = load("guandan").engine()
    agent = cast(Any, make_agent(f"abl:{options}" if options else "abl", engine))
    assert agent.needs_history == is_needed * HISTORY_ACTS
    if "no-" not in options:
        assert cast(Any, make_agent("abl", engine)).with_time_limit(0.02).needs_history == agent.needs_history


def test_deals_go_by_what_the_others_did() -> None:
    """Imagined hands differ where tables have a history, and agree with all that is known."""
    engine = load("guandan").engine()
    agent, kb = cast(Any, make_agent("abl", engine)), make_agent("kb", engine)
    keys, every = splitmix64_array(np.arange(3).astype(np.uint64), 3), np.arange(3)
    found = []
    for has_history in (True, False):
        tables: Any = engine.start_matches(keys)
        if has_history:
            tables.record_history()
        for _ in range(24):
            tables.play(every, kb.play(tables.decisions(every), keys))
        decisions = tables.decisions(every)
        inputs = agent.policy.features(decisions)
        found.append(agent._lookahead.sample_deals(BeliefSampler(agent.policy, decisions, inputs), 8))
        known = decisions.information_set().select(inputs.open_rows[[0]])
        assert (found[-1].sum(axis=1) == known.unseen[0]).all()
        assert (found[-1].sum(axis=2) == known.cards_left[0]).all()
    assert (found[0] != found[1]).any()


def test_an_explanation_shows_deals_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a time limit a pool has as many deals as the last ones took time, so the search must not leave its own."""
    engine = load("guandan").engine()
    agent, kb = cast(Any, make_agent("abl:think=40", engine)), make_agent("kb", engine)
    tables: Any = engine.start_matches(splitmix64_array(np.arange(1).astype(np.uint64), 3))
    tables.record_history(HISTORY_ACTS)
    row, keys, imagined, explained = np.zeros(1, np.int64), np.zeros(1, np.uint64), set[bytes](), 0
    imagine = Tables.determinize

    def record_deals(decisions: Any, rows: Any, hands: Any) -> Tables:
        imagined.update(hand.tobytes() for hand in hands)
        return imagine(decisions, rows, hands)

    monkeypatch.setattr(Tables, "determinize", record_deals)
    while explained < 3:
        decisions = tables.decisions(row)
        imagined.clear()
        shown = agent.compute_model_explanation(engine.decision_point_at(decisions, 0)).sampled_deals
        if shown is not None:
            explained += 1
            assert {deal.tobytes() for deal in shown} <= imagined
        tables.play(row, kb.play(decisions, keys))


@pytest.mark.parametrize(("game", "profile"), [("guandan", None), ("doudizhu", "rlcard")])
def test_draws_are_those_of_a_weighted_pool(game: str, profile: str | None) -> None:
    """Both the look-ahead and the search of endgames draw by a sampler; equal numbers give equal deals."""
    engine = load(game).engine(profile=profile)
    agent, kb = cast(Any, make_agent("abl", engine)), make_agent("kb", engine)
    assert agent.needs_history == HISTORY_ACTS
    keys, every = splitmix64_array(np.arange(2).astype(np.uint64), 3), np.arange(2)
    for has_history in (True, False):
        tables: Any = engine.start_matches(keys)
        if has_history:
            tables.record_history(HISTORY_ACTS)
        for _ in range(9):
            tables.play(every, kb.play(tables.decisions(every), keys))
        decisions = tables.decisions(every)
        inputs = agent.policy.features(decisions)
        rows = np.arange(len(inputs.open_rows))
        assert rows.size
        sampler = BeliefSampler(agent.policy, decisions, inputs)
        assert sampler.weight_pools(rows[:1], 16) == has_history * 16
        assert sampler.weight_pools(rows, 16) == has_history * 16 * (len(rows) - 1)
        assert sampler.weight_pools(rows, 16) == 0
        deals = sampler.draw(rows, 0, 40)
        assert (sampler.draw(rows[-1:], 7, 9)[0] == deals[-1, 7:16]).all()
        known = decisions.information_set().select(inputs.open_rows)
        assert (deals.sum(axis=3) == known.cards_left[:, None]).all()
        distinct = len({deal.tobytes() for deal in deals[0]})
        assert distinct <= 16 if has_history else distinct > 16


def test_deals_that_explain_the_acts_are_drawn_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the acts of the others can be made from half of the pool alone, hardly another deal is drawn."""
    engine = load("guandan").engine()
    agent = cast(Any, make_agent("abl", engine))
    monkeypatch.setattr(
        belief_reweighting, "compute_act_log_probs",
        lambda engine, weights, decisions, rows, deals: np.where(deals[:, :, 0, 0] > 0, 0.0, -60.0),
    )  # fmt: skip
    tables: Any = engine.start_matches(splitmix64_array(np.arange(1).astype(np.uint64), 3))
    tables.record_history(HISTORY_ACTS)
    while not len((inputs := agent.policy.features(decisions := tables.decisions(np.zeros(1, np.int64)))).open_rows):
        tables.play(np.zeros(1, np.int64), inputs.survey.realise(inputs.complete_labels(np.zeros(0, np.int16))))
    row = np.zeros(1, np.int64)
    sampler = BeliefSampler(agent.policy, decisions, inputs)
    sampler.weight_pools(row, 64)
    holds = sampler.draw(row, 0, 64)[0, :, 0, 0]
    assert (holds > 0).all()


def test_resample_deals_follows_the_weights() -> None:
    """Resample the deals of each decision in proportion to their weights, whatever part of the draws it is."""
    weights = np.array([[1, 1e-9, 3, 1e-9], [1, 1, 1, 1]])
    shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    deals = np.arange(4, dtype=np.uint8).reshape(4, 1, 1)
    for first, count in ((0, 200), (77, 100)):
        for sums, expected in zip(shares, ([0.25, 0, 0.75, 0], [0.25] * 4), strict=True):
            resampled = belief_reweighting.resample_deals(deals, sums, first, count).ravel()
            np.testing.assert_allclose(np.bincount(resampled, minlength=4) / count, expected, atol=0.03)
    whole = belief_reweighting.resample_deals(deals, shares[0], 0, 12)
    assert (belief_reweighting.resample_deals(deals, shares[0], 5, 7) == whole[5:]).all()


def test_recorded_history_changes_deals_and_keeps_them_consistent() -> None:
    engine, neural_policy = untrained_whist_policy()
    player, every, keys = make_agent("greedy", engine), np.arange(8), np.zeros(8, np.uint64)
    deals_by_memory = []
    for remembers in (True, False):
        tables: Any = engine.start_matches(splitmix64_array(np.arange(8).astype(np.uint64), 3))
        if remembers:
            tables.record_history()
        for _ in range(10):
            tables.play(every, player.play(tables.decisions(every), keys))
        decisions = tables.decisions(every)
        view = neural_policy.features(decisions)
        deals_by_memory.append(
            Lookahead(neural_policy, [SearchRound(8)]).sample_deals(BeliefSampler(neural_policy, decisions, view), 8)
        )
        hidden = decisions.information_set().select(view.open_rows[[0]])
        assert (deals_by_memory[-1].sum(axis=1) == hidden.unseen[0]).all()
        assert (deals_by_memory[-1].sum(axis=2) == hidden.cards_left[0]).all()
        assert (deals_by_memory[-1] <= hidden.max_copies[0]).all()
    assert (deals_by_memory[0] != deals_by_memory[1]).any()


def test_deal_weights_equal_the_policy_probabilities_of_past_acts() -> None:
    """Weights equal those of deals one by one; without history all weights are equal."""
    whist, neural_policy = untrained_whist_policy()
    tables: Any = whist.start_matches(splitmix64_array(np.arange(6).astype(np.uint64), 3))
    player, every, keys = make_agent("greedy", whist), np.arange(6), np.zeros(6, np.uint64)
    forgotten = tables.decisions(every)
    tables.record_history()
    for _ in range(9):
        tables.play(every, player.play(tables.decisions(every), keys))
    decisions = tables.decisions(every)
    known = decisions.information_set()
    deals = draw_deals(uniform_estimate(known), known, splitmix64_array(keys, np.arange(6)), 5)
    log_weights = belief_reweighting._compute_log_weights(neural_policy, decisions, every, deals)
    assert (belief_reweighting._compute_log_weights(neural_policy, forgotten, every, deals) == 0).all()
    alone = np.zeros_like(log_weights)
    for row in range(6):
        for deal in range(5):
            for _, then, label in decisions.past_decisions(np.array([row]), deals[[row], deal]):
                for act in range(len(label)):
                    view = neural_policy.features(then.select(np.array([act])))
                    if len(view.open_rows):
                        chance = float(np.exp(neural_policy.log_probs(view)[0, label[act]]))
                        alone[row, deal] += np.log(0.9 * chance + 0.1 * view.legal[0, label[act]] / view.legal.sum())
    np.testing.assert_allclose(log_weights, alone - alone.max(axis=1, keepdims=True), atol=1e-3)
    assert (log_weights.min(axis=1) < -0.1).any()
