"""Find the best split of a hand: the most probable consistent tags, less a price for the pieces.

A learner predicts the probability of each tag of each card. The result is always a split by the rules of
``splits.lp``: the one with the highest sum of log-probabilities, less ``weight`` times the price of its pieces. The
search is exact, and runs for many hands at once. Without a learner the split has the lowest price.

>>> from abl_cards.games import load
>>> splitter = Splitter.of(SplitRules.of(load("doudizhu").engine().rules))
>>> splits = splitter.best_by_rules(np.array([splitter.rules.read_hand("34445556789TA22XD")], np.uint64))
>>> splits.tags_text(0)
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
"""Weight of prices that is too small for those of a whole hand to outweigh one piece."""


@dataclass(frozen=True)
class Splits:
    """Splits of n hands; cards are sorted from low to high, and tags from low to high within a rank.

    Attributes:
        tags: uint8[n, 20] Tags; NO_TAG beyond the last card.
        pieces: int16[n, 20] Labels of the pieces; NO_PIECE beyond the last one.
        n_pieces: uint8[n] Number of pieces.
        score: float64[n] Log-probability of the tags, less the weighted prices of the pieces.
    """

    tags: NDArray[np.uint8]
    pieces: NDArray[np.int16]
    n_pieces: NDArray[np.uint8]
    score: NDArray[np.float64]

    def tags_text(self, hand: int) -> str:
        """Return the tags of one hand, one digit for each card."""
        return "".join(str(TAGS[tag]) for tag in self.tags[hand] if tag != NO_TAG)

    def piece_labels(self, hand: int) -> list[int]:
        """Return the labels of the pieces of one hand."""
        return [int(label) for label in self.pieces[hand] if label != NO_PIECE]


@dataclass(frozen=True)
class Splitter:
    """Splits hands by the rules of a game.

    Attributes:
        rules: Rules of splits.
        tables: Arrays for the search.
    """

    rules: SplitRules
    tables: SplitTables

    @classmethod
    def of(cls, rules: SplitRules) -> Splitter:
        """Make the splitter of a game.

        Args:
            rules: Rules of splits.

        Returns:
            The splitter.

        Raises:
            KBError: The facts do not describe pieces that the search supports.
        """
        return cls(rules, build_split_tables(rules))

    def best(self, hands: NDArray[np.uint64], tag_log_probs: NDArray[np.floating], weight: float = 0.0) -> Splits:
        """Find the best splits of hands.

        Args:
            hands: uint64[n] Keys of the hands.
            tag_log_probs: float[n, 20, 4] Log-probabilities of the tags of each card.
            weight: Cost of one play, in nats; prices of pieces are in plays.

        Returns:
            The best splits.

        Raises:
            ValueError: A hand has too many cards.
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
        if weight == 0:  # the search ignores pieces then, so they are computed from the tags
            return replace(self.pieces_of_tags(hands, tags), score=worth)
        return Splits(tags, pieces, plays, worth)

    def best_by_rules(self, hands: NDArray[np.uint64]) -> Splits:
        """Find the splits with the lowest prices.

        Args:
            hands: uint64[n] Keys of the hands.

        Returns:
            The splits.
        """
        return self.best(hands, np.zeros((len(hands), MAX_CARDS, len(TAGS))), 1.0)

    def fewest_pieces(self, hands: NDArray[np.uint64]) -> Splits:
        """Find the splits into the fewest pieces, with the lowest prices among these; kickers count as pieces.

        Args:
            hands: uint64[n] Keys of the hands.

        Returns:
            The splits.
        """
        return self._piece_counter.best_by_rules(hands)

    def pieces_of_tags(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> Splits:
        """Find the fewest pieces that consistent tags allow.

        Args:
            hands: uint64[n] Keys of the hands.
            tags: uint8[n, 20] Consistent tags.

        Returns:
            Splits with these tags.
        """
        likely = np.full((len(hands), MAX_CARDS, len(TAGS)), _FORBIDDEN_SCORE)
        hand, card = np.nonzero(tags != NO_TAG)
        likely[hand, card, tags[hand, card]] = 0.0
        return self._piece_counter.best(hands, likely, 1.0)

    def find_violations(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[TagViolation]]:
        """Find the violations of the rules by tags.

        Args:
            hands: uint64[n] Keys of the hands.
            tags: uint8[n, 20] Tags.

        Returns:
            For each hand its violations; none for consistent tags.
        """
        return self._tag_checker.find_violations(hands, tags)

    def violation_text(self, violation: TagViolation, language: str) -> str:
        """Return a sentence about a violation, in a language such as "en"."""
        return self._tag_checker.violation_text(violation, language)

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Check tags.

        Args:
            hands: uint64[n] Keys of the hands.
            tags: uint8[n, 20] Tags.

        Returns:
            bool[n] Whether the tags are those of a split.
        """
        return self._tag_checker.consistent(hands, tags)

    @cached_property
    def _tag_checker(self) -> TagChecker:
        return TagChecker.of(self.rules)

    @cached_property
    def _piece_counter(self) -> Splitter:
        """Return a counter with equal prices for all pieces; the rules' preferences only break ties."""
        tables, pieces = self.tables, self.tables.pieces
        larger = pieces._replace(price=1 + _TIE_BREAK * pieces.price)
        return Splitter(self.rules, tables._replace(group_price=1 + _TIE_BREAK * tables.group_price, pieces=larger))

    def piece_cards(self, labels: Sequence[int]) -> list[HandKey]:
        """Return the cards of pieces, as keys."""
        return [int(self.rules.main_keys[label]) for label in labels]
