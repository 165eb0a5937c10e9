"""What experiments have in common: the rules by which everything in them is played, learned and explained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from abl_cards.games import Engine, game
from abl_cards.settings import setting


@dataclass(frozen=True, kw_only=True)
class ByRules:
    """Settings of an experiment that can be done by rules of one's own."""

    kb: Path | None = setting(None, "the rules, from another folder; the same as --kb")
    profile: str | None = setting(
        None, "a file of its folder profiles, by default that of the experiment; the same as --profile"
    )

    def engine_of(self, name: str) -> Engine:
        """A game by these rules; raises KBError, GameError."""
        return game(name).engine(self.kb, self.profile)


@dataclass(frozen=True, kw_only=True)
class OfAnyGame(ByRules):
    """Settings of an experiment that can be done with any game."""

    game: str = setting("guandan", "what is played: a game, or a folder of rule files")

    @property
    def engine(self) -> Engine:
        """The game by these rules; raises KBError, GameError."""
        return self.engine_of(self.game)
