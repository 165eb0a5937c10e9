"""The best split of a hand: the most probable tags that are consistent, with few plays preferred; and what they mean.

A learner says how probable each tag is for each card. Whatever it says, the answer is a split by the rules of
``splits.lp``: of all of them the one with the highest sum of log-probabilities, less ``weight`` times the price of its
pieces. That is exact, and found for many hands at once. Without a learner it is what the rules prefer.

>>> from abl_cards.games import game
>>> splitter = Splitter.of(SplitRules.of(game("doudizhu").engine().rules))
>>> found = splitter.preferred(np.array([splitter.rules.read("34445556789TA22XD")], np.uint64))
>>> found.text(0)
'02222220000001133'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.keys import Key, counts_of, sizes_of
from abl_cards.parallel import each_share
from reasoners.split_flaws import Critic, Flaw
from reasoners.split_kernels import NO_PIECE, NO_TAG, split
from reasoners.split_rules import MOST_CARDS, TAGS, SplitRules
from reasoners.split_tables import SplitTables, tables_of

_OUT_OF_QUESTION = -1e6
_TRIFLE = 1e-3
"""So little that the prices of a whole hand do not make up for one piece."""


@dataclass(frozen=True)
class Splits:
    """Splits of n hands; cards from low to high, inside a rank tags from low to high."""

    tags: NDArray[np.uint8]  # [n, 20] NO_TAG beyond the last card
    pieces: NDArray[np.int16]  # [n, 20] labels, NO_PIECE beyond the last one
    plays: NDArray[np.uint8]  # [n] how many pieces there are
    worth: NDArray[np.float64]  # [n] the log-probability of the tags, less what the pieces cost

    def text(self, hand: int) -> str:
        """The tags of one hand, a digit a card."""
        return "".join(str(TAGS[tag]) for tag in self.tags[hand] if tag != NO_TAG)

    def labels(self, hand: int) -> list[int]:
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
        return cls(rules, tables_of(rules))

    def best(self, hands: NDArray[np.uint64], likely: NDArray[np.floating], weight: float = 0.0) -> Splits:
        """The best splits of hands [n] as keys, by log-probabilities [n, 20, 4] of the tags of their cards.

        ``weight`` is what one play weighs, in nats; prices of pieces are in plays. Hands have up to 20 cards.
        """
        if len(hands) and int(sizes_of(hands).max()) > MOST_CARDS:
            raise ValueError(f"a hand has at most {MOST_CARDS} cards")
        scores, counts = np.ascontiguousarray(likely, np.float64), counts_of(hands)
        n = len(hands)
        tags = np.full((n, MOST_CARDS), NO_TAG, np.uint8)
        pieces = np.full((n, MOST_CARDS), NO_PIECE, np.int16)
        plays, worth = np.zeros(n, np.uint8), np.zeros(n)
        each_share(
            n, lambda lo, hi: split(self.tables, counts, scores, float(weight), lo, hi, tags, pieces, plays, worth)
        )
        if weight == 0:  # then the pieces do not matter to the search, but they do to the reader
            return replace(self.meant(hands, tags), worth=worth)
        return Splits(tags, pieces, plays, worth)

    def preferred(self, hands: NDArray[np.uint64]) -> Splits:
        """Splits whose pieces have the least prices: what the rules prefer when there is no learner."""
        return self.best(hands, np.zeros((len(hands), MOST_CARDS, len(TAGS))), 1.0)

    def fewest(self, hands: NDArray[np.uint64]) -> Splits:
        """Splits into as few pieces as can be, and of those what the rules prefer; kickers are pieces of their own."""
        return self._counting.preferred(hands)

    def meant(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> Splits:
        """The pieces that consistent tags [n, 20] mean: as few as can be, so chains wherever there are some."""
        likely = np.full((len(hands), MOST_CARDS, len(TAGS)), _OUT_OF_QUESTION)
        hand, card = np.nonzero(tags != NO_TAG)
        likely[hand, card, tags[hand, card]] = 0.0
        return self._counting.best(hands, likely, 1.0)

    def flaws(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[Flaw]]:
        """Why tags [n, 20] of some hands are not those of a split; nothing for those that are."""
        return self._critic.flaws(hands, tags)

    def words(self, flaw: Flaw, language: str) -> str:
        """A flaw in a sentence."""
        return self._critic.words(flaw, language)

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """[n] whether tags [n, 20] are those of a split."""
        return self._critic.consistent(hands, tags)

    @cached_property
    def _critic(self) -> Critic:
        return Critic.of(self.rules)

    @cached_property
    def _counting(self) -> Splitter:
        """With every piece at the price of one play; what the rules prefer is a trifle that decides between equals."""
        tables, pieces = self.tables, self.tables.pieces
        larger = pieces._replace(price=1 + _TRIFLE * pieces.price)
        return Splitter(self.rules, tables._replace(price=1 + _TRIFLE * tables.price, pieces=larger))

    def cards_of(self, labels: Sequence[int]) -> list[Key]:
        """The cards of pieces, as keys."""
        return [int(self.rules.main[label]) for label in labels]
