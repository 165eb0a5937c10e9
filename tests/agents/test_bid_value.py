"""Bids of ``greedy``: those that pay best on average."""

from types import SimpleNamespace
from typing import cast

import numpy as np

from abl_cards.agents.baselines import _choose_best_bid
from abl_cards.agents.bid_value import compute_bid_values
from abl_cards.agents.registry import make_greedy_agent
from abl_cards.games.game import load
from abl_cards.games.tables import Choices
from abl_cards.matches.match_runner import play_match


def test_greedy_beats_random_in_spades() -> None:
    """By the first option it would always bid nil in Spades, and take tricks: 15.8 % of 1,000 matches."""
    assert play_match("spades", ["greedy", "random"], games=40, seed=7).rate > 0.7


def test_greedy_chooses_the_bid_of_highest_value() -> None:
    engine = load("spades").engine()
    values = compute_bid_values(engine.rules)
    by_name = dict(zip(engine.rules.schema.options, values.tolist(), strict=True))
    assert not np.isnan(values).any()
    assert by_name["bid(1)"] > by_name["bid(0)"] > by_name["bid(13)"]
    choices = next_choices("spades")
    best = make_greedy_agent(engine).choose(choices, np.zeros(len(choices.options), np.uint64))
    assert {engine.rules.schema.options[option] for option in best.tolist()} == {max(by_name, key=lambda n: by_name[n])}


def test_first_legal_option_is_chosen_if_a_value_is_nan() -> None:
    options, values = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 1]], np.uint8), np.array([9.0, -2.0, 3.0])
    choices = cast("Choices", SimpleNamespace(options=options))
    assert _choose_best_bid(choices, values).tolist() == [2, 0, 2]
    assert _choose_best_bid(choices, np.array([9.0, -2.0, np.nan])).tolist() == [1, 0, 1]


def next_choices(game: str) -> Choices:
    """Return the first choices at some tables."""
    tables = load(game).engine().start_matches(np.arange(8, dtype=np.uint64))
    return tables.choices(tables.rows_to_choose())
