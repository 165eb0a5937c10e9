"""The games. Each is a package of its own that defines ``GAME``; nothing else in the project knows their names.

>>> "guandan" in game_names()
True
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from abl_cards.games.game import Engine, Game, GameError, Traits
from abl_cards.games.hidden import Estimate
from abl_cards.games.tables import (
    Action,
    Decisions,
    Exchanges,
    Indices,
    Judge,
    Listener,
    Moment,
    MoveLists,
    Moves,
    Tables,
)

__all__ = [
    "Action",
    "Decisions",
    "Engine",
    "Estimate",
    "Exchanges",
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
    """The games that can be played: the packages in this folder."""
    return sorted(module.name for module in iter_modules(__path__) if module.ispkg)


def game(name: str) -> Game:
    """A game by name; raises GameError for a name that is none."""
    if name not in game_names():
        raise GameError(f"unknown game '{name}' (there are: {', '.join(game_names())})")
    found: Game = import_module(f"{__name__}.{name}").GAME
    return found
