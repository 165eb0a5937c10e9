"""Whose game is played on Botzone: what programs of others read, a judge, and a program of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl_cards.games import Engine
from abl_cards.games.tables import Judge
from abl_cards.platforms.botzone.bot import bot_source
from abl_cards.platforms.botzone.judge import BotzoneJudge
from abl_cards.platforms.botzone.script import BotzoneScript
from abl_cards.platforms.programs import Write

if TYPE_CHECKING:
    from learners.networks import Networks

PLATFORM = "botzone"


@dataclass(frozen=True)
class Botzone:
    """A game that is played there."""

    engine: Engine

    @classmethod
    def of(cls, engine: Engine) -> Botzone | None:
        """None where the folder does not say ``platform(botzone)``."""
        if (PLATFORM,) not in engine.rules.kb.facts("platform", 1):
            return None
        return cls(engine)

    def script(self, write: Write | None = None) -> BotzoneScript:
        """Somebody to follow a game; ``write`` is given the log of every round as it ends."""
        return BotzoneScript(self.engine.rules, write=write)

    def judge(self, initdata: Mapping[str, Any] | None = None) -> BotzoneJudge:
        """A judge; initdata is for rounds whose own says nothing. Raises GameError."""
        return BotzoneJudge(self.engine, initdata)

    def bot_source(self, judge: Judge) -> str:
        """The agent kb as a program in one file, which needs nothing but Python."""
        return bot_source(self.engine.rules, judge)

    def network_bot(self, judge: Judge, networks: Networks) -> bytes:
        """The agent abl with these networks as a zip, which needs Python and numpy; raises GameError."""
        from abl_cards.platforms.botzone.network_bot import network_bot

        return network_bot(self.engine.rules, judge, networks)
