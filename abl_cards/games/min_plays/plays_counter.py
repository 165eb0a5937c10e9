"""Interface of the counters of plays."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class MinPlaysCounter(Protocol):
    """Counter of the plays that empty hands."""

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Count the plays that empty each hand.

        Args:
            hands: uint8 [n, kinds], copies of each card.
            context: [n], index of the context of each hand.

        Returns:
            uint8 [n].
        """

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Count the plays that empty the rest of a hand after each move.

        Args:
            hands: uint8 [n, kinds], copies of each card.
            context: [n], index of the context of each hand.
            start: int64 [n + 1], offsets of the moves of each hand, as in MoveLists.
            cards: uint8 [moves, max_cards], cards of each move, as in MoveLists.

        Returns:
            uint8 [moves].
        """
