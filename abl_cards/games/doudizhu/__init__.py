"""Dou dizhu 斗地主: three seats, a landlord against two peasants, one pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.games.doudizhu.knowledge import RULE_FILES
from abl_cards.games.game import Engine, Game, Mark, Marks
from abl_cards.logic import KnowledgeBase


@dataclass(frozen=True)
class Doudizhu:
    """The game by its rule files; the engine behind it is imported when it is asked for."""

    name: str = "doudizhu"
    title: str = "斗地主"
    home: Path = RULE_FILES.home

    @property
    def marks(self) -> Marks:
        """Other environments of the game on such a machine."""
        others = (("DouZero", 14_700.0), ("RLCard", 1_800.0), ("OpenSpiel, C++", 538_000.0))
        return {"labels": Mark(600_000, others), "full_hands": Mark(275_000, (("DouZero", 27_500.0),)),
                "splits": Mark(50_000), "fewest": Mark(20_000)}  # fmt: skip

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files; raises KBError."""
        return RULE_FILES.load(directory, profile, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
        from abl_cards.games.doudizhu.engine import engine_of

        return engine_of(directory, profile or RULE_FILES.default_profile)


GAME: Game = Doudizhu()
