"""The small game that `kb new` makes."""

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.description.folder import Folder
from abl_cards.games.engine import Engine
from abl_cards.games.game import Game


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of its own."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The game, compiled."""
    return engine_of(NEW_GAME)


def engine_of(folder: Path) -> Engine:
    """A folder, compiled."""
    return Game(Folder(folder)).engine()
