"""What lies on the tables of a game, and what is decided there: thousands of matches at once, in arrays.

*Tables* play; *Decisions* and *Choices* are what the seats to move at some of them can see and do, *Moves* what they
do; a *PreferenceModel* says what it costs. Each game's ``tables.py`` and ``decisions.py`` are such.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
"""[n] numbers of tables."""


DRAW = -2
"""The winner of a drawn match; -1 while it runs, else a team."""

LEADING = -1
"""What there is to beat when a seat leads."""

NO_CARD = 255
"""Fills up the rows of cards of plays."""


MAX_CARD_SETS = 1 << 17
"""Card sets that are listed of one decision; those of shipped games are below 10,000."""


class Moves(NamedTuple):
    """One concrete move a decision."""

    form: NDArray[np.int16]  # [n] shape of the cards, an index of the game
    cards: NDArray[np.uint8]  # [n, most] the cards in wire order, 255 beyond the last


class MoveLists(NamedTuple):
    """All card sets of n decisions; decision i has the rows ``start[i] : start[i + 1]``."""

    start: NDArray[np.int64]  # [n + 1]
    form: NDArray[np.int16]  # [moves]
    cards: NDArray[np.uint8]  # [moves, most] as in Moves

    @property
    def decision_index(self) -> NDArray[np.int64]:
        """[moves] the decision each card set belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def select(self, move_rows: NDArray[np.int64]) -> Moves:
        """Some of the card sets, one a decision."""
        return Moves(self.form[move_rows], self.cards[move_rows])

    def find(self, moves: Moves) -> NDArray[np.int64]:
        """[n] the row of each decision that is its move, whatever the order of its cards; -1 where none is."""
        decision, width = self.decision_index, self.cards.shape[1]
        cards = np.full((len(moves.form), max(width, moves.cards.shape[1])), NO_CARD, np.uint8)
        cards[:, : moves.cards.shape[1]] = moves.cards
        cards.sort(axis=1)
        alike = (np.sort(self.cards, axis=1) == cards[decision, :width]).all(axis=1)
        same = alike & (self.form == moves.form[decision]) & (cards[decision, width:] == NO_CARD).all(axis=1)
        rows = np.full(len(cards), -1, np.int64)
        rows[decision[same]] = np.flatnonzero(same)
        return rows
