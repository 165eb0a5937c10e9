"""Dou dizhu 斗地主: three seats, a landlord against two peasants, one pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.games.doudizhu.knowledge import RULE_FILES
from abl_cards.games.game import Engine, Game
from abl_cards.logic import KnowledgeBase


@dataclass(frozen=True)
class Doudizhu:
    """The game by its rule files; the engine behind it is imported when it is asked for."""

    name: str = "doudizhu"
    title: str = "斗地主"
    home: Path = RULE_FILES.home

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files; raises KBError."""
        return RULE_FILES.load(directory, profile, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
        from abl_cards.games.doudizhu.engine import engine_of

        return engine_of(directory, profile or RULE_FILES.default_profile)


GAME: Game = Doudizhu()
