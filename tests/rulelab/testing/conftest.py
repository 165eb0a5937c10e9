"""Fixtures with the small game that `kb new` makes."""

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.description.folder import Folder
from abl_cards.games.engine import Engine
from abl_cards.games.game import Game


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the folder."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Return the compiled game."""
    return engine_of(NEW_GAME)


def engine_of(folder: Path) -> Engine:
    """Compile a folder."""
    return Game(Folder(folder)).engine()
