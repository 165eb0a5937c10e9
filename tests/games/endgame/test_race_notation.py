"""Rule folders of races between two open hands, and the errors of other folders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.endgame import build_race
from abl_cards.games.game import load
from tests.games.notation.folders import sets

SMALL = sets(
    "seat(0..1). rank(3..6). pack(R,2) :- rank(R). deals(S,4) :- seat(S). open_hands. leads(0). match_over.", copies=2
)


def folder(tmp_path: Path, rules: str) -> str:
    (tmp_path / "game.lp").write_text(rules)
    return str(tmp_path)


def test_small_folder_builds_a_race(tmp_path: Path) -> None:
    race = build_race(load(folder(tmp_path, SMALL)).engine().rules)
    assert len(race.combinations.labels) == 8
    assert race.read_position("44", "5566", "33").to_beat == race.combinations.labels.index("set(3,2)")
    assert race.combinations.beats.sum() == 2 * (3 + 2 + 1)
    assert race.cards_text(np.array(race.read_position("63", "4").own_hand)) == "36"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("seat(0..1). rank(3..6).", "seat(0..2). rank(3..8).", "3 seats"),
        ("deals(S,4) :- seat(S). open_hands.", "deals(S,3) :- seat(S).", "open_hands/0"),
        ("playable(pass).", "playable(pass) :- held(3,1).", "a pass"),
        ("held(R,N).\n", "held(R,N), not held(6,2).\n", "set("),
        ("price(N,N)", "price(N,2*N)", "points/3"),
        ("#include <pay>.", "#include <pay>. over :- passed(0).", "over/0"),
        ("open_hands.", "open_hands. locks. includes(3) :- held(3,1).", "includes/1"),
        ("match_over.", "match_over. count(n,1). #external n(N) : N = 1..9. adds(n,1,p) :- event(play).",
         "event(play)"),
    ],
)  # fmt: skip
def test_unsupported_games_raise_with_a_reason(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in SMALL
    rules = SMALL.replace(old, new) + "#external event(E) : E = play. #external passed(S) : seat(S).\n"
    with pytest.raises(GameError) as raised:
        build_race(load(folder(tmp_path, rules)).engine().rules)
    assert raised.value.code == ErrorCode.UNSUPPORTED_GAME
    assert reason in str(raised.value)


@pytest.mark.parametrize("name", ["president", "bigtwo", "sixteen"])
def test_games_of_more_than_two_seats_raise(name: str) -> None:
    with pytest.raises(GameError) as raised:
        build_race(load(name).engine().rules)
    assert raised.value.code == ErrorCode.UNSUPPORTED_GAME
