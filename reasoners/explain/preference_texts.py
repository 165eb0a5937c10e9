"""Texts of preferences: the sentences of a knowledge base with their placeholders filled.

>>> from abl_cards.games import load
>>> engine = load("guandan").engine()
>>> texts = PreferenceTexts.of(engine.preference_model().kb, engine, "zh")
>>> texts.sentence(["break_bomb(11)"]), texts.sentence(["break_straight_flush(5,h)"])
('不要拆J的炸弹。', '不要拆红桃从5起的同花顺。')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from abl_cards.asp import PLACEHOLDER, ArgumentPosition, Signature, Term, infer_argument_types, split_term
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import LANGUAGES, check_language, join_texts
from abl_cards.games import Engine
from abl_cards.games.description import functor, label_text, move_text, parse_rank_and_suit
from abl_cards.games.notation import lettered_kinds, spell

_CARD_SORTS = ("rank", "suit")


@dataclass(frozen=True)
class PreferenceTexts:
    """Texts of the preferences of a knowledge base in one language.

    Attributes:
        kb: The knowledge base.
        language: The language.
        engine: Engine of the game, for the names of cards.
    """

    kb: KnowledgeBase
    language: str
    engine: Engine = field(repr=False)

    @classmethod
    def of(cls, kb: KnowledgeBase, engine: Engine, language: str) -> PreferenceTexts:
        """Make the texts of a knowledge base.

        Args:
            kb: The knowledge base.
            engine: Engine of the game.
            language: One of LANGUAGES.

        Returns:
            The texts.

        Raises:
            GameError: The language is unknown.
        """
        check_language(language)
        return cls(kb, language, engine)

    def group(self, name: str) -> str:
        """Return the group of a preference, or an empty string."""
        return self.kb.preference_groups.get(functor(name), "")

    def label_text(self, label: str) -> str:
        """Return the text of a label; a stage that players call nothing has its word."""
        text = label_text(self.engine, label, self.language)
        is_plain = text == label and label in self.engine.rules.schema.stages
        return spell(self.engine.rules, "stage", label, self.language) if is_plain else text

    def move_text(self, label: str, action: object) -> str:
        """Return the text of a move; an option that is not a card has its word in Chinese."""
        text, option = move_text(self.engine, label, action, self.language), str(action)
        rules = self.engine.rules
        if self.language == "zh" and option in rules.schema.options and text.endswith(f" {option}"):
            text = text.removesuffix(option) + spell(rules, "option", option, self.language)
        if self.language == "zh" and label in rules.schema.stages:
            text = text.replace(f"{label} ", f"{self.label_text(label)} ", 1)
        return text

    def sentence(self, names: Sequence[str]) -> str:
        """Make one sentence for several instances of a preference, such as "Keep the pairs of 2–5.".

        ``{1}`` stands for the first argument of all instances, ``{1^}`` for the greatest one, for instances that count
        up to a number.

        Args:
            names: Instances of one preference, such as "break_bomb(4)".

        Returns:
            The sentence.
        """
        atoms = [split_term(name) for name in names]
        signature = Signature(atoms[0].name, len(atoms[0].args))

        def fill(match: re.Match[str]) -> str:
            argument_index = int(match[1]) - 1
            if not 0 <= argument_index < signature.arity:
                return match[0]
            values = [atom.args[argument_index] for atom in atoms]
            return self._join_values(
                self._sorts.get((signature, argument_index)), _sort_values(values)[-1:] if match[2] else values
            )

        return PLACEHOLDER.sub(fill, self._template(signature.name))

    def _template(self, name: str) -> str:
        """Return the sentence in this language, else in another one, else the name with blanks."""
        languages = (self.language, *LANGUAGES)
        sentences = (
            self.kb.preference_texts[name, language]
            for language in languages
            if (name, language) in self.kb.preference_texts
        )
        return next(sentences, name.replace("_", " "))

    def _join_values(self, type_name: str | None, values: Sequence[Term]) -> str:
        """Join values, with consecutive numbers as ranges."""
        texts = []
        for first, last in _ranges(values):
            ends = [self._spell(type_name, first)] + ([self._spell(type_name, last)] if last != first else [])
            texts.append("–".join(ends))
        return join_texts(texts, self.language)

    def _spell(self, type_name: str | None, value: Term) -> str:
        """Return the text of a value; a card, also in an argument without a type, is named in words."""
        rules = self.engine.rules
        if type_name in (None, "card") and value in rules.pack.index:
            parts = parse_rank_and_suit(value)
            if parts is None or value in lettered_kinds(rules):
                return spell(rules, "card", value, self.language)
            rank, suit = (
                spell(rules, sort, part, self.language) for sort, part in zip(_CARD_SORTS, parts, strict=True)
            )
            return f"{suit}{rank}" if self.language == "zh" else f"{rank} of {suit}"
        return str(value) if type_name is None else spell(rules, type_name, value, self.language)

    @cached_property
    def _sorts(self) -> Mapping[ArgumentPosition, str]:
        return _sorts_of(self.kb, tuple(self.engine.argument_types.items()))


@cache
def _sorts_of(
    kb: KnowledgeBase, known: tuple[tuple[Signature, tuple[str | None, ...]], ...]
) -> Mapping[ArgumentPosition, str]:
    return infer_argument_types(kb.files, dict(known), kb.request.library)


def _sort_values(values: Sequence[Term]) -> list[Term]:
    """Sort distinct values: numbers before texts."""
    return sorted(set(values), key=lambda value: (isinstance(value, str), value))


def _ranges(values: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Return sorted distinct values as ranges of consecutive numbers."""
    ranges: list[tuple[Term, Term]] = []
    for value in _sort_values(values):
        last = ranges[-1][1] if ranges else None
        if isinstance(value, int) and isinstance(last, int) and value == last + 1:
            ranges[-1] = ranges[-1][0], value
        else:
            ranges.append((value, value))
    return ranges
