"""What a seat of a Dou dizhu table knows of the hands it does not see, and what they really are; cards are ranks.

Besides the counts everybody knows the bottom cards: the landlord took them up before all eyes, and holds those that he
has not laid down since.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import Play, counts_of, sizes_of
from abl_cards.games.doudizhu.knowledge import SEATS
from abl_cards.games.doudizhu.shapes import COUNT
from abl_cards.games.hidden import Constraints
from abl_cards.games.tables import Indices

OTHERS = len(SEATS) - 1


def constraints(play: Play, which: Indices, seats: NDArray[np.int8]) -> Constraints:
    """What seats [n] know of the others, next and previous, at tables [n] that have a landlord."""
    others = _others(seats)
    hands = play.hands[which[:, None], others]
    known = Constraints.counted(counts_of(hands.sum(axis=1, dtype=np.uint64)), sizes_of(hands).astype(np.int8))
    bottom, gone = counts_of(play.bottom[which]).astype(np.int8), counts_of(play.played[which[:, None], others])
    shown = np.maximum(bottom[:, None] - gone.astype(np.int8), 0).astype(np.uint8)
    known.at_least[:] = np.where((others == play.landlord[which, None])[..., None], shown, 0)
    # What one of the two is known to hold, the other one cannot hold.
    known.at_most[:] = known.unseen[:, None] - known.at_least[:, ::-1]
    return known


def open_hands(play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n, 3, 15] what seats [n] and the others really hold."""
    return counts_of(play.hands[which[:, None], np.column_stack([seats, _others(seats)])])


def laid_by_others(play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n, 2, 15] what the other seats have laid down."""
    return counts_of(play.played[which[:, None], _others(seats)])


def no_hints(n: int) -> NDArray[np.float32]:
    """[n, 2, 15] odds that nothing changes: no rule says what the plays of the others tell."""
    return np.zeros((n, OTHERS, COUNT), np.float32)


def _others(seats: NDArray[np.int8]) -> NDArray[np.int64]:
    """[n, 2] the other seats in the order of play."""
    others: NDArray[np.int64] = (seats.astype(np.int64)[:, None] + np.arange(1, len(SEATS))) % len(SEATS)
    return others
