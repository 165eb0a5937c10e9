"""Random states are consistent, and all inputs that queries read vary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.terms import Atom, Signature
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.inputs import find_group
from abl_cards.games.description.pack import WILD
from abl_cards.games.description.queries import QUERY_SPECS
from abl_cards.games.notation.decision_points import decision_point_at
from abl_cards.games.sampling.samples import sample_decisions, sample_estimate, sample_input_rows, sample_lead_decisions
from abl_cards.games.tables.hand_limits import largest_hand
from abl_cards.games.types import NO_CARD
from tests.games.notation.folders import rules_of
from tests.games.sampling.folders import LONG_RUNS
from tests.games.test_vocabulary import engine_of

GAMES = "gifts", "wild", "auction", "president"


@pytest.fixture(params=GAMES)
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    fixture: CompiledGame = request.getfixturevalue(request.param)
    return fixture


def test_sampled_states_hold_one_pack(rules: CompiledGame) -> None:
    state = sample_decisions(rules, 200, 1).view.state
    cards = state.hands.sum(axis=1, dtype=int) + state.aside + state.played.sum(axis=1, dtype=int)
    assert (cards == rules.pack.copies).all()
    assert (state.hands.sum(axis=2) <= largest_hand(rules)).all()


def test_all_inputs_read_by_queries_vary(rules: CompiledGame) -> None:
    rows = sample_input_rows(rules, 4000, 1)
    assert rows.shape == (len(rules.kb.input_atoms), 4000)
    read = set()
    for query in QUERY_SPECS.values():
        outputs = [name for name in query.outputs if Signature.parse(name) in rules.derived_outputs or "cost" in name]
        read |= set(rules.kb.circuit(*outputs).inputs) if outputs else set()
    inputs = zip(rules.kb.input_atoms, rows, strict=True)
    fixed = [atom for atom, row in inputs if atom in read and row.min() == row.max()]
    assert [atom for atom in fixed if not _impossible(rules, atom)] == []


def _impossible(rules: CompiledGame, atom: Atom) -> bool:
    """Return True for inputs with more cards than act as the rank: one joker acts as 7."""
    never = Atom("held", (7, 2)), Atom("held", ("joker", 1)), Atom("to_beat", ("set(7,2)",))
    return rules.folder.name == "auction" and atom in never


def test_sampled_rows_have_input_groups_of_one_query(rules: CompiledGame) -> None:
    rows = sample_input_rows(rules, 1000, 1)
    groups = np.array([find_group(rules.schema, Signature(name, len(args))) for name, args in rules.kb.input_atoms])
    for column in rows.T:
        together = set(groups[column == 1].tolist())
        assert any(together <= query.input_groups for query in QUERY_SPECS.values()), together


def test_equal_seeds_give_equal_samples(rules: CompiledGame) -> None:
    assert (sample_input_rows(rules, 100, 5) == sample_input_rows(rules, 100, 5)).all()


def test_sampled_decisions_and_estimates(rules: CompiledGame) -> None:
    decisions = sample_decisions(rules, 300, 2)
    assert decisions.legal_mask.any(axis=1).mean() > 0.9  # of the labels
    estimate = sample_estimate(rules, decisions, 1)
    assert estimate.shape == (300, rules.seating.seats - 1, len(rules.pack))
    leads = sample_lead_decisions(rules, 20, 1)
    assert (leads.to_beat == -1).all()
    assert (leads.view.hand.sum(axis=1) == largest_hand(rules)).all()


def test_decisions_of_a_game_without_plays_are_passes() -> None:
    """Where all cards move by choices, random states and the options of choices have no form to draw from."""
    engine = engine_of("giving")
    assert sample_decisions(engine.rules, 20, 1).moves().form.tolist() == [engine.rules.forms.pass_form] * 20
    tables = engine.start_matches(np.arange(1, dtype=np.uint64))
    point = decision_point_at(engine.rules, tables.choices(tables.rows_to_choose()), 0)
    assert len(point.labels) == 4


def test_long_runs_to_beat_are_drawn_without_listing_all_their_card_sets(tmp_path: Path) -> None:
    """The cards that a seat does not hold make more than 10^12 runs of twelve: to list them takes days."""
    rules = rules_of(tmp_path, LONG_RUNS)
    view = sample_decisions(rules, 300, 1).view
    long_runs = [index for index, form in enumerate(rules.forms.forms) if form.num_cards == 12]
    rows = np.flatnonzero(np.isin(view.state.to_beat, long_runs))
    assert len(rows) > 30
    assert ((view.state.top_cards[rows] != NO_CARD).sum(axis=1) == 12).all()
    wild = rules.cells.find_kinds(WILD, 0)
    assert len(set(np.isin(view.state.top_cards[rows], wild).sum(axis=1).tolist())) > 1
