"""Guandan 掼蛋: four seats, two teams, two packs, levels from 2 to A."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.games.game import Engine, Game, Mark, Marks
from abl_cards.games.guandan.knowledge import DEFAULT_PROFILE, HOME, load_kb
from abl_cards.logic import KnowledgeBase


@dataclass(frozen=True)
class Guandan:
    """The game by its rule files; the engine behind it is imported when it is asked for."""

    name: str = "guandan"
    title: str = "掼蛋"
    home: Path = HOME

    @property
    def marks(self) -> Marks:
        """OpenGuanDan's engine on such a machine, and the environments of a game with shorter hands."""
        others = (
            ("OpenGuanDan's engine", 4_000.0), ("Dou dizhu: DouZero", 14_700.0), ("Dou dizhu: RLCard", 1_800.0),
            ("Dou dizhu: OpenSpiel, C++", 538_000.0),
        )  # fmt: skip
        return {
            "labels": Mark(300_000, others),
            "lists": Mark(100_000, others[:1]),
            "full_hands": Mark(20_000, (("OpenGuanDan's engine", 500.0),)),
            "kb": Mark(20_000),
            "alone": Mark(20),
            "training": Mark(8_000),
        }

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files; raises KBError."""
        return load_kb(directory, profile or DEFAULT_PROFILE, cache)

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
        from abl_cards.games.guandan.engine import engine_of

        return engine_of(directory, profile or DEFAULT_PROFILE)


GAME: Game = Guandan()
