"""Constraints on hidden hands, and beliefs about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.knowledge import compute_constraints, compute_log_odds
from abl_cards.games.tables.play_stats import record_acts
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.view import PlayerView
from abl_cards.reasoners.hidden_hands import hands
from tests.env.steps import VOCABULARY
from tests.games.notation.folders import rules_of


def test_plays_reduce_the_bounds_of_has_and_lacks(gifts: CompiledGame) -> None:
    state = gifts.create_state(3)
    state.hands[:, 1], state.hands[:, 2], state.aside[:] = [0, 0, 2, 0, 1], [1, 0, 0, 0, 2], [0, 0, 0, 0, 1]
    state.fluents[:] = gifts.fluents.defaults
    said_fluent = gifts.fluents.find("said")
    assert said_fluent is not None
    state.fluents[:2, said_fluent.first_slot + 1] = said_fluent.values.index(3)
    state.fluents[2, said_fluent.first_slot + 1] = said_fluent.values.index("none")
    counted = gifts.fluents.find("round")
    assert counted is not None
    state.fluents[:, counted.first_slot] = 2
    state.played[1, 1, 2] = 1
    constraints = compute_constraints(gifts, PlayerView(gifts, state, np.arange(3), np.zeros(3, np.int8)))
    assert constraints.min_copies[:, 0, 2].tolist() == [1, 0, 0]
    assert constraints.max_copies[:, 0, 2].tolist() == [2, 2, 0]
    assert constraints.max_copies[:, 0, 4].tolist() == [1, 1, 1]  # lacks(1,5,2)
    assert constraints.max_copies[:, 1, 4].tolist() == [4, 4, 4]
    assert constraints.num_aside.tolist() == [1, 1, 1]


def test_belief_hints_follow_past_plays(gifts: CompiledGame) -> None:
    state = gifts.create_state(1)
    state.hands[0, :, 0] = 4
    state.fluents[:] = gifts.fluents.defaults
    form = {str(form.name): np.array([index], np.int16) for index, form in enumerate(gifts.forms.forms)}
    record_acts(gifts, state, np.arange(1), form["set(2,1)"])  # seat 0 leads a single 2
    state.seat[:], state.to_beat[:], state.owner[:] = 1, form["set(2,1)"], 0
    record_acts(gifts, state, np.arange(1), form["pass"])
    view = PlayerView(gifts, state, np.arange(1), np.array([2], np.int8))
    points = compute_log_odds(gifts, view)[0] * 10  # of the seats 0 and 1
    assert np.round(points).tolist() == [[3, -20, 0, 0, 0], [0, 0, -7, -7, -7]]


def test_cards_aside_belong_to_no_seat(gifts: CompiledGame) -> None:
    tables = Tables.begin(gifts, np.arange(16, dtype=np.uint64))
    choosing = tables.rows_to_choose()
    tables.choose(choosing, tables.choices(choosing).options.argmax(axis=1).astype(np.uint8))
    playing = tables.rows_to_play()
    decisions: Decisions = tables.decisions(playing)
    constraints, truth = decisions.information_set(), tables.hidden_hands(playing)
    assert (constraints.num_aside == 2).all()
    assert constraints.is_consistent(truth).all()
    estimate = hands.prior_estimate(constraints, decisions.belief_log_odds())
    assert constraints.is_consistent(estimate, 1e-3).all()
    dealt = hands.draw_deals(estimate, constraints, splitmix64_array(np.arange(len(playing), dtype=np.uint64), 1), 5)
    assert all(constraints.is_consistent(dealt[:, draw]).all() for draw in range(5))
    assert constraints.is_consistent(hands.expected_copies(estimate, constraints), 1e-3).all()


def test_information_set_excludes_known_cards_aside() -> None:
    engine = load(str(VOCABULARY / "kitty")).engine()
    tables = Tables.begin(engine.rules, np.arange(8, dtype=np.uint64))
    while len(choosing := tables.rows_to_choose()):
        options = tables.choices(choosing).options
        tables.choose(choosing, (options.shape[1] - 1 - options[:, ::-1].argmax(axis=1)).astype(np.uint8))
    decisions: Decisions = tables.decisions(tables.rows_to_play())
    constraints, aside = decisions.information_set(), tables.state.aside
    assert (constraints.num_aside == 0).all(), "the taker leads"
    assert (constraints.unseen == decisions.view.unseen - aside).all()
    assert constraints.is_consistent(tables.hidden_hands(tables.rows_to_play())).all()
    others = PlayerView(engine.rules, tables.state, decisions.rows, (decisions.view.seats + 1) % 3)
    assert (compute_constraints(engine.rules, others).num_aside == 3).all()
    state = dict(engine.decision_point_at(decisions).state)
    assert state["aside"] == engine.rules.card_codes.write_hand(aside[0])
    known = engine.read_decision_point(state).decision.information_set()
    assert known.unseen.tolist() == constraints.unseen[:1].tolist()
    unknown = engine.read_decision_point({**state, "aside": 3}).decision.information_set()
    assert unknown.num_aside.tolist() == [3], "the state does not give the cards"


SHORT_PACK = """
#include <ace_high>.  #include <seats>.  #include <tricks>.  #include <voids>.
seat(0..2). deals(S,10) :- seat(S). leads(0).
missing(R,T) :- rank(R), suit(T), R < 7.
#external tricks(S,N) : seat(S), N = 1..10.  #external event(trick).
count(tricks,2).
adds(tricks(S),1,t) :- event(trick), takes(S).
points(S,1,N) :- tricks(S,N).
"""


def test_void_facts_name_only_cards_of_the_pack(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, SHORT_PACK)
    assert len(rules.pack) == 32
    lacking = {arguments[1:3] for arguments in rules.kb.instances("lacks", 4)}
    assert lacking == {(rank, suit) for rank in range(7, 15) for suit in "shcd"}
