"""Tests of drafts of rules."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from abl_cards.core.atomic_files import write_text
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.rulelab.editor import draft as draft_module
from abl_cards.rulelab.editor import export
from abl_cards.rulelab.editor.comparison import compare_positions, find_smallest_difference
from abl_cards.rulelab.editor.describe import describe_rules
from abl_cards.rulelab.editor.draft import RuleDraft, own_texts
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


def test_folder_that_cannot_be_written_leaves_nothing(
    draft: RuleDraft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(file: Path, text: str) -> None:
        if file.name == "labels.lp":
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        write_text(file, text)

    monkeypatch.setattr(export, "write_text", write)
    with pytest.raises(GameError, match="No space left") as error:
        export_folder(draft, tmp_path, "no-fours")
    assert error.value.code == ErrorCode.FILE_NOT_WRITTEN
    assert not any(tmp_path.iterdir())
    monkeypatch.undo()
    export_folder(draft, tmp_path, "no-fours")  # the name is free


def test_full_disk_loses_no_file_of_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = RuleDraft.create(load("president"), tmp_path / "edited")
    made.write("more.lp", "% mine")
    before = own_texts(made)

    def fail_at(name: str) -> None:
        def write(file: Path, text: str) -> None:
            if file.name == name:
                raise OSError(errno.ENOSPC, "No space left on device", str(file))
            write_text(file, text)

        monkeypatch.setattr(draft_module, "write_text", write)

    for name in ("labels.lp", "variant.lp"):
        fail_at(name)
        with pytest.raises(OSError, match="No space left"):
            made.write("labels.lp", made.read("labels.lp"))
        assert own_texts(made) == before
    fail_at("other.lp")
    with pytest.raises(OSError, match="No space left"):
        made.restore({"other.lp": "% other"})
    assert own_texts(made) == before
    monkeypatch.undo()
    made.restore({"other.lp": "% other", "variant.lp": before["variant.lp"]})
    assert own_texts(made) == {"other.lp": "% other", "variant.lp": before["variant.lp"]}
