"""Warnings of matches whose end depends on points that do not last."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import ErrorCode
from abl_cards.games.game import load
from abl_cards.games.match_end import find_endless_match, find_undecided_match
from tests.edited import edited
from tests.games.test_vocabulary import engine_of

FORGET = {"game.lp": ("lasts(score,match).", "")}


def test_ending_a_match_by_points_of_one_deal_is_a_warning(tmp_path: Path) -> None:
    """Spades to 500 points, where the points do not last; what is warned of has its line."""
    game = load(str(edited(tmp_path / "game", FORGET, name="spades")))
    warnings = [item for item in game.warnings(game.knowledge_base()) if "match_over/0" in item.message]
    (warning,) = warnings
    assert warning.code == ErrorCode.UNUSED_DEFINITION
    assert warning.location is not None
    text = (tmp_path / "game" / "game.lp").read_text("utf-8").split("\n")[warning.location.line - 1]
    assert text.startswith("match_over")
    assert "lasts(score,match)" in warning.remedy


@pytest.mark.parametrize("name", ["spades", "president"])
def test_lasting_points_and_single_deals_are_not_warnings(name: str) -> None:
    assert list(find_endless_match(load(name).engine().rules)) == []


@pytest.mark.parametrize("name", ["fluents", "pot"])
def test_one_lasting_condition_suffices(name: str) -> None:
    assert list(find_endless_match(engine_of(name, None).rules)) == []


def test_games_without_a_result_are_warned_about(tmp_path: Path) -> None:
    assert not list(find_undecided_match(engine_of("pile").rules))
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    text = (folder / "game.lp").read_text("utf-8").replace("#include <places>.", "#defined place_points/2.")
    (folder / "game.lp").write_text(text, "utf-8")
    assert [item.code for item in find_undecided_match(load(str(folder)).engine().rules)] == [ErrorCode.MISSING_FACT]
