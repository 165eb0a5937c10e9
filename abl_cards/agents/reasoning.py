"""The agent of logic alone: it plays what the preferences of a knowledge base like best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.games import Decisions, Engine, Exchanges, GameError, Judge, Moves
from reasoners.minimiser import Minimiser


class Kb:
    """Plays the legal card set that the preferences of the knowledge base like best."""

    def __init__(self, minimiser: Minimiser) -> None:
        """Decide by this minimiser."""
        self._minimiser = minimiser

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The cheapest move each."""
        return self._minimiser.best(decisions)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.give(exchanges)


def kb_agent(name: AgentName, engine: Engine) -> Kb:
    """``kb``, ``kb:without=GROUP``, ``kb:kb=DIR``; raises GameError, KBError."""
    return Kb(Minimiser(judge_of(name, engine)))


def judge_of(name: AgentName, engine: Engine) -> Judge:
    """The preferences by which such an agent decides.

    ``without`` leaves groups of preferences out; ``kb`` takes the preferences from another folder, while the rules of
    the table stay.
    """
    if any(not value for _, value in name.options):
        raise GameError(f"agent '{name}': write without=GROUP, kb=DIR")
    folder = name.value("kb")
    return engine.judge(name.values("without"), Path(folder) if folder else None)
