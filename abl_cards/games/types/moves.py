"""Arrays of moves, one row for each decision or card set, and constants that stand for special moves and winners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import as_read_only

Indices = NDArray[np.int64]
"""[n] indices of tables."""

ONLY_TABLE: Indices = np.zeros(1, np.int64)
"""[1] index of the table of a `Tables` with one table."""

DRAW = -2
"""Winner of a drawn match; -1 while the match runs, else the index of a team."""

LEADING = -1
"""Value of ``to_beat`` when a seat leads."""

NO_CARD = 255
"""Padding in rows of cards."""


MAX_CARD_SETS = 1 << 17
"""Maximum number of card sets listed for one decision; shipped games have fewer than 10,000."""


class Moves(NamedTuple):
    """One concrete move for each of n decisions.

    Attributes:
        form: int16 [n], index of the form.
        cards: uint8 [n, max_cards], kinds of cards in wire order, padded with NO_CARD.
    """

    form: NDArray[np.int16]
    cards: NDArray[np.uint8]


class MoveLists(NamedTuple):
    """All card sets of n decisions; those of decision i are the rows ``start[i] : start[i + 1]``.

    Attributes:
        start: int64 [n + 1], offsets.
        form: int16 [moves], index of the form.
        cards: uint8 [moves, max_cards], kinds of cards in wire order, padded with NO_CARD.
    """

    start: NDArray[np.int64]
    form: NDArray[np.int16]
    cards: NDArray[np.uint8]

    @property
    def decision_index(self) -> NDArray[np.int64]:
        """[moves] index of the decision that each card set belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def as_read_only(self) -> MoveLists:
        """Return views of the arrays through which they cannot be changed."""
        return MoveLists(as_read_only(self.start), as_read_only(self.form), as_read_only(self.cards))

    def select(self, move_rows: NDArray[np.int64]) -> Moves:
        """Return one card set for each decision.

        Args:
            move_rows: int64 [n], row of the chosen card set of each decision.
        """
        return Moves(self.form[move_rows], self.cards[move_rows])

    def find(self, moves: Moves) -> NDArray[np.int64]:
        """Find the row of each decision's move, regardless of the order of its cards.

        Args:
            moves: One move for each of the n decisions.

        Returns:
            int64 [n], row of the move; -1 if the move is not listed.
        """
        decision, width = self.decision_index, self.cards.shape[1]
        cards = np.full((len(moves.form), max(width, moves.cards.shape[1])), NO_CARD, np.uint8)
        cards[:, : moves.cards.shape[1]] = moves.cards
        cards.sort(axis=1)
        has_same_cards = (np.sort(self.cards, axis=1) == cards[decision, :width]).all(axis=1)
        is_match = (
            has_same_cards & (self.form == moves.form[decision]) & (cards[decision, width:] == NO_CARD).all(axis=1)
        )
        rows = np.full(len(cards), -1, np.int64)
        rows[decision[is_match]] = np.flatnonzero(is_match)
        return rows


def merge_lists(lists: MoveLists, decision: NDArray[np.int64], n: int) -> MoveLists:
    """Merge lists of the same decision.

    Args:
        lists: m lists, such as one for each label of a decision.
        decision: int64 [m], the decision that each belongs to, ascending.
        n: Number of decisions.

    Returns:
        The lists of the n decisions, with the same card sets in the same order.
    """
    return lists._replace(start=lists.start[np.searchsorted(decision, np.arange(n + 1))])


def count_move_cards(cards: NDArray[np.uint8], kinds: int) -> NDArray[np.uint8]:
    """Count the copies of each card in moves.

    Args:
        cards: uint8 [moves, max_cards], kinds of cards, padded with NO_CARD.
        kinds: Number of kinds of cards.

    Returns:
        uint8 [moves, kinds].
    """
    counts = np.zeros((len(cards), kinds + 1), np.uint8)
    np.add.at(counts, (np.arange(len(cards))[:, None], np.minimum(cards, kinds)), 1)
    return counts[:, :kinds]


def join_lists(parts: Sequence[MoveLists]) -> MoveLists:
    """Concatenate the lists of decisions.

    Args:
        parts: Lists of n decisions together, with rows of cards of one length.

    Returns:
        The lists of the n decisions.
    """
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    return MoveLists(
        np.concatenate([[0], lengths.cumsum()]),
        np.concatenate([part.form for part in parts]),
        np.concatenate([part.cards for part in parts]),
    )


def replace_lists(lists: MoveLists, rows: NDArray[np.int64], other: MoveLists) -> MoveLists:
    """Replace the lists of some decisions.

    Args:
        lists: Lists of n decisions.
        rows: int64 [m], decisions to replace, ascending.
        other: Lists of m decisions, with rows of cards of the same length.

    Returns:
        The lists of the n decisions.
    """
    lengths = np.diff(lists.start)
    kept = np.ones(len(lengths), np.bool_)
    kept[rows] = False
    lengths[rows] = np.diff(other.start)
    start = np.concatenate([[0], lengths.cumsum()])
    is_kept = np.repeat(kept, lengths)
    was_kept = np.repeat(kept, np.diff(lists.start))
    form, cards = np.empty(start[-1], np.int16), np.empty((start[-1], lists.cards.shape[1]), np.uint8)
    form[is_kept], cards[is_kept] = lists.form[was_kept], lists.cards[was_kept]
    form[~is_kept], cards[~is_kept] = other.form, other.cards
    return MoveLists(start, form, cards)
