"""Unchanged rules are checked once; rules that are new, changed or refused are checked by every caller."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.games import validation
from abl_cards.games.description import validation_cache
from abl_cards.games.game import load


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Return the list of folders that are checked from now on, with an empty disk cache."""
    monkeypatch.setenv("ABL_CARDS_CACHE", str(tmp_path / "cache"))
    paths, find_errors = [], validation.find_errors

    def record(rules: Any) -> Any:
        paths.append(rules.folder.path)
        return find_errors(rules)

    monkeypatch.setattr(validation, "find_errors", record)
    return paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(NEW_GAME, tmp_path / "mine")
    return tmp_path / "mine"


def add(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as stream:
        stream.write(text)


def test_folder_is_validated_once_and_after_changes(
    checked: list[Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        load(str(folder)).knowledge_base()
        load(str(folder)).engine()
    assert len(checked) == 1
    add(folder / "game.lp", "\n% another remark\n")
    load(str(folder)).engine()
    load(str(folder)).knowledge_base()
    assert len(checked) == 2
    load(str(folder)).knowledge_base(cache=False)
    assert len(checked) == 3
    monkeypatch.setattr(validation_cache, "_code_digest", lambda: "other code")
    load(str(folder)).knowledge_base()
    assert len(checked) == 4
    shutil.copytree(folder, folder.parent / "copy")
    load(str(folder.parent / "copy")).engine()
    assert len(checked) == 4  # the cache is keyed by content, not by path


LIBRARY: dict[str, Callable[[Path], object]] = {
    "engine": lambda folder: load(str(folder)).engine(),
    "knowledge": lambda folder: load(str(folder)).knowledge_base(),
    "directory": lambda folder: load("president").engine(folder),
    "judge": lambda folder: load(str(folder.parent / "sound")).engine().preference_model((), folder),
}


@pytest.mark.parametrize("call", LIBRARY)
@pytest.mark.parametrize("edit", ["dealt", "never_left", "science"])
def test_every_library_call_rejects_invalid_rules(call: str, edit: str, folder: Path) -> None:
    """Errors of compilation, of play, and of auxiliary rules are raised each time."""
    shutil.copytree(folder, folder.parent / "sound")
    files = {
        "dealt": ("more.lp", "deals(S,30) :- seat(S).\n"),
        "never_left": ("more.lp", "asks(again,0).\noption(yes).\n"),
        "science": ("science/other.lp", "unread.\n"),
    }
    add(folder / files[edit][0], files[edit][1])
    diagnostics = []
    for _ in range(2):
        with pytest.raises(KBError) as refused:
            LIBRARY[call](folder)
        diagnostics.append(refused.value.diagnostics)
    assert diagnostics[0] == diagnostics[1]


def test_changed_auxiliary_rules_are_validated_again(folder: Path) -> None:
    load(str(folder)).engine()
    add(folder / "science/other.lp", "unread.\n")
    with pytest.raises(KBError):
        load(str(folder)).engine()
    shutil.rmtree(folder / "science")
    assert load(str(folder)).engine().labels
