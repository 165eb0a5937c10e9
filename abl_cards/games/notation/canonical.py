"""Plays as a type, a rank and the cards, where the rules say so by ``written(Label,Type,Rank)``.

``["Pair","4",["H4","C4"]]`` is such a play, ``["PASS","PASS","PASS"]`` a pass, and ``["tribute","tribute",["D5"]]`` a
card that is chosen, by the name of its stage. A label without a word of its own goes by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.asp import make_kb_error, string_value
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import arguments, functor

TypeAndRank = tuple[str, str]
"""A type and a rank."""


@dataclass(frozen=True)
class CanonicalNotation:
    """The words of a game."""

    labels: tuple[TypeAndRank, ...]  # by label
    stages: Mapping[str, TypeAndRank]  # by stage of a choice
    label_by_words: Mapping[tuple[str, str, int], int]  # the label of a type, a rank and a number of cards
    pass_label: int  # the label of the pass

    def write_play(self, label: int, cards: Sequence[str]) -> list[Any]:
        """A play of some cards, which may be none."""
        kind, rank = self.labels[label]
        return [kind, rank, list(cards) if cards else rank]

    def play_text(self, label: int, cards: Sequence[str]) -> str:
        """Return the play as text in one line."""
        return " ".join([*self.labels[label], *cards]) if cards else self.labels[label][0]

    def write_choice(self, stage: str, card: str) -> list[Any] | None:
        """A card that is chosen; None in a stage without words."""
        words = self.stages.get(stage)
        return None if words is None else [*words, [card]]


@cache_per_game
def canonical_notation(rules: CompiledGame) -> CanonicalNotation | None:
    """Return the canonical notation of plays; None if the rules define none. Raises KBError for ambiguous labels."""
    said = {label: (string_value(kind), string_value(rank)) for label, kind, rank in rules.kb.facts("written", 3)}
    if not said:
        return None
    labels = tuple(said.get(label) or _default_words(rules, str(label)) for label in rules.labels)
    stages = {str(stage): said[stage] for stage in rules.schema.stages if stage in said}
    meant: dict[tuple[str, str, int], int] = {}
    for form, number in zip(rules.forms.forms, rules.forms.label_of.tolist(), strict=True):
        words = (*labels[number], form.num_cards)
        if meant.setdefault(words, number) != number:
            alike = rules.labels[meant[words]], rules.labels[number]
            raise make_kb_error(
                f"written/3: {alike[0]} and {alike[1]} are written alike",
                "give each its own words",
                code=ErrorCode.CONFLICTING_FACTS,
            )
    return CanonicalNotation(labels, stages, meant, int(rules.forms.label_of[rules.forms.pass_form]))


def _default_words(rules: CompiledGame, label: str) -> TypeAndRank:
    parts = arguments(label)
    return functor(label), rules.card_codes.term_texts.get(parts[0], str(parts[0])) if parts else label


def is_canonical_play(value: Any) -> bool:
    """Return whether a JSON value has the form of a canonical play."""
    match value:
        case [str(), str(), list()] | ["PASS", "PASS", "PASS"]:
            return True
    return False
