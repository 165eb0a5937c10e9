"""What a seat may conclude about the hands it does not see, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import seed64

HandEstimate = NDArray[np.floating]
"""[n, others, cards] how many copies of each card the other hands are believed to hold: the next one's, ...."""


@dataclass(frozen=True)
class InformationSet:
    """What n observers know of the hands of the others, who are counted in the order of play: next, ...

    A deal is consistent when every unseen copy is in one of the hands, every hand has as many cards as it has left, and
    every seat holds between ``min_copies`` and ``max_copies`` copies of each card. Where the hands have fewer cards
    than are unseen, the others lie aside: they are any.
    """

    unseen: NDArray[np.uint8]  # [n, cards] copies of each card that are not seen: in the other hands, or aside
    cards_left: NDArray[np.int8]  # [n, others] cards in each of these hands
    min_copies: NDArray[np.uint8]  # [n, others, cards]
    max_copies: NDArray[np.uint8]  # [n, others, cards] never more than unseen

    @classmethod
    def from_counts(cls, unseen: NDArray[np.uint8], left: NDArray[np.int8]) -> InformationSet:
        """Where nothing is known but the counts: any seat may hold any unseen card."""
        everything = np.repeat(unseen[:, None], left.shape[1], axis=1)
        return cls(unseen, left, np.zeros_like(everything), everything)

    @property
    def num_aside(self) -> NDArray[np.int64]:
        """[n] how many of the unseen cards are in no hand."""
        return self.unseen.sum(axis=1, dtype=np.int64) - self.cards_left.sum(axis=1, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.unseen)

    def select(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> InformationSet:
        """Those of some observers."""
        return InformationSet(self.unseen[rows], self.cards_left[rows], self.min_copies[rows], self.max_copies[rows])

    @classmethod
    def concatenate(cls, parts: Sequence[InformationSet]) -> InformationSet:
        """One after the other."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def counts_only(self) -> InformationSet:
        """The counts alone: any seat may hold any unseen card."""
        return InformationSet.from_counts(self.unseen, self.cards_left)

    def is_consistent(self, deals: NDArray[np.number], tolerance: float = 0.0) -> NDArray[np.bool_]:
        """[n] whether deals or estimates [n, others, cards] satisfy everything."""
        over = deals.sum(axis=1).astype(np.float64) - self.unseen
        wrong = np.where(self.num_aside[:, None] > 0, np.maximum(over, 0), np.abs(over)).max(axis=1)
        wrong = np.maximum(wrong, np.abs(deals.sum(axis=2) - self.cards_left).max(axis=1))
        wrong = np.maximum(wrong, (self.min_copies - deals.astype(np.float64)).max(axis=(1, 2)))
        return np.maximum(wrong, (deals - self.max_copies.astype(np.float64)).max(axis=(1, 2))) <= tolerance


def sample_hand_estimates(unseen: NDArray[np.uint8], num_others: int, seed: int) -> HandEstimate:
    """[n, others, cards] unseen cards [n, cards] shared out at random, whole or in parts; zeros for one row in four."""
    random, (n, cards) = np.random.default_rng([seed64(seed), 2]), unseen.shape
    share = random.dirichlet(np.full(num_others, 0.5), (n, cards)).transpose(0, 2, 1)
    whole = random.random((n, 1, 1)) < 0.5
    guess = unseen[:, None] * np.where(whole, share == share.max(axis=1, keepdims=True), share)
    guess[random.random(n) < 0.25] = 0
    return guess.astype(np.float32)
