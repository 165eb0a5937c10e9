"""Splits as ABLkit's knowledge base and reasoner: ``pip install 'abl-cards[learning]'``.

An example is one hand. X holds its cards from low to high (``HandCard``), the pseudo-labels are their tags, and the
result is whether the tags are those of a split. ABLkit's own search finds some consistent tags with few revisions, in
seconds; the reasoner here finds the best ones, in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from ablkit.data.structures import ListData
from ablkit.reasoning import KBBase, Reasoner
from numpy.typing import NDArray

from abl_cards.games.min_plays import HandKey, key_sizes
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import MAX_CARDS, TAGS
from abl_cards.reasoners.splits.splits import Splitter

_MIN_PROBABILITY = 1e-5  # no tag is taken for less probable than this


class HandCard(NamedTuple):
    """A card of a hand."""

    hand: HandKey
    position: int  # from 0, low to high


def hands_to_cards(hands: NDArray[np.uint64]) -> list[list[HandCard]]:
    """X of hands [n] given as keys."""
    return [
        [HandCard(hand, place) for place in range(size)]
        for hand, size in zip(hands.tolist(), key_sizes(hands).tolist(), strict=True)
    ]


def iter_hands(cards: Sequence[HandCard]) -> Iterator[tuple[HandKey, int, int]]:
    """The hands that cards in a row belong to: key, first place and the place after the last one."""
    starts = [number for number, card in enumerate(cards) if card.position == 0]
    for first, last in pairwise([*starts, len(cards)]):
        yield cards[first].hand, first, last


def pad_tags(tags: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
    """[n, 20] tags as arrays have them, NO_TAG beyond the end."""
    rows = np.full((len(tags), MAX_CARDS), NO_TAG, np.uint8)
    for row, known in zip(rows, tags, strict=True):
        row[: len(known)] = known
    return rows


class SplitsKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Tags are consistent with a hand when they are those of a split."""

    def __init__(self, splitter: Splitter) -> None:
        """By the rules of a splitter. ABLkit's cache is not keyed by knowledge base, so it stays off."""
        self.splitter = splitter
        super().__init__(pseudo_label_list=list(TAGS), use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[int], x: Sequence[HandCard]) -> bool:
        """Whether the tags of the cards of a hand are those of a split."""
        hands = np.array([x[0].hand], np.uint64)
        return bool(self.splitter.consistent(hands, pad_tags([pseudo_label]))[0])


class SplittingReasoner(Reasoner):  # type: ignore[misc]
    """The most probable tags that are those of a split, with the pieces weighed by their prices."""

    def __init__(self, kb: SplitsKB, weight: float) -> None:
        """A play weighs so much, in nats; 0 leaves rules and probabilities alone."""
        super().__init__(kb)
        self.splitter, self.weight = kb.splitter, weight

    def batch_abduce(self, data_examples: ListData) -> list[list[int]]:
        """The tags of each hand, by pred_prob: a list of [cards, 4]."""
        hands = np.array([cards[0].hand for cards in data_examples.X], np.uint64)
        likely = np.zeros((len(hands), MAX_CARDS, len(TAGS)))
        for row, probabilities in zip(likely, data_examples.pred_prob, strict=True):
            row[: len(probabilities)] = np.log(np.maximum(np.asarray(probabilities, np.float64), _MIN_PROBABILITY))
        found = self.splitter.best(hands, likely, self.weight)
        data_examples.abduced_pseudo_label = [
            row[: len(cards)] for row, cards in zip(found.tags.tolist(), data_examples.X, strict=True)
        ]
        return data_examples.abduced_pseudo_label

    def abduce(self, data_example: Any) -> list[int]:
        """The tags of one hand."""
        one = ListData(X=[data_example.X], pred_prob=[data_example.pred_prob])
        return self.batch_abduce(one)[0]
