"""Positions met in play and out of records."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.errors import GameError
from abl_cards.games import game, game_names
from abl_cards.games.moment import is_play
from abl_cards.positions import cards_to_give, met_in_play, of_all_kinds, out_of_records, situations
from reasoners.differences import KbDifference, Side


def test_positions_are_decisions_of_many_kinds() -> None:
    engine = game("guandan").engine()
    decisions = met_in_play(engine, 300, seed=1)
    assert len(decisions.which) == 300
    assert decisions.legal.any(axis=0).all()
    leading = decisions.label_to_beat == -1
    assert 10 < leading.sum() < 290
    again = met_in_play(engine, 300, seed=1)
    assert (again.legal == decisions.legal).all()
    assert (met_in_play(engine, 300, seed=2).legal != decisions.legal).any()


def test_positions_of_short_matches_lie_in_later_ones() -> None:
    """A match of Dou dizhu is one game; many positions are deeper than it is long."""
    decisions: Any = met_in_play(game("doudizhu").engine(), 300, seed=1)
    assert len(decisions.which) == 300
    assert 50 < (decisions.label_to_beat == -1).sum() < 250
    assert len(set(decisions.view.sizes.sum(axis=1).tolist())) > 15


def test_records_without_plays() -> None:
    engine = game("guandan").engine()
    with pytest.raises(GameError, match="no plays"):
        out_of_records(engine, [{"level": "2", "plays": []}, {}, {"plays": 3}], 5, seed=0)


@pytest.mark.parametrize("name", game_names())
def test_positions_are_met_however_short_the_matches_are(name: str) -> None:
    decisions = met_in_play(game(name).engine(), 40, seed=2)
    assert len(decisions.which) == 40
    assert (decisions.label_to_beat >= 0).any()
    assert (decisions.label_to_beat < 0).any()


def test_cards_to_give_are_paid_or_returned() -> None:
    engine = game("guandan").engine()
    choices: Any = cards_to_give(engine, 200, seed=1)
    assert len(choices.which) > 150  # the others waited for nothing
    assert choices.options.any(axis=1).all()
    assert set(choices.stage.tolist()) == {0, 1}  # to be paid, or returned
    again: Any = cards_to_give(engine, 200, seed=1)
    assert (again.options == choices.options).all()


def test_all_kinds_are_as_many_as_asked() -> None:
    engine = game("guandan").engine()
    for states in (1, 3, 40):
        sizes = [len(choice.which) for choice in of_all_kinds(engine, states, seed=2)]
        assert sum(sizes) == states
    assert [is_play(choice) for choice in of_all_kinds(engine, 40, seed=2)] == [True, True, True, False]


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
    """A game of singles and pairs with these rules besides."""
    shutil.copytree(NEW_GAME, folder)
    (folder / "lock.lp").write_text(text)
    return game(str(folder)).engine()


def side(engine: Any) -> Side:
    return Side(engine, engine.judge(), situations(engine, 0))


def difference(before: Any, after: Any, states: int) -> KbDifference:
    found = KbDifference(side(before), side(after))
    for engine in (before, after):
        for decisions in of_all_kinds(engine, states, 0):
            found.add(decisions, 0)
    return found


def test_states_that_no_play_comes_to_make_no_difference(tmp_path: Path) -> None:
    """Locked with nobody to beat leaves no move; single threes are never barred but there, and nobody has fallen."""
    before = lock(tmp_path / "lock", LOCK)
    decisions: Any
    for decisions in of_all_kinds(before, 120, 0):
        state = decisions.view.state
        (locked,), (falls,) = (list(before.rules.fluents.named(name).slots) for name in ("locked", "falls"))
        leading = decisions.label_to_beat < 0
        assert not (state.fluents[decisions.which, locked].astype(bool) & leading).any()
        assert not state.fluents[decisions.which, falls].any()
    edited = LOCK
    for old, new in (("rank(R), locked.", "rank(R), locked, R > 3."), ("falls(20)", "falls(10)")):
        assert edited.count(old) == 1
        edited = edited.replace(old, new)
    found = difference(before, lock(tmp_path / "edited", edited), 120)
    assert found.nothing
    assert not found.stuck


def test_what_another_fluent_forbids_is_a_difference(tmp_path: Path) -> None:
    """A fluent that only one of the rules has changes states that either play comes to."""
    plain, locked = lock(tmp_path / "plain", "% nothing\n#show.\n"), lock(tmp_path / "lock", f"{LOCK}{AFTER_PAIR}")
    for before, after in ((plain, locked), (locked, plain)):
        found = difference(before, after, 120)
        assert found.gained or found.lost
        assert not found.stuck


AFTER_PAIR = "barred(pair(R)) :- rank(R), locked, R > 12.\n"


def test_a_state_without_a_move_is_told_where_play_comes_to_it(tmp_path: Path) -> None:
    before = lock(tmp_path / "before", "% nothing\n#show.\n")
    after = lock(tmp_path / "after", "#external leading. barred(single(R)) :- rank(R), leading.\n")
    found = KbDifference(side(before), Side(after, after.judge()))
    for decisions in of_all_kinds(before, 120, 0):
        found.add(decisions, 0)
    assert found.stuck


def test_random_plays_have_a_move_in_every_shipped_game() -> None:
    """A play that cannot be answered there would be told as a difference of rules that do not differ."""
    for name in ("bigtwo", "president"):
        engine = game(name).engine()
        found = engine.sample_situations(situations(engine, 0), 60, 0)
        assert len(found.which) == 60
        assert (np.diff(found.moves().start) > 0).all()
