"""Random play of `kb check`: errors that no static check sees, each at a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.game import load
from tests.edited import edited


def errors_of(folder: Path) -> list[Diagnostic]:
    """Return the errors for which `kb check` refuses the rules of a folder."""
    game = load(str(folder))
    with pytest.raises(KBError) as refused:
        game.warnings(game.knowledge_base())
    return list(refused.value.diagnostics)


@pytest.mark.parametrize(
    ("name", "rules", "code"),
    [
        ("doudizhu", "mixed_suits(F) :- form(single(3),F).", ErrorCode.RULES_STUCK),  # one card shows one suit
        ("whist", "packs(2).", ErrorCode.RULES_STUCK),  # two cards are turned up, and two seats may take a trick
        ("spades", "trumps(h).", ErrorCode.RULES_STUCK),  # a second trump suit
        ("president", "has(S,card(3,c),1) :- seat(S).", ErrorCode.RULES_STUCK),  # a card that it may lack
        ("hearts", "lacks(S,card(2,c),1) :- seat(S).", ErrorCode.RULES_STUCK),  # a card that somebody has
        ("whist", "lacks_now(S,ace,h,1) :- seat(S).", ErrorCode.RULES_STUCK),
    ],
)
def test_unplayable_rules_are_errors(tmp_path: Path, name: str, rules: str, code: ErrorCode) -> None:
    """`kb check` called these sound, and a match stopped."""
    folder = edited(tmp_path / name, more=rules, name=name)
    errors = errors_of(folder)
    assert {error.code for error in errors} == {code}
    assert all(error.location and Path(error.location.file).is_relative_to(folder) for error in errors)
    assert all("random play, match" in error.message for error in errors)


def test_endless_choice_in_a_later_episode_is_an_error(tmp_path: Path) -> None:
    """The trial goes on until play begins in the second episode, where cards are often exchanged."""
    again = """#external stage(again).
    asks(again,0) :- finished(1,S), given(S,2), finished(2,T), given(T,1).
    option(1) :- stage(again)."""
    folder = edited(tmp_path / "game", more=again, name="daifugo")
    assert {error.code for error in errors_of(folder)} == {ErrorCode.RULES_NOT_PLAYABLE}


def test_many_choices_in_a_row_are_accepted(tmp_path: Path) -> None:
    """More than 200 choices before a play were refused, and a game whose moves are choices needs them."""
    count = """#external stage(count). #external event(choice). #external counted(N) : N = 1..400. count(counted,1).
    asks(count,0) :- not counted(400).
    option(1) :- stage(count).
    adds(counted,1,more) :- event(choice), stage(count)."""
    game = load(str(edited(tmp_path / "game", more=count, name="president")))
    game.warnings(game.knowledge_base())


@pytest.mark.parametrize(
    ("name", "rules", "line"),
    [
        ("doudizhu", "% singles\nmixed_suits(F) :- form(single(3),F).\n", 2),
        ("president", "% all plays\n\nbarred(F) :- form(_,F).\n", 3),
    ],
)
def test_error_is_located_at_the_rule_that_removes_moves(tmp_path: Path, name: str, rules: str, line: int) -> None:
    """The place was that of form/2, on which legal/1 depends too, and which is sound."""
    (error,) = errors_of(edited(tmp_path / "game", more=rules, name=name))
    assert error.code == ErrorCode.RULES_STUCK
    assert error.location is not None
    assert (Path(error.location.file).name, error.location.line) == ("more.lp", line)
