"""Games on Botzone: sessions for external programs, a judge, and exported bots."""

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
    """Game on Botzone."""

    engine: Engine

    @classmethod
    def from_engine(cls, engine: Engine) -> BotzoneGame | None:
        """Return the game of an engine.

        Args:
            engine: Engine of a game.

        Returns:
            The game, or None if its folder has no fact ``platform(botzone)``.
        """
        if (PLATFORM,) not in engine.rules.kb.facts("platform", 1):
            return None
        return cls(engine)

    def start_session(self, write: WriteLog | None = None) -> BotzoneSession:
        """Make a listener of a table that translates it to Botzone's protocol.

        Args:
            write: Function that receives the log of each finished round, or None.

        Raises:
            GameError: The folder lacks fluents or cards of the adapter.
        """
        return BotzoneSession(self.engine.rules, write=write)

    def create_judge(self, initdata: Mapping[str, Any] | None = None) -> BotzoneJudge:
        """Make a judge.

        Args:
            initdata: Defaults for fields that the initdata of a round lacks.
        """
        return BotzoneJudge(self.engine, initdata)

    def bot_source(self, preferences: PreferenceModel) -> str:
        """Export the agent kb as a program in one file, which needs only Python.

        Args:
            preferences: Preferences of the agent.

        Returns:
            Python source for version 3.6 and later.

        Raises:
            GameError: The bot does not support the rules or the preferences.
        """
        return bot_source(self.engine.rules, preferences)

    def network_bot_zip(self, preferences: PreferenceModel, networks: Networks) -> bytes:
        """Export the agent abl as a zip, which needs Python and numpy.

        Args:
            preferences: Preferences of the agent.
            networks: Trained networks.

        Returns:
            Bytes of the zip; equal arguments give equal bytes.

        Raises:
            GameError: The bot does not support the rules, the preferences or the networks.
        """
        from abl_cards.protocols.botzone.network_bot import build_network_bot

        return build_network_bot(self.engine.rules, preferences, networks)
