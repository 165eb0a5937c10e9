"""The games: folders of rule files, in ``kb`` or anywhere. Nothing in the project knows their names.

A folder with a ``game.lp`` or a ``variant.lp`` says everything itself; one without has a package of its own here, which
defines ``GAME``.

>>> "guandan" in game_names()
True
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import kb
from abl_cards.games.game import Engine, Game, GameError, Traits
from abl_cards.games.hidden import Estimate
from abl_cards.games.tables import (
    Action,
    Choices,
    Decisions,
    Indices,
    Judge,
    Listener,
    Moment,
    MoveLists,
    Moves,
    Tables,
)

HOME = Path(kb.__file__).parent
COMMON = "common"
DESCRIPTIONS = ("game.lp", "variant.lp")

__all__ = [
    "Action",
    "Choices",
    "Decisions",
    "Engine",
    "Estimate",
    "Game",
    "GameError",
    "Indices",
    "Judge",
    "Listener",
    "Moment",
    "MoveLists",
    "Moves",
    "Tables",
    "Traits",
    "game",
    "game_names",
]


def game_names() -> list[str]:
    """The games that come with the package: the folders of ``kb`` but for what they share."""
    return sorted(each.name for each in HOME.iterdir() if each.name != COMMON and any(each.glob("*.lp")))


def game(name: str) -> Game:
    """A game by its name, or by the path of a folder of rule files; raises GameError for what is neither."""
    if name in game_names():
        return _shipped(name)
    if Path(name).is_dir() and any(Path(name).glob("*.lp")):
        return _of_folder(Path(name))
    known = ", ".join(game_names())
    raise GameError(f"unknown game '{name}' (there are: {known}; or name a folder of rule files)")


def _shipped(name: str) -> Game:
    if any((HOME / name / file).is_file() for file in DESCRIPTIONS):
        return _of_folder(HOME / name)
    found: Game = import_module(f"{__name__}.{name}").GAME
    return found


def _of_folder(path: Path) -> Game:
    from abl_cards.games.engine import FolderGame  # numba and all its kernels: not before somebody plays
    from abl_cards.games.reading.folder import Folder

    return FolderGame(Folder(path))
