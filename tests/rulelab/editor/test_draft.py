"""Tests of drafts of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.rulelab.editor.comparison import compare_positions, find_smallest_difference
from abl_cards.rulelab.editor.describe import describe_rules
from abl_cards.rulelab.editor.draft import RuleDraft
from abl_cards.rulelab.editor.export import export_folder, export_zip

FOUR = {"hand": ["S5", "H5", "D5", "C5"], "to_beat": None}


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> RuleDraft:
    """Return a draft of President without sets of four."""
    made = RuleDraft.create(load("president"), tmp_path_factory.mktemp("lab") / "edited")
    made.write("labels.lp", made.read("labels.lp").replace("1..4", "1..3"))
    return made


def test_exported_folder_is_a_variant(draft: RuleDraft, tmp_path: Path) -> None:
    assert "replaces(labels)." in draft.read("variant.lp")
    assert [file.name for file in draft.files if file.is_own] == ["variant.lp", "labels.lp"]
    made = export_folder(draft, tmp_path, "no-fours")
    assert "set(9,4)" not in load(str(made)).engine().labels
    with pytest.raises(GameError, match="'no-fours'") as error:
        export_folder(draft, tmp_path, "no-fours")
    assert error.value.code == ErrorCode.ALREADY_EXISTS
    assert export_zip(draft, "x") == export_zip(draft, "x")


def test_compare_positions_reports_removed_moves(draft: RuleDraft) -> None:
    (pinned,) = compare_positions(draft.original_engine, draft.current_engine, [FOUR])
    assert pinned.to_json()["gone"] == [["C5", "D5", "H5", "S5"]]
    least = find_smallest_difference(draft.original_engine, draft.current_engine)
    assert least is not None
    assert len(least["hand"]) == 4


def test_engine_is_cached_until_files_change(draft: RuleDraft) -> None:
    first = draft.current_engine
    assert draft.current_engine is first
    draft.write("more.lp", "% nothing\nx(R) :- held(R,1).\n")
    assert draft.current_engine is not first
    draft.revert("more.lp")
    assert [file.name for file in draft.files if file.is_own] == ["variant.lp", "labels.lp"]


@pytest.mark.parametrize("name", ["president", "guandan"])
def test_both_languages_describe_the_same_rules(name: str) -> None:
    engine = load(name).engine()
    english, chinese = (describe_rules(engine, language) for language in ("en", "zh"))
    assert len(english) == len(chinese)
    assert [len(section.lines) for section in english] == [len(section.lines) for section in chinese]
    assert "{" not in str(english)
    order = next(line for section in english for line in section.lines if line.startswith("single cards"))
    assert "3 4 5 6" in order
