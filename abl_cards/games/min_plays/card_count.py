"""Counter for games whose plays cannot be counted: the number of cards in the hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import NO_CARD


@dataclass(frozen=True)
class CardCount:
    """Counter that returns the number of cards, which bounds the number of plays.

    It is an input of networks only; preferences of such games may not read ``plays_left/1``.

    Attributes:
        reason: Explanation why plays are not counted.
    """

    reason: str

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Count the plays that empty each hand, as `MinPlaysCounter` describes."""
        return hands.sum(axis=1, dtype=np.uint8)

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Count the plays that empty the rest of a hand after each move, as `MinPlaysCounter` describes."""
        held = np.repeat(hands.sum(axis=1, dtype=np.uint8), np.diff(start))
        return held - (cards != NO_CARD).sum(axis=1, dtype=np.uint8)
