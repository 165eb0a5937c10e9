"""Tests of rule coverage and of states in which unfired rules would fire."""

import shutil
from pathlib import Path

import pytest

from abl_cards.games.engine import Engine
from abl_cards.rulelab.testing.coverage import (
    IMPOSSIBLE,
    POSSIBLE,
    UNREACHED,
    UNREAD,
    RuleCoverage,
    measure_coverage,
)
from abl_cards.rulelab.testing.differences import UNREACHED_TEXT as UNMET_STATES
from abl_cards.rulelab.testing.differences import find_rule_difference
from tests.effort import amount
from tests.rulelab.testing.conftest import engine_of

GAMES = amount(24, 60)
MORE = """
preference(rare, g). says(rare, en, "Rare."). says(rare, zh, "少见。").
#external left(R,N) : rank(R), N = 1..4.
#external cards(W,N) : who(W,_), N = 0..52.
cost(rare, 1) :- left(3,4), left(4,4), left(5,4), left(6,4).
preference(never, g). says(never, en, "Never."). says(never, zh, "没有。").
cost(never, 1) :- left(3,4), not left(3,2).
preference(mild, g). says(mild, en, "Mild."). says(mild, zh, "平常。").
cost(mild, 1) :- left(3,1).
"""

LONG_MATCH = """
#external event(E) : E = (play;pass;trick;end).
#external round(N) : N = 1..5.
count(round,1). lasts(round,match).
adds(round,1,played) :- event(end).
match_over :- round(4).
"""


def coverage_of(engine: Engine, games: int = GAMES) -> RuleCoverage:
    return measure_coverage(engine, games, 1, lambda done: None)


@pytest.fixture(scope="module")
def new_game_coverage(engine: Engine) -> RuleCoverage:
    """Return the coverage of the rules of the game that `kb new` makes."""
    return coverage_of(engine)


def test_all_rules_of_a_new_game_fire(new_game_coverage: RuleCoverage) -> None:
    coverage = new_game_coverage
    assert coverage.num_games == GAMES
    assert not coverage.unplayed_labels
    assert [unfired.rule.text for unfired in coverage.unfired_rules if not unfired.is_common] == []
    assert {unfired.verdict for unfired in coverage.unfired_rules} <= {IMPOSSIBLE, POSSIBLE, UNREAD}


def test_unfired_rules_have_a_state_or_a_proof(folder: Path) -> None:
    (folder / "preferences.lp").write_text(MORE, "utf-8")
    coverage = coverage_of(engine_of(folder))
    assert coverage.unfired_preferences == ("never", "rare")
    silent = {
        unfired.rule.text.partition("(")[2].partition(",")[0]: unfired
        for unfired in coverage.unfired_rules
        if not unfired.is_common
    }
    assert set(silent) == {"never", "rare"}
    assert silent["never"].verdict == IMPOSSIBLE
    assert silent["rare"].verdict == POSSIBLE
    assert {f"left({rank},4)" for rank in range(3, 7)} <= set(silent["rare"].state)
    assert coverage.to_json()["preferences_never_fired"] == ["never", "rare"]


def test_rules_that_serve_no_query_are_not_called_impossible(folder: Path) -> None:
    (folder / "spare.lp").write_text("spare :- leading. never :- 1 > 2, leading.", "utf-8")
    coverage = coverage_of(engine_of(folder), 3)
    spare = [rule.verdict for rule in coverage.unfired_rules if Path(rule.rule.location.file).name == "spare.lp"]
    assert spare == [UNREAD, IMPOSSIBLE]


def test_matches_of_several_deals_end(folder: Path) -> None:
    game = (folder / "game.lp").read_text("utf-8")
    (folder / "game.lp").write_text(game.replace("match_over.", LONG_MATCH), "utf-8")
    assert [
        unfired.rule.text for unfired in coverage_of(engine_of(folder)).unfired_rules if not unfired.is_common
    ] == []


@pytest.mark.parametrize("name", ["tricks", "heaps"])
def test_trick_rules_are_covered(name: str) -> None:
    """Rules about the cards of a trick fire at every play, also within composed plays."""
    coverage = coverage_of(engine_of(Path(__file__).parents[2] / "games" / "vocabulary" / name), amount(12, 60))
    assert [
        unfired.rule.text for unfired in coverage.unfired_rules if not unfired.is_common and unfired.verdict == POSSIBLE
    ] == []


def test_turn_rules_of_the_lookup_table_are_covered(new_game_coverage: RuleCoverage) -> None:
    """Turns come from a precomputed table, whose rules are recorded where an entry is used."""
    unfired_rules = new_game_coverage.unfired_rules
    turns = [unfired for unfired in unfired_rules if Path(unfired.rule.location.file).name == "turns.lp"]
    assert all(unfired.rule.text.startswith(("locked", "turn(S) :- trick_over; owner(O)")) for unfired in turns)


LOCK = """
any(locked,0). count(falls,1). lasts(falls,match).
#external locked. #external leading. #external falls(N) : N = 1..99. #external event(play). #external event(trick).
#external lays(F) : form(_,F).
next(locked) :- event(play), lays(pair(_)).
drop(locked) :- event(trick).
barred(single(R)) :- rank(R), R > 12, locked, leading.
barred(pair(R)) :- rank(R), R > 12, falls(20).
barred(pair(R)) :- rank(R), locked, held(R,4), held(3,4), held(4,4).
"""
"""Two rules that cannot fire, leading in a locked trick and falls(20), and one that rarely fires."""


def locked(folder: Path, text: str = LOCK) -> Engine:
    (folder / "lock.lp").write_text(text, "utf-8")
    return engine_of(folder)


def test_suggested_states_are_reachable(folder: Path) -> None:
    coverage = coverage_of(locked(folder))
    silent = {
        unfired.rule.text: unfired for unfired in coverage.unfired_rules if unfired.rule.text.startswith("barred")
    }
    leads, falls, rare = (next(unfired for text, unfired in silent.items() if word in text) for word in WORDS)
    assert [leads.verdict, falls.verdict, rare.verdict] == [UNREACHED, UNREACHED, POSSIBLE]
    assert (leads.state, leads.position, falls.state, falls.position) == ((), None, (), None)
    assert "locked" in rare.state
    assert any(atom.startswith("to_beat(pair(") for atom in rare.state)
    assert rare.position is not None
    assert rare.position["to_beat"]["label"].startswith("pair(")
    assert not set(rare.position["hand"]) & set(rare.position["to_beat"]["cards"])


WORDS = "leading", "falls(20)", "held(3,4)"


@pytest.mark.long
def test_differences_are_searched_in_reachable_states(folder: Path, tmp_path: Path) -> None:
    """Edits of rules that cannot fire differ in unreachable states only, and yield no case."""
    before = locked(folder)
    edited = {
        "R > 12, locked, leading": ("R > 11, locked, leading", UNMET_STATES),
        "R > 12, falls(20)": ("R > 11, falls(20)", UNMET_STATES),
        "held(4,4)": ("held(5,4)", "what may be played: differs where "),
    }
    for number, (old, (new, description)) in enumerate(edited.items()):
        assert LOCK.count(old) == 1
        copy = Path(shutil.copytree(folder, tmp_path / str(number) / folder.name))
        difference = find_rule_difference(before, locked(copy, LOCK.replace(old, new)), 20)
        assert difference is not None
        assert difference.is_certain
        assert description in difference.description
        assert (difference.case is None) == (description == UNMET_STATES)
