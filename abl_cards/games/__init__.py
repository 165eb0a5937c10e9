"""The games: folders of rule files, in ``kb`` or anywhere. Nothing in the project knows their names.

>>> "guandan" in game_names()
True
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.games.game import Game, GameError, Traits
from abl_cards.games.hidden import Estimate
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.variants import COMMON, HOME
from abl_cards.games.tables import (
    Action,
    Indices,
    Judge,
    Listener,
    Moment,
    MoveLists,
    Moves,
)

if TYPE_CHECKING:
    from abl_cards.games.engine import Engine
    from abl_cards.games.play.choices import Choices
    from abl_cards.games.play.decisions import Decisions
    from abl_cards.games.play.tables import Tables

_PLACES = {
    "Engine": ".engine",
    "Choices": ".play.choices",
    "Decisions": ".play.decisions",
    "Tables": ".play.tables",
}

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
    return sorted(each.name for each in HOME.iterdir() if each.name != COMMON.name and any(each.glob("*.lp")))


def game(name: str) -> Game:
    """A game by its name, or by the path of a folder of rule files; raises GameError for what is neither."""
    if name in game_names():
        return Game(Folder(HOME / name))
    if Path(name).is_dir() and any(Path(name).glob("*.lp")):
        return Game(Folder(Path(name)))
    known = ", ".join(game_names())
    raise GameError(f"unknown game '{name}' (there are: {known}; or name a folder of rule files)")


def __getattr__(name: str) -> Any:
    """A class of the engine, when somebody asks for it: numba and all its kernels take a second to import."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)
