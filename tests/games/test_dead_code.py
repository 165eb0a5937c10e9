"""Warnings of rules that can fire in no state of any profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.dead_code import find_dead_rules
from abl_cards.games.game import game_names, load
from tests.edited import edited
from tests.effort import long

SMALL = ("paodekuai", "president", "whist")


def warnings_of(folder: Path, profile: str | None = None) -> list[tuple[str, int, int]]:
    """Return file, line and column of each such warning."""
    game = load(str(folder))
    found = game.warnings(game.knowledge_base(None, profile), None, profile)
    places = [warning.location for warning in found if warning.code == ErrorCode.NEVER_DERIVED]
    return [(Path(place.file).name, place.line, place.column) for place in places if place]


@pytest.mark.parametrize(
    ("rules", "places"),
    [
        ("barred(F) :- kind(F,singel).", [("more.lp", 1, 14)]),  # at the condition, though other rules bar forms
        ("near(3..5). far(R) :- near(R), R > 5. barred(set(R,1)) :- far(R).", []),  # far/1 is reported
        ("near(R) :- rank(R), R < 5. far(9). barred(set(R,1)) :- near(R), far(R).", [("more.lp", 1, 36)]),
        ("barred(set(R,1)) :- rank(R), not form(_,set(R,1)).", [("more.lp", 1, 1)]),
        ("barred(set(R,1)) :- near(R), not leading. near(3).", []),
        ("barred(set(R,1);set(R,2)) :- near(R), not leading. near(3).", []),  # a pool of heads ended in a traceback
        ("barred(set(R,1);set(R,2)) :- near(R), not leading, R > 3. near(3).", [("more.lp", 1, 1)]),
        ("#defined mine/1. barred(set(R,1)) :- mine(R).", []),  # a switch that is off
        ("mine(no). :- mine(X), X != yes, X != no. barred(set(3,1)) :- mine(yes), not leading.", []),  # another value
    ],
)
def test_rules_that_never_fire_are_warnings(tmp_path: Path, rules: str, places: list[tuple[str, int, int]]) -> None:
    assert warnings_of(edited(tmp_path / "game", more=rules, name="president")) == places


def test_rules_for_another_profile_are_not_warnings(tmp_path: Path) -> None:
    """In neither of the profiles, unless it fires in none."""
    folder = edited(
        tmp_path / "game", more="barred(set(3,1)) :- ace(low), not leading.\nbarred(set(3,1)) :- ace(none).\n"
        "barred(set(4,1)) :- ace(high), not leading.\n", name="president",
    )  # fmt: skip
    (folder / "profiles").mkdir()
    for name in ("low", "high"):
        (folder / "profiles" / f"{name}.lp").write_text(f"ace({name}).\n", "utf-8")
    with (folder / "game.lp").open("a", encoding="utf-8") as game:
        game.write("default_profile(low).\n")
    assert [warnings_of(folder, name) for name in ("low", "high")] == [[("more.lp", 2, 21)]] * 2


FULL_HOUSES = """label(full(R)) :- rank(R).
order(full(R),(8,R)) :- rank(R).
kind(full(R),full) :- rank(R).
strength(full(R),R) :- rank(R).
needs(full(R),1,R,3) :- rank(R).
kickers(full(R),1,2) :- rank(R).
kicker(full(R),Q,1) :- rank(R), rank(Q), Q != R.
"""
"""Labels of a new kind; no rule says when a hand has their cards."""


@pytest.mark.parametrize(
    ("rules", "places"),
    [
        (FULL_HOUSES, [("more.lp", 1, 1)]),
        (FULL_HOUSES + "#include <playable>.\n", []),
        (FULL_HOUSES + "playable(full(R)) :- rank(R), R > 9, held(R,3), held(R-1,2).\n", []),  # some of them are legal
        (FULL_HOUSES + "playable(full(R)) :- rank(R), held(R,3).\nbarred(full(R)) :- rank(R).\n", []),  # on purpose
    ],
)
def test_labels_that_are_never_legal_are_warnings(
    tmp_path: Path, rules: str, places: list[tuple[str, int, int]]
) -> None:
    assert warnings_of(edited(tmp_path / "game", more=rules, name="president")) == places


def test_definitions_for_profiles_or_show_rules_are_not_warnings(tmp_path: Path) -> None:
    folder = edited(
        tmp_path / "game", more="#const five = 5. #const shown = 6. #const no = 7. #defined mine/1. #defined our/1.\n",
        name="president",
    )  # fmt: skip
    (folder / "profiles").mkdir()
    (folder / "profiles" / "low.lp").write_text("barred(set(five,1)) :- mine(low).\n", "utf-8")
    (folder / "profiles" / "high.lp").write_text("% no\n", "utf-8")
    for name, text in (("game", "default_profile(low).\n"), ("show", "show_value(level) :- shown = 7.\n")):
        with (folder / f"{name}.lp").open("a", encoding="utf-8") as file:
            file.write(text)
    for profile in ("low", "high"):
        found = load(str(folder)).knowledge_base(None, profile).warnings
        places = [warning.location for warning in found if warning.code == ErrorCode.UNUSED_DEFINITION]
        assert [(place.line, place.column) for place in places if place] == [(1, 36), (1, 68)], found


@pytest.mark.parametrize(
    "name", [*SMALL, *(pytest.param(name, marks=long) for name in game_names() if name not in SMALL)]
)
def test_shipped_games_have_no_dead_rules(name: str) -> None:
    game = load(name)
    assert list(find_dead_rules(game.folder, game.profile)) == []


def test_unread_rule_files_are_warnings(tmp_path: Path) -> None:
    """Neither are files of a subfolder with another name, nor of another suffix; games within the folder are left."""
    folder = edited(tmp_path / "game", more='#include "parts/read.lp".', name="president")
    for file in ("parts/read.lp", "parts/left.lp", "profile/typo.lp", "upper.LP", "inner/game.lp", "inner/more.lp"):
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("barred(set(3,1)) :- not leading.", "utf-8")
    game = load(str(folder))
    found = [warning for warning in game.warnings(game.knowledge_base()) if warning.message == "this file is not read"]
    places = [warning.location.file for warning in found if warning.location]
    assert places == [str(folder / name) for name in ("parts/left.lp", "profile/typo.lp", "upper.LP")]
    assert {warning.code for warning in found} == {ErrorCode.UNUSED_DEFINITION}


def test_several_profiles_require_a_default(tmp_path: Path) -> None:
    """`kb check` called such rules sound, and all other commands refused them."""
    folder = edited(tmp_path / "game", name="president")
    (folder / "profiles").mkdir()
    for name in ("low", "high"):
        (folder / "profiles" / f"{name}.lp").write_text("barred(set(3,1)) :- not leading.", "utf-8")
    with pytest.raises(KBError) as refused:
        load(str(folder)).knowledge_base(None, "low")
    assert [error.code for error in refused.value.diagnostics] == [ErrorCode.UNKNOWN_PROFILE]
    (folder / "more.lp").write_text("default_profile(none). default_profile(low).", "utf-8")
    with pytest.raises(KBError) as refused:  # each fact names a profile, not the last alone
        load(str(folder)).knowledge_base(None, "low")
    places = [(error.code, error.location and error.location.column) for error in refused.value.diagnostics]
    assert places == [(ErrorCode.UNKNOWN_PROFILE, 1)]


def test_fluents_that_no_rule_sets_are_warnings(tmp_path: Path) -> None:
    """Rules that read it can fire as far as clingo knows."""
    rules = """#external event(E) : E = play.
#external near(S) : seat(S). any(near,1).
#external far(N) : N = 1..3. count(far,1).
barred(set(3,1)) :- near(_), not leading. barred(set(3,1)) :- far(2), not leading.
adds(far,1,why) :- event(play).
"""
    folder = edited(tmp_path / "game", more=rules, name="president")
    game = load(str(folder))
    found = game.warnings(game.knowledge_base())
    assert [(item.code, item.location and item.location.line) for item in found] == [(ErrorCode.UNUSED_DEFINITION, 2)]
