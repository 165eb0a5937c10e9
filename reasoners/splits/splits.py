"""The best split of a hand: the most probable tags that are consistent, with few plays preferred; and what they mean.

A learner says how probable each tag is for each card. Whatever it says, the answer is a split by the rules of
``splits.lp``: of all of them the one with the highest sum of log-probabilities, less ``weight`` times the price of its
pieces. That is exact, and found for many hands at once. Without a learner it is what the rules prefer.

>>> from abl_cards.games import load
>>> splitter = Splitter.of(SplitRules.of(load("doudizhu").engine().rules))
>>> found = splitter.best_by_rules(np.array([splitter.rules.read_hand("34445556789TA22XD")], np.uint64))
>>> found.tags_text(0)
'02222220000001133'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import map_ranges
from abl_cards.games.min_plays import HandKey, key_counts, key_sizes
from abl_cards.reasoners.splits.kernels import NO_PIECE, NO_TAG, split_hands
from abl_cards.reasoners.splits.rules import MAX_CARDS, TAGS, SplitRules
from abl_cards.reasoners.splits.tables import SplitTables, build_split_tables
from abl_cards.reasoners.splits.tag_violations import TagChecker, TagViolation

_FORBIDDEN_SCORE = -1e6
_TIE_BREAK = 1e-3
"""So little that the prices of a whole hand do not make up for one piece."""


@dataclass(frozen=True)
class Splits:
    """Splits of n hands; cards from low to high, inside a rank tags from low to high."""

    tags: NDArray[np.uint8]  # [n, 20] NO_TAG beyond the last card
    pieces: NDArray[np.int16]  # [n, 20] labels, NO_PIECE beyond the last one
    n_pieces: NDArray[np.uint8]  # [n] how many pieces there are
    score: NDArray[np.float64]  # [n] the log-probability of the tags, less what the pieces cost

    def tags_text(self, hand: int) -> str:
        """The tags of one hand, a digit a card."""
        return "".join(str(TAGS[tag]) for tag in self.tags[hand] if tag != NO_TAG)

    def piece_labels(self, hand: int) -> list[int]:
        """The pieces of one hand."""
        return [int(label) for label in self.pieces[hand] if label != NO_PIECE]


@dataclass(frozen=True)
class Splitter:
    """Splits hands by one knowledge base."""

    rules: SplitRules
    tables: SplitTables

    @classmethod
    def of(cls, rules: SplitRules) -> Splitter:
        """The splitter of a knowledge base; raises KBError."""
        return cls(rules, build_split_tables(rules))

    def best(self, hands: NDArray[np.uint64], tag_log_probs: NDArray[np.floating], weight: float = 0.0) -> Splits:
        """The best splits of hands [n] as keys, by log-probabilities [n, 20, 4] of the tags of their cards.

        ``weight`` is what one play weighs, in nats; prices of pieces are in plays. Hands have up to 20 cards.
        """
        if len(hands) and int(key_sizes(hands).max()) > MAX_CARDS:
            raise ValueError(f"a hand has at most {MAX_CARDS} cards")
        scores, counts = np.ascontiguousarray(tag_log_probs, np.float64), key_counts(hands)
        n = len(hands)
        tags = np.full((n, MAX_CARDS), NO_TAG, np.uint8)
        pieces = np.full((n, MAX_CARDS), NO_PIECE, np.int16)
        plays, worth = np.zeros(n, np.uint8), np.zeros(n)
        map_ranges(
            n,
            lambda lo, hi: split_hands(self.tables, counts, scores, float(weight), lo, hi, tags, pieces, plays, worth),
        )
        if weight == 0:  # then the pieces do not matter to the search, but they do to the reader
            return replace(self.pieces_of_tags(hands, tags), score=worth)
        return Splits(tags, pieces, plays, worth)

    def best_by_rules(self, hands: NDArray[np.uint64]) -> Splits:
        """Splits whose pieces have the least prices: what the rules prefer when there is no learner."""
        return self.best(hands, np.zeros((len(hands), MAX_CARDS, len(TAGS))), 1.0)

    def fewest_pieces(self, hands: NDArray[np.uint64]) -> Splits:
        """Splits into as few pieces as can be, and of those what the rules prefer; kickers are pieces of their own."""
        return self._piece_counter.best_by_rules(hands)

    def pieces_of_tags(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> Splits:
        """The pieces that consistent tags [n, 20] mean: as few as can be, so chains wherever there are some."""
        likely = np.full((len(hands), MAX_CARDS, len(TAGS)), _FORBIDDEN_SCORE)
        hand, card = np.nonzero(tags != NO_TAG)
        likely[hand, card, tags[hand, card]] = 0.0
        return self._piece_counter.best(hands, likely, 1.0)

    def find_violations(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[TagViolation]]:
        """Why tags [n, 20] of some hands are not those of a split; nothing for those that are."""
        return self._tag_checker.find_violations(hands, tags)

    def violation_text(self, violation: TagViolation, language: str) -> str:
        """A flaw in a sentence."""
        return self._tag_checker.violation_text(violation, language)

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """[n] whether tags [n, 20] are those of a split."""
        return self._tag_checker.consistent(hands, tags)

    @cached_property
    def _tag_checker(self) -> TagChecker:
        return TagChecker.of(self.rules)

    @cached_property
    def _piece_counter(self) -> Splitter:
        """With every piece at the price of one play; what the rules prefer is a trifle that decides between equals."""
        tables, pieces = self.tables, self.tables.pieces
        larger = pieces._replace(price=1 + _TIE_BREAK * pieces.price)
        return Splitter(self.rules, tables._replace(group_price=1 + _TIE_BREAK * tables.group_price, pieces=larger))

    def piece_cards(self, labels: Sequence[int]) -> list[HandKey]:
        """The cards of pieces, as keys."""
        return [int(self.rules.main_keys[label]) for label in labels]
