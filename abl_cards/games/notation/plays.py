"""Notation of plays and choices: the names and texts that reading and writing share.

A play is written as its cards by ``CardCodes``, a pass as ``"pass"``. Cards with several possible labels are written
with the intended one: ``{"label": "run(3)", "cards": ["*","A4"]}``. A choice is written as its option: a card, a number
or a term. Games with a canonical notation (canonical.py) use that instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from abl_cards.asp import Term, split_term
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Cards

PASS = "pass"


class ParsedPlay(NamedTuple):
    """Play as parsed from text or JSON.

    Attributes:
        cards: Cards; empty for a pass.
        label: Index of the label; None if not given.
        form: Index of the form; None if not given.
    """

    cards: Cards
    label: int | None = None
    form: int | None = None


class ListsByForm(NamedTuple):
    """Properties of forms as lists, from which single values are read faster than from arrays."""

    label_of: list[int]
    is_partial: list[bool]


@cache_per_game
def lists_by_form(rules: CompiledGame) -> ListsByForm:
    """Return properties of all forms of a game as lists."""
    return ListsByForm(rules.forms.label_of.tolist(), rules.partial_forms.tolist())


def labels_of_forms(rules: CompiledGame, forms: Sequence[int]) -> list[Term]:
    """Return the distinct labels of forms, in the order of the labels."""
    label_of = lists_by_form(rules).label_of
    return [rules.labels[label] for label in sorted({label_of[form] for form in forms})]


@cache_per_game
def options_json(rules: CompiledGame) -> tuple[Any, ...]:
    """Return the JSON forms of all options.

    Args:
        rules: Compiled game.

    Returns:
        [options], each a card text, a number or a term.
    """
    pack, codes = rules.pack, rules.card_codes
    return tuple(
        codes.kind_texts[pack.index[option]] if option in pack.index else option for option in rules.schema.options
    )


@cache_per_game
def label_name_parts(rules: CompiledGame) -> tuple[tuple[str, str], ...]:
    """Return the name and the argument texts of each label.

    Args:
        rules: Compiled game.

    Returns:
        [labels], for example ``("pair", "4")``; the second is ``"-"`` without arguments.
    """
    names = label_arguments(rules)
    return tuple((name, ",".join(arguments) or "-") for name, arguments in names)


@cache_per_game
def label_arguments(rules: CompiledGame) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the functor and argument texts of each label; ranks and suits of the played cards by their letters."""
    parsed = [split_term(label) for label in rules.labels]
    votes: dict[tuple[str, int, int], list[bool]] = {}
    cells, letters = rules.cells.names, rules.card_codes.term_texts
    for form in rules.forms.forms:
        name, arguments = parsed[form.label]
        form_terms = {cells[group.cell] for group in form.groups} | {form.suit}
        for position, argument in enumerate(arguments):
            votes.setdefault((name, len(arguments), position), []).append(argument in form_terms)
    spelled = {key for key, votes_of_place in votes.items() if 2 * sum(votes_of_place) > len(votes_of_place)}
    kinds, texts = rules.pack.index, rules.card_codes.kind_texts
    return tuple(
        (name, (texts[kinds[label]],)) if label in kinds else
        (name, tuple(
            letters.get(argument, str(argument)) if (name, len(arguments), position) in spelled else str(argument)
            for position, argument in enumerate(arguments)
        ))
        for label, (name, arguments) in zip(rules.labels, parsed, strict=True)
    )  # fmt: skip


def play_text(rules: CompiledGame, play: ParsedPlay) -> str:
    """Return the cards of a play as text, or PASS."""
    return rules.card_codes.to_text(play.cards) or "PASS"
