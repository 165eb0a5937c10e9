"""The small game that `kb new` makes."""

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.engine import FolderEngine, FolderGame
from abl_cards.games.reading.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of its own."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))


@pytest.fixture(scope="session")
def engine() -> FolderEngine:
    """The game, compiled."""
    return engine_of(NEW_GAME)


def engine_of(folder: Path) -> FolderEngine:
    """A folder, compiled."""
    return FolderGame(Folder(folder)).engine()
