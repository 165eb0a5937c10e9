"""What seats to decide are told, be it a play or a choice."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables.knowledge import compute_constraints
from abl_cards.games.tables.observations import observe
from abl_cards.games.tables.view import HAND_SIZES_MISSING, PlayerView
from abl_cards.games.types import Indices, InformationSet


class DecisionBase:
    """The seats to decide at n tables."""

    def __init__(self, view: PlayerView) -> None:
        """What these seats see."""
        self.view = view

    @property
    def rules(self) -> CompiledGame:
        """By what they play."""
        return self.view.rules

    @property
    def rows(self) -> Indices:
        """[n] the tables."""
        return self.view.rows

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see, as long as nobody has moved; raises GameError away from a table."""
        if not self.view.has_hand_sizes:
            raise GameError(HAND_SIZES_MISSING)
        return observe(self.view)

    def information_set(self) -> InformationSet:
        """What the seats know of the hands they do not see, as long as nobody has moved."""
        return self._information_set

    @cached_property
    def _information_set(self) -> InformationSet:
        """Asked once: estimates, answers and drawn deals all begin with it."""
        return compute_constraints(self.rules, self.view)
