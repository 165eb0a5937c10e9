"""The games: folders of rule files, in ``kb`` or anywhere. Nothing in the project knows their names.

>>> "guandan" in game_names()
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abl_cards.errors import GameError
from abl_cards.games.game import Game, game, game_names
from abl_cards.games.hidden import Estimate
from abl_cards.games.results import Traits
from abl_cards.games.tables import Indices, Judge, Listener, MoveLists, Moves

if TYPE_CHECKING:
    from abl_cards.games.engine import Engine
    from abl_cards.games.moment import Action, Moment
    from abl_cards.games.play.choices import Choices
    from abl_cards.games.play.decisions import Decisions
    from abl_cards.games.play.tables import Tables

_PLACES = {
    "Action": ".moment",
    "Engine": ".engine",
    "Moment": ".moment",
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


def __getattr__(name: str) -> Any:
    """A class of the engine, when somebody asks for it: numba and all its kernels take a second to import."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name], __name__), name)
