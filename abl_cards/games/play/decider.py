"""What seats to decide are told, be it a play or a choice."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.hidden import Constraints
from abl_cards.games.play.view import UNTOLD, View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.games.telling.knowledge import hidden
from abl_cards.games.telling.observations import observe


class Decider:
    """The seats to decide at n tables."""

    def __init__(self, view: View) -> None:
        """What these seats see."""
        self.view = view

    @property
    def rules(self) -> Rules:
        """By what they play."""
        return self.view.rules

    @property
    def which(self) -> Indices:
        """[n] the tables."""
        return self.view.which

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see, as long as nobody has moved; raises GameError away from a table."""
        if not self.view.at_table:
            raise GameError(UNTOLD)
        return observe(self.view)

    def hidden(self) -> Constraints:
        """What the seats know of the hands they do not see, as long as nobody has moved."""
        return self._hidden

    @cached_property
    def _hidden(self) -> Constraints:
        """Asked once: estimates, answers and drawn deals all begin with it."""
        return hidden(self.rules, self.view)
