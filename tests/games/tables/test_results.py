"""Results that contradict each other: two winners of a match, two roles or sides of a seat."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode
from abl_cards.games.game import load
from tests.edited import edited


@pytest.mark.parametrize(
    "rules",
    [
        "won(S) :- finish(P,S), P < 3.",
        "won(S) :- finish(1,S).\ndrawn.",
        "role(S,first) :- finish(1,S).\nrole(S,other) :- seat(S).",
        "side(S,0) :- seat(S).\nside(S,1) :- finish(1,S).",
    ],
)
def test_contradicting_results_are_errors_with_a_place(tmp_path: Path, rules: str) -> None:
    game = load(str(edited(tmp_path / "mine", more=rules + "\n", name="president")))
    with pytest.raises(KBError) as caught:
        game.warnings(game.knowledge_base())
    (error,) = caught.value.diagnostics
    assert error.code == ErrorCode.RULES_STUCK
    assert error.location is not None
    assert (Path(error.location.file).name, error.location.line) == ("more.lp", 1)


@pytest.mark.parametrize(
    "rules",
    [
        "won(S) :- finish(1,S).",
        "drawn :- finish(1,0).",
        "role(S,first) :- finish(1,S).\nrole(S,other) :- finish(P,S), P > 1.",
        "side(S,0) :- finish(1,S).",
    ],
)
def test_single_results_are_sound(tmp_path: Path, rules: str) -> None:
    game = load(str(edited(tmp_path / "mine", more=rules + "\n", name="president")))
    game.warnings(game.knowledge_base())
