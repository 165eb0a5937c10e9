"""Base class of decisions: the observations and information of the seats to decide."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_integer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables.events import EventRules
from abl_cards.games.tables.history import PastActs
from abl_cards.games.tables.knowledge import compute_constraints, compute_log_odds
from abl_cards.games.tables.observations import observe
from abl_cards.games.tables.view import HAND_SIZES_MISSING, PlayerView
from abl_cards.games.types import Indices, InformationSet


class DecisionBase:
    """Decisions at n tables, valid until a move is made at one of them."""

    def __init__(self, view: PlayerView) -> None:
        """Wrap the view of the seats to decide."""
        self.view = view

    @property
    def rules(self) -> CompiledGame:
        """Compiled rules of the game."""
        return self.view.rules

    @property
    def rows(self) -> Indices:
        """Table of each decision [n]."""
        return self.view.rows

    def observe(self) -> NDArray[np.uint8]:
        """Return the observations of the seats to decide.

        Returns:
            uint8 [n, features], as ``build_feature_table`` describes.

        Raises:
            GameError: If the state does not give the hand sizes of the other seats.
        """
        if not self.view.has_hand_sizes:
            raise GameError(HAND_SIZES_MISSING, ErrorCode.INCOMPLETE_STATE)
        return observe(self.view)

    def information_set(self) -> InformationSet:
        """Return constraints on the hidden hands that follow from the information of the seats to decide."""
        return self._information_set

    @cached_property
    def _information_set(self) -> InformationSet:
        """Constraints on the hidden hands, computed once."""
        return compute_constraints(self.rules, self.view)

    def past_acts(self, row: int) -> PastActs | None:
        """Return the acts of other seats in the episode, from the view of the seat to decide.

        Args:
            row: Index of the decision.

        Returns:
            The acts that the tables keep; None if they record no history.

        Raises:
            GameError: The index is out of range.
        """
        row, history = check_integer("row", row, 0, len(self.view) - 1), self.view.history
        event_rules = EventRules.from_rules(self.rules)
        return None if history is None else history.past_acts(self.view, row, event_rules)

    def belief_log_odds(self) -> NDArray[np.float32]:
        """Return the change of the log odds of each copy of a card by the beliefs of the rules.

        Returns:
            float32 [n, others, kinds], added to the log odds that the seat holds a copy.
        """
        return compute_log_odds(self.rules, self.view)

    def seat_text(self, row: int) -> str:
        """Name the seat to decide, for messages."""
        return self.view.seat_text(row)

    def state_text(self, row: int) -> str:
        """Describe the hand and the play to beat, for messages."""
        return self.view.state_text(row)
