"""Positions sampled from play and from records."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import game_names, load
from abl_cards.games.sampling import sample_reachable_decisions
from abl_cards.games.tables.decision_point import is_play_decision
from abl_cards.matches.sampled_positions import (
    collect_situations,
    sample_exchanges,
    sample_from_play,
    sample_from_records,
    sample_positions,
)
from abl_cards.rulelab.comparison.chosen_moves import ComparedKb
from abl_cards.rulelab.comparison.differences import KbDifference
from tests.effort import amount, long


def test_sampled_positions_are_diverse_and_deterministic() -> None:
    engine = load("guandan").engine()
    states = amount(60, 300)
    decisions = sample_from_play(engine, states, seed=1)
    assert len(decisions.rows) == states
    assert decisions.legal_mask.any(axis=0).all()
    leading = decisions.label_to_beat == -1
    assert 10 < leading.sum() < states - 10
    again = sample_from_play(engine, states, seed=1)
    assert (again.legal_mask == decisions.legal_mask).all()
    assert (sample_from_play(engine, states, seed=2).legal_mask != decisions.legal_mask).any()


def test_short_matches_are_sampled_from_several_matches() -> None:
    """Sample from more matches when one match has fewer positions than requested."""
    decisions: Any = sample_from_play(load("doudizhu").engine(), 300, seed=1)
    assert len(decisions.rows) == 300
    assert 50 < (decisions.label_to_beat == -1).sum() < 250
    assert len(set(decisions.view.hidden_hand_sizes.sum(axis=1).tolist())) > 15


def test_records_without_plays_are_rejected() -> None:
    engine = load("guandan").engine()
    with pytest.raises(GameError) as error:
        sample_from_records(engine, [{"level": "2", "plays": []}, {}, {"plays": 3}], 5, seed=0)
    assert error.value.code == ErrorCode.NO_RECORDS


@pytest.mark.parametrize("name", game_names())
def test_sample_from_play_returns_leads_and_responses(name: str) -> None:
    decisions = sample_from_play(load(name).engine(), 40, seed=2)
    assert len(decisions.rows) == 40
    assert (decisions.label_to_beat >= 0).any()
    assert (decisions.label_to_beat < 0).any()


def test_sampled_exchanges_are_tributes_and_returns() -> None:
    engine = load("guandan").engine()
    states = amount(80, 200)
    choices: Any = sample_exchanges(engine, states, seed=1)
    assert len(choices.rows) > states * 0.75  # the others waited for nothing
    assert choices.options.any(axis=1).all()
    assert set(choices.stage.tolist()) == {0, 1}  # to be paid, or returned
    again: Any = sample_exchanges(engine, states, seed=1)
    assert (again.options == choices.options).all()


def test_sample_positions_returns_the_requested_number() -> None:
    engine = load("guandan").engine()
    for states in (1, 3, 40)[amount(1, 0) :]:
        sample = list(sample_positions(engine, states, seed=2))
        assert sum(len(choice.rows) for choice in sample) == states
    assert [is_play_decision(choice) for choice in sample] == [True, True, True, False]


LOCK = """
any(locked,0). count(falls,1). lasts(falls,match).
#external locked. #external falls(N) : N = 1..99. #external event(play). #external event(trick).
#external lays(F) : form(_,F).
next(locked) :- event(play), lays(pair(_)).
drop(locked) :- event(trick).
barred(single(R)) :- rank(R), locked.
barred(pair(R)) :- rank(R), falls(20).
"""
"""A trick of pairs is locked, so nobody leads there; nobody falls."""


def lock(folder: Path, text: str) -> Any:
    """Return a game of singles and pairs with additional rules."""
    shutil.copytree(NEW_GAME, folder)
    (folder / "lock.lp").write_text(text)
    return load(str(folder)).engine()


def side(engine: Any) -> ComparedKb:
    return ComparedKb(engine, engine.preference_model(), collect_situations(engine, 0))


def difference(before: Any, after: Any, states: int) -> KbDifference:
    diff = KbDifference(side(before), side(after))
    for engine in (before, after):
        for decisions in sample_positions(engine, states, 0):
            diff.add(decisions, 0)
    return diff


def test_unreachable_states_make_no_difference(tmp_path: Path) -> None:
    """Ignore differences in states that play does not reach."""
    before = lock(tmp_path / "lock", LOCK)
    decisions: Any
    for decisions in sample_positions(before, 120, 0):
        state = decisions.view.state
        (locked,), (falls,) = (list(before.rules.fluents.find(name).slots) for name in ("locked", "falls"))
        leading = decisions.label_to_beat < 0
        assert not (state.fluents[decisions.rows, locked].astype(bool) & leading).any()
        assert not state.fluents[decisions.rows, falls].any()
    edited = LOCK
    for old, new in (("rank(R), locked.", "rank(R), locked, R > 3."), ("falls(20)", "falls(10)")):
        assert edited.count(old) == 1
        edited = edited.replace(old, new)
    diff = difference(before, lock(tmp_path / "edited", edited), 120)
    assert diff.is_empty
    assert not diff.dead_ends


def test_fluent_of_one_rule_set_makes_a_difference(tmp_path: Path) -> None:
    """Report a difference that depends on a fluent of only one of the rules."""
    plain, locked = lock(tmp_path / "plain", "% nothing\n#show.\n"), lock(tmp_path / "lock", f"{LOCK}{AFTER_PAIR}")
    for before, after in ((plain, locked), (locked, plain)):
        diff = difference(before, after, 120)
        assert diff.gained or diff.lost
        assert not diff.dead_ends


AFTER_PAIR = "barred(pair(R)) :- rank(R), locked, R > 12.\n"


def test_reachable_states_without_a_move_are_reported(tmp_path: Path) -> None:
    before = lock(tmp_path / "before", "% nothing\n#show.\n")
    after = lock(tmp_path / "after", "#external leading. barred(single(R)) :- rank(R), leading.\n")
    diff = KbDifference(side(before), ComparedKb(after, after.preference_model()))
    for decisions in sample_positions(before, 120, 0):
        diff.add(decisions, 0)
    assert diff.dead_ends


@pytest.mark.parametrize("name", [pytest.param("bigtwo", marks=long), "president"])
def test_reachable_decisions_have_a_legal_move(name: str) -> None:
    """Sample only positions with a legal move; others would appear as differences of the rules."""
    engine = load(name).engine()
    decisions = sample_reachable_decisions(engine.rules, collect_situations(engine, 0), 60, 0)
    assert len(decisions.rows) == 60
    assert (np.diff(decisions.moves().start) > 0).all()
