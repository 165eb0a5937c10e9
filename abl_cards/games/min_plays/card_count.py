"""Where nobody counts plays: how many cards are in the hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import NO_CARD


@dataclass(frozen=True)
class CardCount:
    """As many plays as there are cards: the most that there can be; learners are told so, preferences are not."""

    reason: str  # nobody counts them

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the cards of hands [n, kinds]."""
        return hands.sum(axis=1, dtype=np.uint8)

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the cards after each move of decisions; start and cards as in MoveLists."""
        held = np.repeat(hands.sum(axis=1, dtype=np.uint8), np.diff(start))
        return held - (cards != NO_CARD).sum(axis=1, dtype=np.uint8)
