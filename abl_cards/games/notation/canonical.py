"""Canonical notation of plays: a type, a rank and the cards, for rules with facts ``written(Label,Type,Rank)``.

Examples: ``["Pair","4",["H4","C4"]]`` is a play, ``["PASS","PASS","PASS"]`` a pass, and
``["tribute","tribute",["D5"]]`` a chosen card with the name of its stage. A label without such a fact is written as
its name.
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
    """Types and ranks by which a game writes its labels and stages.

    Attributes:
        labels: Type and rank by label.
        stages: Type and rank by stage of a choice.
        label_by_words: Label by type, rank and number of cards.
        pass_label: Label of the pass.
    """

    labels: tuple[TypeAndRank, ...]
    stages: Mapping[str, TypeAndRank]
    label_by_words: Mapping[tuple[str, str, int], int]
    pass_label: int

    def write_play(self, label: int, cards: Sequence[str]) -> list[Any]:
        """Return the play as JSON; without cards it is a pass."""
        kind, rank = self.labels[label]
        return [kind, rank, list(cards) if cards else rank]

    def play_text(self, label: int, cards: Sequence[str]) -> str:
        """Return the play as text in one line."""
        return " ".join([*self.labels[label], *cards]) if cards else self.labels[label][0]

    def write_choice(self, stage: str, card: str) -> list[Any] | None:
        """Return a chosen card as JSON; None in a stage without a type and rank."""
        type_and_rank = self.stages.get(stage)
        return None if type_and_rank is None else [*type_and_rank, [card]]


@cache_per_game
def canonical_notation(rules: CompiledGame) -> CanonicalNotation | None:
    """Return the canonical notation of plays.

    Args:
        rules: Compiled game.

    Returns:
        The notation; None if the rules have no ``written/3`` facts.

    Raises:
        KBError: Two labels with equal numbers of cards are written alike.
    """
    words_by_term = {
        label: (string_value(kind), string_value(rank)) for label, kind, rank in rules.kb.facts("written", 3)
    }
    if not words_by_term:
        return None
    labels = tuple(words_by_term.get(label) or _default_words(rules, str(label)) for label in rules.labels)
    stages = {str(stage): words_by_term[stage] for stage in rules.schema.stages if stage in words_by_term}
    label_by_words: dict[tuple[str, str, int], int] = {}
    for form, label_index in zip(rules.forms.forms, rules.forms.label_of.tolist(), strict=True):
        key = (*labels[label_index], form.num_cards)
        if label_by_words.setdefault(key, label_index) != label_index:
            clash = rules.labels[label_by_words[key]], rules.labels[label_index]
            raise make_kb_error(
                f"written/3: {clash[0]} and {clash[1]} have the same type and rank",
                "give each label its own type or rank",
                code=ErrorCode.CONFLICTING_FACTS,
            )
    return CanonicalNotation(labels, stages, label_by_words, int(rules.forms.label_of[rules.forms.pass_form]))


def _default_words(rules: CompiledGame, label: str) -> TypeAndRank:
    parts = arguments(label)
    return functor(label), rules.card_codes.term_texts.get(parts[0], str(parts[0])) if parts else label


def is_canonical_play(value: Any) -> bool:
    """Return whether a JSON value has the form of a canonical play."""
    match value:
        case [str(), str(), list()] | ["PASS", "PASS", "PASS"]:
            return True
    return False
