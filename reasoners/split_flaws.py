"""What is wrong with tags that are not those of a split: the rules of splits.lp, asked of their circuit, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.keys import counts_of
from abl_cards.games.questions import Question, at_least
from abl_cards.logic.terms import text_of
from reasoners.split_kernels import NO_TAG
from reasoners.split_rules import COUNT, TAGS, SplitRules

_MOST = 4  # cards of one rank


class Flaw(NamedTuple):
    """Cards of one rank with one tag that cannot be."""

    name: str  # torn or lonely
    rank: int  # from 0
    tag: int

    def key(self) -> tuple[int, int]:
        """Where it is."""
        return self.rank, self.tag


def cards_by_tag(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n, 15, 4] how many cards of each rank have each tag, by tags [n, 20] of the cards from low to high."""
    ends = counts_of(hands).cumsum(axis=1, dtype=np.int64)
    rank = (ends[:, None, :] <= np.arange(tags.shape[1])[:, None]).sum(axis=2)
    hand, card = np.nonzero((rank < COUNT) & (tags != NO_TAG))
    cards = np.zeros((len(hands), COUNT, len(TAGS)), np.uint8)
    np.add.at(cards, (hand, rank[hand, card], tags[hand, card]), 1)
    return cards


@dataclass(frozen=True)
class Critic:
    """Finds flaws by the rules, and has words for them."""

    question: Question
    sentences: dict[tuple[str, str], str]  # by name and language
    tags: dict[tuple[int, str], str]  # their names by tag and language
    letters: tuple[str, ...]  # of the ranks

    @classmethod
    def of(cls, rules: SplitRules) -> Critic:
        """By the rules of a knowledge base."""
        kb = rules.kb
        axes = rules.values, TAGS
        told = {"tagged": (*axes, tuple(range(1, _MOST + 1)))}
        outputs = {"torn": axes, "lonely": axes, "consistent": ()}
        return cls(
            Question(kb.circuit("torn/2", "lonely/2", "consistent/0"), told, outputs),
            {(str(name), str(language)): text_of(text) for name, language, text in kb.facts("flaw", 3)},
            {(TAGS.index(int(tag)), str(language)): text_of(text) for tag, language, text in kb.facts("tag_name", 3)},
            rules.letters,
        )

    def consistent(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """[n] whether tags are those of a split, each card has one, and inside a rank they ascend."""
        answer = self.question.ask(len(hands), tagged=self._facts(hands, tags))["consistent"]
        return answer.astype(np.bool_) & _in_order(hands, tags)

    def flaws(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> list[list[Flaw]]:
        """What is wrong with the tags of each hand, low ranks first."""
        answers = self.question.ask(len(hands), tagged=self._facts(hands, tags))
        found: list[list[Flaw]] = [[] for _ in hands]
        for name in ("torn", "lonely"):
            for rank, tag, hand in np.argwhere(answers[name]).tolist():
                found[hand].append(Flaw(name, rank, tag))
        return [sorted(each, key=Flaw.key) for each in found]

    def words(self, flaw: Flaw, language: str) -> str:
        """A flaw in a sentence."""
        sentence = self.sentences.get((flaw.name, language)) or self.sentences.get((flaw.name, "en"), flaw.name)
        tag = self.tags.get((flaw.tag, language)) or str(TAGS[flaw.tag])
        return sentence.replace("{1}", self.letters[flaw.rank]).replace("{2}", tag)

    def _facts(self, hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[15, 4, 4, n] at least so many cards of a rank have a tag."""
        return at_least(cards_by_tag(hands, tags).transpose(1, 2, 0), _MOST)


def _in_order(hands: NDArray[np.uint64], tags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[n] whether every card has a tag, and the tags of equal ranks ascend."""
    ends = counts_of(hands).cumsum(axis=1, dtype=np.int64)
    places = np.arange(tags.shape[1])
    rank = (ends[:, None, :] <= places[:, None]).sum(axis=2)
    tagged = ((tags != NO_TAG) == (rank < COUNT)).all(axis=1)
    same = (rank[:, 1:] == rank[:, :-1]) & (rank[:, 1:] < COUNT)
    ascending = (~same | (tags[:, 1:] >= tags[:, :-1])).all(axis=1)
    return np.asarray(tagged & ascending)
