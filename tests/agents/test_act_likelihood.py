"""How probable acts were for hypothetical hands, by a network of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents import make_agent
from abl_cards.agents.act_likelihood import RANDOM_PLAY_SHARE, compute_act_log_probs
from abl_cards.core import splitmix64_array
from abl_cards.games.game import load
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
    found = compute_act_log_probs(engine, weights, decisions, every, hands)
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
    scores = compute_act_log_probs(
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
    assert (compute_act_log_probs(engine, weights, decisions, np.arange(3), hands) == 0).all()


@pytest.mark.parametrize(("game", "profile"), GAMES)
def test_hands_are_scored_together_as_alone(game: str, profile: str | None) -> None:
    """Neither equal hands, nor the hands before in the sums, nor those that wait with it change a score."""
    engine = load(game, profile=profile).engine()
    kb, every, keys = make_agent("kb", engine), np.arange(3), splitmix64_array(np.arange(3).astype(np.uint64), 4)
    tables: Any = engine.start_matches(keys)
    tables.record_history()
    while (choosing := tables.rows_to_choose()).size:
        tables.choose(choosing, kb.choose(tables.choices(choosing), keys[choosing]))
    for _ in range(9):
        tables.play(every, kb.play(tables.decisions(every), keys))
    decisions, weights = tables.decisions(every), random_network(engine).to_weights()
    known = decisions.information_set()
    deals = sample_deals(uniform_estimate(known), known, splitmix64_array(keys[:, None], np.arange(11)))
    deals = np.concatenate([deals, deals[:, 3:7], decisions.view.hidden_hands[:, None]], axis=1)
    together = compute_act_log_probs(engine, weights, decisions, every, deals)
    alone = [
        compute_act_log_probs(engine, weights, decisions, every, deals[:, [deal]]) for deal in range(deals.shape[1])
    ]
    np.testing.assert_allclose(together, np.concatenate(alone, axis=1), rtol=1e-6)
    assert len(np.unique(together[0])) > 5
