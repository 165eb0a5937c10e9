"""Information sets: the deals of hidden cards that are consistent with an observation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import seed64

HandEstimate = NDArray[np.floating]
"""[n, others, cards] estimated copies of each card in the other hands; the first hand is that of the next seat."""


@dataclass(frozen=True)
class InformationSet:
    """Constraints of n observers on the hands of the other seats, which are in the order of play from the next seat.

    A deal is consistent if every unseen copy is in one of the hands and every hand has ``cards_left`` cards. Every seat
    must hold between ``min_copies`` and ``max_copies`` copies of each card. If the hands have fewer cards than are
    unseen, the remaining cards are aside and unconstrained.

    Attributes:
        unseen: uint8 [n, cards], unseen copies of each card: in the other hands, or aside.
        cards_left: int8 [n, others], number of cards in each of the other hands.
        min_copies: uint8 [n, others, cards], lower bounds.
        max_copies: uint8 [n, others, cards], upper bounds; at most ``unseen``.
    """

    unseen: NDArray[np.uint8]
    cards_left: NDArray[np.int8]
    min_copies: NDArray[np.uint8]
    max_copies: NDArray[np.uint8]

    @classmethod
    def from_counts(cls, unseen: NDArray[np.uint8], left: NDArray[np.int8]) -> InformationSet:
        """Build the information sets where only counts are known: any seat may hold any unseen card.

        Args:
            unseen: uint8 [n, cards], unseen copies of each card.
            left: int8 [n, others], number of cards in each of the other hands.
        """
        max_copies = np.repeat(unseen[:, None], left.shape[1], axis=1)
        return cls(unseen, left, np.zeros_like(max_copies), max_copies)

    @property
    def num_aside(self) -> NDArray[np.int64]:
        """[n] number of unseen cards that are in no hand."""
        return self.unseen.sum(axis=1, dtype=np.int64) - self.cards_left.sum(axis=1, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.unseen)

    def select(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> InformationSet:
        """Return the information sets of some observers, by index, mask or slice."""
        return InformationSet(self.unseen[rows], self.cards_left[rows], self.min_copies[rows], self.max_copies[rows])

    @classmethod
    def concatenate(cls, parts: Sequence[InformationSet]) -> InformationSet:
        """Concatenate information sets along the axis of observers."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def counts_only(self) -> InformationSet:
        """Return these information sets without bounds: any seat may hold any unseen card."""
        return InformationSet.from_counts(self.unseen, self.cards_left)

    def is_consistent(self, deals: NDArray[np.number], tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Return which deals satisfy all constraints.

        Args:
            deals: [n, others, cards] copies of each card, integers or estimates.
            tolerance: Greatest absolute violation that is accepted, in cards.

        Returns:
            bool [n].
        """
        excess = deals.sum(axis=1).astype(np.float64) - self.unseen
        violation = np.where(self.num_aside[:, None] > 0, np.maximum(excess, 0), np.abs(excess)).max(axis=1)
        violation = np.maximum(violation, np.abs(deals.sum(axis=2) - self.cards_left).max(axis=1))
        violation = np.maximum(violation, (self.min_copies - deals.astype(np.float64)).max(axis=(1, 2)))
        return np.maximum(violation, (deals - self.max_copies.astype(np.float64)).max(axis=(1, 2))) <= tolerance


def sample_hand_estimates(unseen: NDArray[np.uint8], num_others: int, seed: int) -> HandEstimate:
    """Sample random hand estimates, to test networks and preferences that read them.

    Args:
        unseen: uint8 [n, cards], unseen copies of each card.
        num_others: Number of other seats.
        seed: Seed of the random numbers.

    Returns:
        float32 [n, others, cards]. One half of the rows give all copies of a card to one seat, the others share
        them; a quarter of all rows is zero.
    """
    random, (n, cards) = np.random.default_rng([seed64(seed), 2]), unseen.shape
    share = random.dirichlet(np.full(num_others, 0.5), (n, cards)).transpose(0, 2, 1)
    is_whole = random.random((n, 1, 1)) < 0.5
    estimate = unseen[:, None] * np.where(is_whole, share == share.max(axis=1, keepdims=True), share)
    estimate[random.random(n) < 0.25] = 0
    return estimate.astype(np.float32)
