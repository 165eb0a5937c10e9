"""Deals weighted by the acts of the others, by a rollout network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from abl_cards.agents import belief_reweighting, make_agent
from abl_cards.agents.belief_reweighting import RANDOM_PLAY_SHARE, BeliefSampler, score_by_opponent_model
from abl_cards.core import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import HISTORY_ACTS, Tables
from abl_cards.learners.presets import PRESETS
from abl_cards.reasoners.hidden_hands import sample_deals, uniform_estimate
from tests.agents.rollout_networks import network_log_probs, random_network
from tests.games.rollouts.sampled_tables import sample_tables

GAMES = [("guandan", None), ("doudizhu", "rlcard"), ("president", None)]


@pytest.mark.parametrize(("game", "profile"), GAMES)
def test_acts_are_as_probable_as_the_network_says(game: str, profile: str | None) -> None:
    """With the true hands the sum is that over all acts of others, at the positions in which they were made."""
    engine = load(game, profile=profile).engine()
    network, kb, every = random_network(engine), make_agent("kb", engine), np.arange(8)
    tables: Any = engine.start_matches(splitmix64_array(every.astype(np.uint64), 3))
    tables.record_history()
    keys, acted = np.zeros(8, np.uint64), []
    while (choosing := tables.rows_to_choose()).size:
        tables.choose(choosing, kb.choose(tables.choices(choosing), keys[choosing]))
    for _ in range(19):
        decisions, seats = tables.decisions(every), tables.seat.copy()
        legal, log_probs = decisions.legal_mask.T > 0, network_log_probs(network, tables, every)
        moves = kb.play(decisions, keys)
        chance = np.exp(log_probs[every, decisions.labels_of(moves.form)])
        mixed = np.log((1 - RANDOM_PLAY_SHARE) * chance + RANDOM_PLAY_SHARE / legal.sum(axis=1))
        acted.append((seats, np.where(legal.sum(axis=1) > 1, mixed, 0)))
        tables.play(every, moves)
    decisions, weights = tables.decisions(every), network.to_weights()
    expected = np.sum([np.where(seats == tables.seat, 0, score) for seats, score in acted], axis=0)
    assert (expected < -1).any()
    hands = decisions.view.hidden_hands[:, None].repeat(3, axis=1)
    found = score_by_opponent_model(engine, weights, decisions, every, hands)
    np.testing.assert_allclose(found, np.stack([expected] * 3, axis=1), atol=1e-3)


def test_hands_that_could_not_act_so_are_unlikely() -> None:
    engine = load("guandan").engine()
    kb, every, keys = make_agent("kb", engine), np.arange(4), np.zeros(4, np.uint64)
    tables: Any = engine.start_matches(splitmix64_array(every.astype(np.uint64), 3))
    tables.record_history()
    for _ in range(9):
        tables.play(every, kb.play(tables.decisions(every), keys))
    decisions = tables.decisions(every)
    true = decisions.view.hidden_hands
    known = decisions.information_set()
    deals = sample_deals(uniform_estimate(known), known, splitmix64_array(keys, every)[:, None])
    scores = score_by_opponent_model(
        engine, random_network(engine).to_weights(), decisions, every, np.stack([true, deals[:, 0]], axis=1)
    )
    assert (scores[:, 0] != scores[:, 1]).all()
    assert (scores <= 0).all()


def test_nothing_is_known_without_a_history() -> None:
    engine = load("guandan").engine()
    tables = sample_tables(engine, 6, 9)
    decisions = tables.decisions(np.arange(3))
    hands = decisions.view.hidden_hands[:, None]
    weights = random_network(engine).to_weights()
    assert (score_by_opponent_model(engine, weights, decisions, np.arange(3), hands) == 0).all()


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
        belief_reweighting, "score_by_opponent_model",
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
