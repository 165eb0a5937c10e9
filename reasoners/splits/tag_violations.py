"""Find and describe violations of the rules of splits.lp by tags, with a circuit of these rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import string_value
from abl_cards.games.description import ArrayQuery, thermometer
from abl_cards.games.min_plays import key_counts
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import N_KINDS, TAGS, SplitRules

_MAX_COPIES = 4  # cards of one rank


class TagViolation(NamedTuple):
    """Violation of the rules by the cards of one rank with one tag.

    Attributes:
        name: "torn" or "lonely".
        rank: Rank, from 0.
        tag: Tag.
    """

    name: str
    rank: int
    tag: int

    def sort_key(self) -> tuple[int, int]:
        """Return rank and tag."""
        return self.rank, self.tag


def count_cards_by_tag(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8[n, 15, 4] the number of cards of each rank with each tag, from tags [n, 20]."""
    ends = key_counts(hands).cumsum(axis=1, dtype=np.int64)
    rank = (ends[:, None, :] <= np.arange(tags.shape[1])[:, None]).sum(axis=2)
    hand, card = np.nonzero((rank < N_KINDS) & (tags != NO_TAG))
    cards = np.zeros((len(hands), N_KINDS, len(TAGS)), np.uint8)
    np.add.at(cards, (hand, rank[hand, card], tags[hand, card]), 1)
    return cards


@dataclass(frozen=True)
class TagChecker:
    """Checks tags by the rules, and describes violations.

    Attributes:
        query: Circuit of the violations.
        sentences: Sentences by the name of the violation and the language.
        tag_names: Names of tags by tag and language.
        rank_texts: Texts of the ranks.
    """

    query: ArrayQuery
    sentences: dict[tuple[str, str], str]
    tag_names: dict[tuple[int, str], str]
    rank_texts: tuple[str, ...]

    @classmethod
    def of(cls, rules: SplitRules) -> TagChecker:
        """Make the checker of a game."""
        kb = rules.kb
        axes = rules.kinds, TAGS
        inputs = {"tagged": (*axes, tuple(range(1, _MAX_COPIES + 1)))}
        outputs = {"torn": axes, "lonely": axes, "consistent": ()}
        return cls(
            ArrayQuery(kb.circuit("torn/2", "lonely/2", "consistent/0"), inputs, outputs),
            {(str(name), str(language)): string_value(text) for name, language, text in kb.facts("flaw", 3)},
            {
                (TAGS.index(int(tag)), str(language)): string_value(text)
                for tag, language, text in kb.facts("tag_name", 3)
            },
            rules.kind_texts,
        )

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return bool[n]: whether tags are those of a split, complete, and ascending within each rank."""
        answer = self.query.evaluate(len(hands), tagged=self._tagged_inputs(hands, tags))["consistent"]
        return answer.astype(np.bool_) & _is_ordered(hands, tags)

    def find_violations(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[TagViolation]]:
        """Return the violations of each hand, low ranks first."""
        answers = self.query.evaluate(len(hands), tagged=self._tagged_inputs(hands, tags))
        violations: list[list[TagViolation]] = [[] for _ in hands]
        for name in ("torn", "lonely"):
            for rank, tag, hand in np.argwhere(answers[name]).tolist():
                violations[hand].append(TagViolation(name, rank, tag))
        return [sorted(hand_violations, key=TagViolation.sort_key) for hand_violations in violations]

    def violation_text(self, violation: TagViolation, language: str) -> str:
        """Return a sentence about a violation."""
        sentence = self.sentences.get((violation.name, language)) or self.sentences.get(
            (violation.name, "en"), violation.name
        )
        tag = self.tag_names.get((violation.tag, language)) or str(TAGS[violation.tag])
        return sentence.replace("{1}", self.rank_texts[violation.rank]).replace("{2}", tag)

    def _tagged_inputs(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return uint8[15, 4, 4, n]: whether at least 1, 2, 3 or 4 cards of a rank have a tag."""
        return thermometer(count_cards_by_tag(hands, tags).transpose(1, 2, 0), _MAX_COPIES)


def _is_ordered(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return bool[n]: whether every card has a tag, and the tags within a rank ascend."""
    ends = key_counts(hands).cumsum(axis=1, dtype=np.int64)
    positions = np.arange(tags.shape[1])
    rank = (ends[:, None, :] <= positions[:, None]).sum(axis=2)
    tagged = ((tags != NO_TAG) == (rank < N_KINDS)).all(axis=1)
    same_rank = (rank[:, 1:] == rank[:, :-1]) & (rank[:, 1:] < N_KINDS)
    ascending = (~same_rank | (tags[:, 1:] >= tags[:, :-1])).all(axis=1)
    return np.asarray(tagged & ascending)
