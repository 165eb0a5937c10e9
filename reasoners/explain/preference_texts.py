"""What preferences say: the sentences of a knowledge base with their places filled.

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

from abl_cards.asp import ArgumentPosition, Signature, Term, infer_argument_types, split_term
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.description import label_text, move_text
from abl_cards.games.tables import Action

LANGUAGES = ("en", "zh")
_PLACEHOLDER = re.compile(r"\{(\d+)(\^?)\}")


@dataclass(frozen=True)
class PreferenceTexts:
    """The words of the preferences of a knowledge base in one language."""

    kb: KnowledgeBase
    language: str
    engine: Engine = field(repr=False)

    @classmethod
    def of(cls, kb: KnowledgeBase, engine: Engine, language: str) -> PreferenceTexts:
        """Open the phrasebook; raises GameError for a language that is none."""
        if language not in LANGUAGES:
            raise GameError(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
        return cls(kb, language, engine)

    def group(self, name: str) -> str:
        """The group of a preference."""
        return self.kb.preference_groups.get(functor(name), "")

    def label_text(self, label: str) -> str:
        """A label as it is spoken of."""
        return label_text(self.engine, label, self.language)

    def move_text(self, label: str, action: Action) -> str:
        """A move as it is spoken of."""
        return move_text(self.engine, label, action, self.language)

    def sentence(self, names: Sequence[str]) -> str:
        """What some instances of one preference say, all at once: "Keep the pairs of 2–5.".

        ``{1}`` stands for the first argument of each of them, ``{1^}`` for the greatest: where instances count from
        the bottom, what they count up to is what matters.
        """
        atoms = [split_term(name) for name in names]
        signature = Signature(atoms[0].name, len(atoms[0].args))

        def fill(place: re.Match[str]) -> str:
            number = int(place[1]) - 1
            if not 0 <= number < signature.arity:
                return place[0]
            values = [atom.args[number] for atom in atoms]
            return self._join_values(
                self._sorts.get((signature, number)), _sort_values(values)[-1:] if place[2] else values
            )

        return _PLACEHOLDER.sub(fill, self._template(signature.name))

    def _template(self, name: str) -> str:
        """The sentence in this language, else in another, else the name in plain words."""
        languages = (self.language, *LANGUAGES)
        said = (
            self.kb.preference_texts[name, language]
            for language in languages
            if (name, language) in self.kb.preference_texts
        )
        return next(said, name.replace("_", " "))

    def _join_values(self, sort: str | None, values: Sequence[Term]) -> str:
        """Values in a row, those that follow each other as a range."""
        words = []
        for first, last in _ranges(values):
            ends = [self._spell(sort, first)] + ([self._spell(sort, last)] if last != first else [])
            words.append("–".join(ends))
        return ("、" if self.language == "zh" else ", ").join(words)

    def _spell(self, sort: str | None, value: Term) -> str:
        return str(value) if sort is None else self.engine.term_text(sort, value, self.language)

    @cached_property
    def _sorts(self) -> Mapping[ArgumentPosition, str]:
        return _sorts_of(self.kb, tuple(self.engine.argument_types.items()))


@cache
def _sorts_of(
    kb: KnowledgeBase, known: tuple[tuple[Signature, tuple[str | None, ...]], ...]
) -> Mapping[ArgumentPosition, str]:
    return infer_argument_types(kb.files, dict(known), kb.request.library)


def functor(name: str) -> str:
    """``break_bomb`` of ``break_bomb(4)``."""
    return name.partition("(")[0]


def _sort_values(values: Sequence[Term]) -> list[Term]:
    """Distinct values: numbers, then words."""
    return sorted(set(values), key=lambda value: (isinstance(value, str), value))


def _ranges(values: Sequence[Term]) -> list[tuple[Term, Term]]:
    """Distinct values, sorted, with runs of numbers drawn together."""
    found: list[tuple[Term, Term]] = []
    for value in _sort_values(values):
        last = found[-1][1] if found else None
        if isinstance(value, int) and isinstance(last, int) and value == last + 1:
            found[-1] = found[-1][0], value
        else:
            found.append((value, value))
    return found
