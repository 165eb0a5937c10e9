"""The agent of logic alone: it plays what the preferences of a knowledge base like best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.games import Choices, Decisions, Engine, Judge, Moment, Moves
from reasoners.clingo_reasoner import ClingoReasoner
from reasoners.minimiser import Minimiser


class Kb:
    """Plays the legal card set that the preferences of the knowledge base like best."""

    def __init__(self, minimiser: Minimiser) -> None:
        """Decide by this minimiser."""
        self._minimiser = minimiser

    @property
    def judge(self) -> Judge:
        """The preferences it decides by."""
        return self._minimiser.judge

    def opinion(self, moment: Moment) -> None:
        """Nothing but the preferences."""

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The cheapest move each."""
        return self._minimiser.best(decisions)

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.choose(choices)


def kb_agent(name: AgentName, engine: Engine) -> Kb:
    """``kb``, ``kb:without=NAME``, ``kb:kb=DIR``, ``kb:clingo=DIR``; raises GameError, KBError."""
    return Kb(Minimiser(judge_of(name, engine)))


def judge_of(name: AgentName, engine: Engine) -> Judge:
    """The preferences by which an agent of this name decides.

    ``without`` leaves preferences out, single ones or groups; ``kb`` takes the preferences from another folder, while
    the rules of the table stay. ``clingo`` asks clingo about a folder that has no circuit.
    """
    folder, open_rules = name.value("kb"), name.value("clingo")
    if open_rules:
        return ClingoReasoner.of(engine, Path(open_rules))
    return engine.judge(name.values("without"), Path(folder) if folder else None)
