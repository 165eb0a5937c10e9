"""Whose game is played on Botzone: what programs of others read, a judge, and a program of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.protocols.botzone.bot import bot_source
from abl_cards.protocols.botzone.judge import BotzoneJudge
from abl_cards.protocols.botzone.session import BotzoneSession
from abl_cards.protocols.common import WriteLog

if TYPE_CHECKING:
    from abl_cards.learners import Networks

PLATFORM = "botzone"


@dataclass(frozen=True)
class BotzoneGame:
    """A game that is played there."""

    engine: Engine

    @classmethod
    def from_engine(cls, engine: Engine) -> BotzoneGame | None:
        """None where the folder does not say ``platform(botzone)``."""
        if (PLATFORM,) not in engine.rules.kb.facts("platform", 1):
            return None
        return cls(engine)

    def start_session(self, write: WriteLog | None = None) -> BotzoneSession:
        """Somebody to follow a game; ``write`` is given the log of every round as it ends."""
        return BotzoneSession(self.engine.rules, write=write)

    def create_judge(self, initdata: Mapping[str, Any] | None = None) -> BotzoneJudge:
        """Make a judge with default initdata; raises GameError."""
        return BotzoneJudge(self.engine, initdata)

    def bot_source(self, preferences: PreferenceModel) -> str:
        """The agent kb as a program in one file, which needs nothing but Python."""
        return bot_source(self.engine.rules, preferences)

    def network_bot_zip(self, preferences: PreferenceModel, networks: Networks) -> bytes:
        """The agent abl with these networks as a zip, which needs Python and numpy; raises GameError."""
        from abl_cards.protocols.botzone.network_bot import build_network_bot

        return build_network_bot(self.engine.rules, preferences, networks)
