"""Tests of responses of other seats, by deals that are sampled from an estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables import compute_response_mask
from abl_cards.reasoners.hidden_hands.hands import prior_estimate, project_estimate
from abl_cards.reasoners.hidden_hands.response_probabilities import count_responses, observation_keys

DRAWS = 8


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


@pytest.fixture(scope="module")
def table(engine: Any) -> Any:
    """Return tables in the middle of their episodes."""
    tables = engine.start_matches(splitmix64_array(np.full(16, 3, np.uint64), np.arange(16)))
    player = make_agent("greedy", engine)
    for _ in range(40):
        giving, playing = tables.rows_to_choose(), tables.rows_to_play()
        if giving.size:
            tables.choose(giving, player.choose(tables.choices(giving), tables.keys[giving]))
        playing = tables.rows_to_play()
        tables.play(playing, player.play(tables.decisions(playing), tables.keys[playing]))
    return tables


def test_probabilities_of_known_hands_follow_the_rules(engine: Any, table: Any) -> None:
    rows = table.rows_to_play()
    decisions, hands = table.decisions(rows), table.hidden_hands(rows)
    facts = decisions.information_set()
    known = facts.__class__(facts.unseen, facts.cards_left, hands, hands)
    counts = count_responses(engine, decisions.context, hands.astype(np.float32), known, table.keys[rows], DRAWS)
    for seat in range(3):
        assert (counts[:, seat] == DRAWS * compute_response_mask(engine.rules, decisions.context, hands[:, seat])).all()


def test_probabilities_follow_the_estimate(engine: Any, table: Any) -> None:
    rows = table.rows_to_play()
    decisions = table.decisions(rows)
    facts = decisions.information_set()
    even = project_estimate(prior_estimate(facts, decisions.belief_log_odds()), facts)
    label = engine.labels.index("single(10)")
    shares = []
    for factor in (0.05, 1.0, 20.0):
        leaning = even.copy()
        leaning[:, 0, 32:] *= factor  # jacks and above with the next seat: many, or few
        counts = count_responses(engine, decisions.context, leaning, facts, table.keys[rows], DRAWS)
        assert counts.max() <= DRAWS
        shares.append(counts[:, 0, label].mean())
    assert shares[0] < shares[1] < shares[2]


def test_observation_keys_are_unique() -> None:
    seen = np.random.default_rng(0).integers(0, 3, (500, 91), np.uint8)
    keys = observation_keys(seen)
    assert len(np.unique(keys)) == len(seen)
    assert (observation_keys(seen[::-1]) == keys[::-1]).all()
    changed = seen.copy()
    changed[:, 90] += 1
    assert (observation_keys(changed) != keys).all()
