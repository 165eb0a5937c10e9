"""Plays as a type, a rank and the cards, where the rules say so by ``written(Label,Type,Rank)``.

``["Pair","4",["H4","C4"]]`` is such a play, ``["PASS","PASS","PASS"]`` a pass, and ``["tribute","tribute",["D5"]]`` a
card that is chosen, by the name of its stage. A label without a word of its own goes by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.games.reading.rules import Rules
from abl_cards.games.shapes import arguments, functor
from abl_cards.games.words.once import once
from abl_cards.logic.errors import kb_error
from abl_cards.logic.terms import text_of

Words = tuple[str, str]
"""A type and a rank."""


@dataclass(frozen=True)
class Written:
    """The words of a game."""

    labels: tuple[Words, ...]  # by label
    stages: Mapping[str, Words]  # by stage of a choice
    meant: Mapping[tuple[str, str, int], int]  # the label of a type, a rank and a number of cards
    passing: int  # the label of the pass

    def play(self, label: int, cards: Sequence[str]) -> list[Any]:
        """A play of some cards, which may be none."""
        kind, rank = self.labels[label]
        return [kind, rank, list(cards) if cards else rank]

    def text(self, label: int, cards: Sequence[str]) -> str:
        """The same in one line."""
        return " ".join([*self.labels[label], *cards]) if cards else self.labels[label][0]

    def choice(self, stage: str, card: str) -> list[Any] | None:
        """A card that is chosen; None in a stage without words."""
        words = self.stages.get(stage)
        return None if words is None else [*words, [card]]


@once
def written(rules: Rules) -> Written | None:
    """How plays are written; None where the rules do not say. Raises KBError for two labels written alike."""
    said = {label: (text_of(kind), text_of(rank)) for label, kind, rank in rules.kb.facts("written", 3)}
    if not said:
        return None
    labels = tuple(said.get(label) or _named(rules, str(label)) for label in rules.labels)
    stages = {str(stage): said[stage] for stage in rules.words.stages if stage in said}
    meant: dict[tuple[str, str, int], int] = {}
    for form, number in zip(rules.forms.forms, rules.forms.label_of.tolist(), strict=True):
        words = (*labels[number], form.cards)
        if meant.setdefault(words, number) != number:
            alike = rules.labels[meant[words]], rules.labels[number]
            raise kb_error(f"written/3: {alike[0]} and {alike[1]} are written alike", "give each its own words")
    return Written(labels, stages, meant, int(rules.forms.label_of[rules.forms.passing]))


def _named(rules: Rules, label: str) -> Words:
    parts = arguments(label)
    return functor(label), rules.letters.terms.get(parts[0], str(parts[0])) if parts else label


def is_written(value: Any) -> bool:
    """Whether something in JSON has the form of such a play."""
    match value:
        case [str(), str(), list()] | ["PASS", "PASS", "PASS"]:
            return True
    return False
