"""Splits as ABLkit's knowledge base and reasoner (``abl-cards[learning]``).

An example is one hand. X holds its cards from low to high (``HandCard``), the pseudo-labels are their tags, and the
result is whether the tags are those of a split. ABLkit's own search finds consistent tags with few revisions, in
seconds; this reasoner finds the best ones, in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.min_plays import HandKey, key_sizes
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import MAX_CARDS, TAGS
from abl_cards.reasoners.splits.splits import Splitter

_MIN_PROBABILITY = 1e-5  # lower bound of probabilities before the logarithm


class HandCard(NamedTuple):
    """Card of a hand.

    Attributes:
        hand: Key of the hand.
        position: Position from 0, low to high.
    """

    hand: HandKey
    position: int


def hands_to_cards(hands: NDArray[np.uint64]) -> list[list[HandCard]]:
    """Return the cards of each of n hands, uint64[n] keys."""
    return [
        [HandCard(hand, position) for position in range(size)]
        for hand, size in zip(hands.tolist(), key_sizes(hands).tolist(), strict=True)
    ]


def iter_hands(cards: Sequence[HandCard]) -> Iterator[tuple[HandKey, int, int]]:
    """Split a sequence of cards into hands.

    Args:
        cards: Cards of several hands, one hand after the other.

    Yields:
        Key, index of the first card, and index behind the last card of each hand.
    """
    starts = [index for index, card in enumerate(cards) if card.position == 0]
    for first, last in pairwise([*starts, len(cards)]):
        yield cards[first].hand, first, last


def pad_tags(tags: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
    """Return uint8[n, 20] the tags of n hands, with NO_TAG beyond the last card."""
    rows = np.full((len(tags), MAX_CARDS), NO_TAG, np.uint8)
    for row, hand_tags in zip(rows, tags, strict=True):
        row[: len(hand_tags)] = hand_tags
    return rows


class SplitsKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Knowledge base of ABLkit: tags are consistent with a hand when they are those of a split."""

    def __init__(self, splitter: Splitter) -> None:
        """Make a knowledge base; ABLkit's cache is not keyed by knowledge base, so it stays off."""
        self.splitter = splitter
        super().__init__(pseudo_label_list=list(TAGS), use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[int], x: Sequence[HandCard]) -> bool:
        """Return whether the tags of the cards of a hand are those of a split."""
        hands = np.array([x[0].hand], np.uint64)
        return bool(self.splitter.consistent(hands, pad_tags([pseudo_label]))[0])


class SplittingReasoner(Reasoner):  # type: ignore[misc]
    """Reasoner of ABLkit: it abduces the most probable consistent tags, less a price for the pieces."""

    def __init__(self, kb: SplitsKB, weight: float) -> None:
        """Make a reasoner.

        Args:
            kb: The knowledge base.
            weight: Cost of one play, in nats; 0 ignores prices.
        """
        super().__init__(kb)
        self.splitter, self.weight = kb.splitter, weight

    def batch_abduce(self, data_examples: ListData) -> list[list[int]]:
        """Return the tags of each hand, by pred_prob: a list of arrays [cards, 4].

        Raises:
            GameError: A probability is infinite or not a number.
        """
        hands = np.array([cards[0].hand for cards in data_examples.X], np.uint64)
        log_probs = np.zeros((len(hands), MAX_CARDS, len(TAGS)))
        for row, probabilities in zip(log_probs, data_examples.pred_prob, strict=True):
            values = np.asarray(probabilities, np.float64)
            if not np.isfinite(values).all():
                raise GameError("pred_prob: a value is infinite or no number", ErrorCode.INVALID_VALUE)
            row[: len(values)] = np.log(np.maximum(values, _MIN_PROBABILITY))
        splits = self.splitter.best(hands, log_probs, self.weight)
        data_examples.abduced_pseudo_label = [
            row[: len(cards)] for row, cards in zip(splits.tags.tolist(), data_examples.X, strict=True)
        ]
        return data_examples.abduced_pseudo_label

    def abduce(self, data_example: Any) -> list[int]:
        """Return the tags of one hand."""
        data = ListData(X=[data_example.X], pred_prob=[data_example.pred_prob])
        return self.batch_abduce(data)[0]
