"""Settings of the rules that an experiment uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.core import setting
from abl_cards.games import Engine, load


@dataclass(frozen=True, kw_only=True)
class RulesConfig:
    """Settings of an experiment that can use custom rules."""

    kb: Path | None = setting(None, "rule folder in place of the game's own, as --kb")
    profile: str | None = setting(None, "profile of the rules, as --profile")

    def load_engine(self, name: str) -> Engine:
        """Compile a game with these rules; raises KBError, GameError."""
        return load(name).engine(self.kb, self.profile)


@dataclass(frozen=True, kw_only=True)
class GameConfig(RulesConfig):
    """Settings of an experiment that can use any game."""

    game: str = setting("guandan", "game, or a folder of rule files")

    @property
    def engine(self) -> Engine:
        """Compiled game with these rules; raises KBError, GameError."""
        return self.load_engine(self.game)
