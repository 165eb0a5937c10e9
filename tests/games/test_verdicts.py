"""What was found sound is not dealt again, and what was not, or has changed, is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from abl_cards.games import engine, game, verdicts
from abl_cards.logic import KBError

PRESIDENT = game("president").home


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """The folders that were looked at, with a cache of one's own."""
    monkeypatch.setenv("ABL_CARDS_CACHE", str(tmp_path / "cache"))
    found, checked = [], engine.checked

    def note(folder: Any, *arguments: Any) -> Any:
        found.append(folder.path)
        return checked(folder, *arguments)

    monkeypatch.setattr(engine, "checked", note)
    return found


def test_a_folder_is_looked_at_when_it_is_new_and_when_it_changes(
    asked: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(PRESIDENT, folder)
    for _ in range(3):
        game(str(folder)).knowledge()
    assert len(asked) == 1
    with (folder / "game.lp").open("a") as file:
        file.write("\n% another remark\n")
    game(str(folder)).knowledge()
    assert len(asked) == 2
    game(str(folder)).knowledge(cache=False)
    assert len(asked) == 3
    monkeypatch.setattr(verdicts, "_code", lambda: "other code")
    game(str(folder)).knowledge()
    assert len(asked) == 4


def test_what_is_wrong_is_found_each_time(asked: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(PRESIDENT, folder)
    with (folder / "game.lp").open("a") as file:
        file.write("\ndeals(0,50).\n")
    for _ in range(2):
        with pytest.raises(KBError):
            game(str(folder)).knowledge()
    assert len(asked) == 2
