"""Lists of card sets: finding moves again, whatever the order of their cards."""

import numpy as np
import pytest

from abl_cards.games.tables import NO_CARD, MoveLists, Moves


def _lists() -> MoveLists:
    """Two decisions: a pass, a pair; a pair and a single of other forms."""
    cards = np.array([[NO_CARD, NO_CARD], [3, 4], [3, 4], [5, NO_CARD]], np.uint8)
    return MoveLists(np.array([0, 2, 4]), np.array([0, 1, 2, 3], np.int16), cards)


@pytest.mark.parametrize(
    ("forms", "cards", "rows"),
    [
        ([1, 2], [[4, 3], [3, 4]], [1, 2]),  # in any order
        ([0, 3], [[NO_CARD], [5]], [0, 3]),  # narrower than the lists
        ([1, 3], [[3, NO_CARD, 4], [5, NO_CARD, 6]], [1, -1]),  # wider: a card more is another move
        ([2, 1], [[3, 4], [3, 4]], [-1, -1]),  # the form of another decision
    ],
)
def test_moves_are_found_in_their_own_decision(forms: list[int], cards: list[list[int]], rows: list[int]) -> None:
    moves = Moves(np.array(forms, np.int16), np.array(cards, np.uint8))
    assert _lists().find(moves).tolist() == rows
