"""What is wrong with tags that are not those of a split: the rules of splits.lp, asked of their circuit, in words."""

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
    """Cards of one rank with one tag that cannot be."""

    name: str  # torn or lonely
    rank: int  # from 0
    tag: int

    def sort_key(self) -> tuple[int, int]:
        """Where it is."""
        return self.rank, self.tag


def count_cards_by_tag(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n, 15, 4] how many cards of each rank have each tag, by tags [n, 20] of the cards from low to high."""
    ends = key_counts(hands).cumsum(axis=1, dtype=np.int64)
    rank = (ends[:, None, :] <= np.arange(tags.shape[1])[:, None]).sum(axis=2)
    hand, card = np.nonzero((rank < N_KINDS) & (tags != NO_TAG))
    cards = np.zeros((len(hands), N_KINDS, len(TAGS)), np.uint8)
    np.add.at(cards, (hand, rank[hand, card], tags[hand, card]), 1)
    return cards


@dataclass(frozen=True)
class TagChecker:
    """Finds flaws by the rules, and has words for them."""

    query: ArrayQuery
    sentences: dict[tuple[str, str], str]  # by name and language
    tag_names: dict[tuple[int, str], str]  # their names by tag and language
    rank_texts: tuple[str, ...]  # of the ranks

    @classmethod
    def of(cls, rules: SplitRules) -> TagChecker:
        """By the rules of a knowledge base."""
        kb = rules.kb
        axes = rules.kinds, TAGS
        told = {"tagged": (*axes, tuple(range(1, _MAX_COPIES + 1)))}
        outputs = {"torn": axes, "lonely": axes, "consistent": ()}
        return cls(
            ArrayQuery(kb.circuit("torn/2", "lonely/2", "consistent/0"), told, outputs),
            {(str(name), str(language)): string_value(text) for name, language, text in kb.facts("flaw", 3)},
            {
                (TAGS.index(int(tag)), str(language)): string_value(text)
                for tag, language, text in kb.facts("tag_name", 3)
            },
            rules.kind_texts,
        )

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """[n] whether tags are those of a split, each card has one, and inside a rank they ascend."""
        answer = self.query.evaluate(len(hands), tagged=self._tagged_inputs(hands, tags))["consistent"]
        return answer.astype(np.bool_) & _is_ordered(hands, tags)

    def find_violations(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[TagViolation]]:
        """What is wrong with the tags of each hand, low ranks first."""
        answers = self.query.evaluate(len(hands), tagged=self._tagged_inputs(hands, tags))
        found: list[list[TagViolation]] = [[] for _ in hands]
        for name in ("torn", "lonely"):
            for rank, tag, hand in np.argwhere(answers[name]).tolist():
                found[hand].append(TagViolation(name, rank, tag))
        return [sorted(each, key=TagViolation.sort_key) for each in found]

    def violation_text(self, violation: TagViolation, language: str) -> str:
        """A flaw in a sentence."""
        sentence = self.sentences.get((violation.name, language)) or self.sentences.get(
            (violation.name, "en"), violation.name
        )
        tag = self.tag_names.get((violation.tag, language)) or str(TAGS[violation.tag])
        return sentence.replace("{1}", self.rank_texts[violation.rank]).replace("{2}", tag)

    def _tagged_inputs(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[15, 4, 4, n] at least so many cards of a rank have a tag."""
        return thermometer(count_cards_by_tag(hands, tags).transpose(1, 2, 0), _MAX_COPIES)


def _is_ordered(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[n] whether every card has a tag, and the tags of equal ranks ascend."""
    ends = key_counts(hands).cumsum(axis=1, dtype=np.int64)
    places = np.arange(tags.shape[1])
    rank = (ends[:, None, :] <= places[:, None]).sum(axis=2)
    tagged = ((tags != NO_TAG) == (rank < N_KINDS)).all(axis=1)
    same = (rank[:, 1:] == rank[:, :-1]) & (rank[:, 1:] < N_KINDS)
    ascending = (~same | (tags[:, 1:] >= tags[:, :-1])).all(axis=1)
    return np.asarray(tagged & ascending)
