"""The agent of abductive learning: networks propose, the knowledge base disposes (Chen et al. 2025)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.games import Decisions, Exchanges, Moves
from reasoners.minimiser import Minimiser

if TYPE_CHECKING:
    from abl_cards.agents.mind import Mind


class Abl:
    """Plays the most probable label, realised as the preferences like best; they decide tribute and return."""

    def __init__(self, mind: Mind, preferences: bool = True) -> None:
        """Play with this mind; without preferences, any consistent card set of the label will do."""
        self.mind, self._preferences = mind, preferences
        self._minimiser = Minimiser(mind.judge)

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The move each."""
        thought = self.mind.think(decisions)
        labels = thought.likeliest()
        return thought.survey.realise(labels) if self._preferences else decisions.realise_random(labels, keys)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.give(exchanges)
