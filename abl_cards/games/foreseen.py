"""What an edit brings the engine to and nobody thought of: an error of the folder, not of Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abl_cards.games import Game, GameError, game_names
from abl_cards.logic import KBError


@contextmanager
def foreseen(game: Game, directory: Path | None = None) -> Iterator[None]:
    """Raises GameError where rules of somebody's cannot be played by: Python's words would not help."""
    try:
        yield
    except (KBError, GameError):
        raise
    except Exception as problem:
        if directory is None and game.name in game_names():
            raise
        told = "sound logic, but it cannot be played by (what has changed since it could?)"
        raise GameError(f"{directory or game.home}: {told}") from problem
