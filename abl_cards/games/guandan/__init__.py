"""Guandan 掼蛋: four seats, two teams, two packs, levels from 2 to A."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.games.game import Engine, Game
from abl_cards.games.guandan.knowledge import DEFAULT_PROFILE, HOME, load_kb
from abl_cards.logic import KnowledgeBase


@dataclass(frozen=True)
class Guandan:
    """The game by its rule files; the engine behind it is imported when it is asked for."""

    name: str = "guandan"
    title: str = "掼蛋"
    home: Path = HOME

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files; raises KBError."""
        return load_kb(directory, profile or DEFAULT_PROFILE, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
        from abl_cards.games.guandan.engine import engine_of

        return engine_of(directory, profile or DEFAULT_PROFILE)


GAME: Game = Guandan()
