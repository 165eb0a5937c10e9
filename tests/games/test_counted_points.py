"""Warnings of points that add up all numbers to a count."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.core import ErrorCode
from abl_cards.games.counted_points import find_added_counts
from abl_cards.games.game import game_names, load
from tests.edited import edited

COUNT = "count(plays,1). #external event(play). #external plays(N) : N = 1..3. adds(plays,1,play) :- event(play).\n"


@pytest.mark.parametrize(
    ("rule", "is_added"),
    [
        ("points(0,N,x) :- plays(N).", True),
        ("points(0,-N,x) :- plays(N), out(1).", True),
        ("points(0,1,(x,N)) :- plays(N).", False),
        ("points(0,N,x) :- plays(N), not plays(N+1).", False),
    ],
)
def test_adding_all_numbers_up_to_a_count_is_a_warning(tmp_path: Path, rule: str, is_added: bool) -> None:
    game = load(str(edited(tmp_path / "game", more=COUNT + rule + "\n", name="president")))
    found = [item for item in game.warnings(game.knowledge_base()) if item.code == ErrorCode.INEXACT_COUNT]
    assert [item.location and item.location.line for item in found] == [2] * is_added


@pytest.mark.parametrize("name", game_names())
def test_shipped_games_add_no_counts_inexactly(name: str) -> None:
    assert list(find_added_counts(load(name).engine().rules)) == []
