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
def bench(tmp_path_factory: pytest.TempPathFactory) -> RuleDraft:
    """Return a draft of President without sets of four."""
    made = RuleDraft.create(load("president"), tmp_path_factory.mktemp("lab") / "edited")
    made.write("labels.lp", made.read("labels.lp").replace("1..4", "1..3"))
    return made


def test_exported_folder_is_a_variant(bench: RuleDraft, tmp_path: Path) -> None:
    assert "replaces(labels)." in bench.read("variant.lp")
    assert [file.name for file in bench.files if file.is_own] == ["variant.lp", "labels.lp"]
    made = export_folder(bench, tmp_path, "no-fours")
    assert "set(9,4)" not in load(str(made)).engine().labels
    with pytest.raises(GameError, match="'no-fours'") as error:
        export_folder(bench, tmp_path, "no-fours")
    assert error.value.code == ErrorCode.ALREADY_EXISTS
    assert export_zip(bench, "x") == export_zip(bench, "x")


def test_compare_positions_reports_removed_moves(bench: RuleDraft) -> None:
    (pinned,) = compare_positions(bench.original_engine, bench.current_engine, [FOUR])
    assert pinned.to_json()["gone"] == [["C5", "D5", "H5", "S5"]]
    least = find_smallest_difference(bench.original_engine, bench.current_engine)
    assert least is not None
    assert len(least["hand"]) == 4


def test_engine_is_cached_until_files_change(bench: RuleDraft) -> None:
    first = bench.current_engine
    assert bench.current_engine is first
    bench.write("more.lp", "% nothing\nx(R) :- held(R,1).\n")
    assert bench.current_engine is not first
    bench.revert("more.lp")
    assert [file.name for file in bench.files if file.is_own] == ["variant.lp", "labels.lp"]


@pytest.mark.parametrize("name", ["president", "guandan"])
def test_both_languages_describe_the_same_rules(name: str) -> None:
    engine = load(name).engine()
    english, chinese = (describe_rules(engine, language) for language in ("en", "zh"))
    assert len(english) == len(chinese)
    assert [len(section.lines) for section in english] == [len(section.lines) for section in chinese]
    assert "{" not in str(english)
    order = next(line for section in english for line in section.lines if line.startswith("single cards"))
    assert "3 4 5 6" in order
