"""The agent of logic alone: it plays what the preferences of a knowledge base like best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, DecisionPoint, Decisions
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import ClingoReasoner, Minimiser


class PreferenceAgent:
    """Plays the legal card set that the preferences of the knowledge base like best."""

    def __init__(self, minimiser: Minimiser) -> None:
        """Decide by this minimiser."""
        self._minimiser = minimiser

    @property
    def preference_model(self) -> PreferenceModel:
        """The preferences it decides by."""
        return self._minimiser.preference_model

    def compute_model_explanation(self, decision_point: DecisionPoint) -> None:
        """Nothing but the preferences."""

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """The cheapest move each."""
        return self._minimiser.best(decisions)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.choose(choices)


def make_preference_agent(name: AgentName, engine: Engine) -> PreferenceAgent:
    """``kb``, ``kb:without=NAME``, ``kb:kb=DIR``, ``kb:clingo=DIR``; raises GameError, KBError."""
    return PreferenceAgent(Minimiser(preference_model_from_name(name, engine)))


def preference_model_from_name(name: AgentName, engine: Engine) -> PreferenceModel:
    """The preferences by which an agent of this name decides.

    ``without`` leaves preferences out, single ones or groups; ``kb`` takes the preferences from another folder, while
    the rules of the table stay. ``clingo`` asks clingo about a folder that has no circuit.
    """
    folder, open_rules = name.value("kb"), name.value("clingo")
    if open_rules:
        return ClingoReasoner.of(engine, Path(open_rules))
    return engine.preference_model(name.values("without"), Path(folder) if folder else None)
