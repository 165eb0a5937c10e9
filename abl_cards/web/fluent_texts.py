"""Bilingual texts of fluents, the public and private facts of a table, with marked cards, seats and teams."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, find_show_rules
from abl_cards.games.description import COUNTER, SET_VALUED, SINGLE_VALUED, SUIT_SYMBOLS, Fluent, fluents_by_name
from abl_cards.games.notation import fluent_of_field, spell, spell_fluent, state_fields
from abl_cards.web.marked_text import card_mark, seat_mark, team_mark, with_tens
from abl_cards.web.texts import BilingualText

_SEPARATORS = dict(zip(LANGUAGES, (", ", "，"), strict=True))


def fluents_json(engine: Engine, fluents: NDArray[np.int16]) -> list[dict[str, Any]]:
    """Return the fluents that differ from their defaults.

    Args:
        engine: Engine of the game.
        fluents: Fluents of a table, [slots].

    Returns:
        Name and value of each; ``plain`` marks those that fit a line: of one value, or of one for each seat or team.
    """
    fields = []
    for name, fluent in fluents_by_name(engine.rules.fluents, state_fields()).items():
        numbers = fluents[fluent.first_slot : fluent.slots.stop]
        if (numbers == fluent.default).all():
            continue
        names = fluent_name(engine.rules, name)
        is_plain = _is_of_seats(engine, fluent) if fluent.keys != ((),) else fluent.value_type == SINGLE_VALUED
        is_plain = is_plain or (fluent.keys == ((),) and fluent.value_type == COUNTER)
        fields.append({"name": names, "value": value_texts(engine, fluent, numbers), "plain": is_plain})
    return fields


def _is_of_seats(engine: Engine, fluent: Fluent) -> bool:
    """Return whether a fluent has one value for each seat or team."""
    return fluent.value_type != SET_VALUED and _key_sorts(engine, fluent) in (["seat"], ["team"])


def _key_sorts(engine: Engine, fluent: Fluent) -> list[str | None]:
    """Return the types of the arguments of the keys."""
    return list(engine.argument_types.get(fluent.signature, ()))[: len(fluent.keys[0])]


def _value_sort(engine: Engine, fluent: Fluent) -> str | None:
    """Return the type of the value."""
    sorts = engine.argument_types.get(fluent.signature, ())
    return sorts[-1] if sorts else None


def fluent_name(rules: CompiledGame, name: str) -> BilingualText:
    """Return the name of a fluent: that of ``show.lp``, else that of its words."""
    names, fluent = find_show_rules(rules).names, fluent_of_field(rules, name)
    return [names.get((fluent, language)) or spell_fluent(rules, name, language) for language in LANGUAGES]


def term_texts(engine: Engine, fluent: Fluent, value: Term) -> BilingualText:
    """Return a value of a fluent."""
    return [_term_text(engine.rules, _value_sort(engine, fluent), value, language) for language in LANGUAGES]


def value_texts(engine: Engine, fluent: Fluent, numbers: NDArray[np.int16]) -> BilingualText:
    """Return the keys of a fluent that have a value, each with its value.

    Args:
        engine: Engine of the game.
        fluent: Fluent of the game.
        numbers: Numbers in its slots.
    """
    return [_text_in(engine, fluent, numbers, language) for language in LANGUAGES]


def _text_in(engine: Engine, fluent: Fluent, numbers: NDArray[np.int16], language: str) -> str:
    """Return the keys that have a value, each with its value; a set has keys alone."""
    key_sorts, value_sort, items = _key_sorts(engine, fluent), _value_sort(engine, fluent), []
    for key, number in zip(fluent.keys, numbers.tolist(), strict=True):
        if number == fluent.default:
            continue
        words = [_term_text(engine.rules, sort, term, language) for sort, term in zip(key_sorts, key, strict=True)]
        if fluent.value_type == COUNTER:
            words.append(str(number))
        elif fluent.value_type == SINGLE_VALUED:
            words.append(_term_text(engine.rules, value_sort, fluent.values[number], language))
        items.append(" ".join(words))
    return _SEPARATORS[language].join(items) if any(items) else "✓"


def _term_text(rules: CompiledGame, sort: str | None, term: Term, language: str) -> str:
    """Return a term for players: marked cards, seats and teams, symbols of suits, ranks, and words."""
    if term in rules.pack.index:
        return card_mark(rules.card_codes.kind_texts[rules.pack.index[term]])
    if sort in ("seat", "team") and isinstance(term, int):
        return seat_mark(term) if sort == "seat" else team_mark(term)
    if sort == "suit" or (sort is None and (symbols := _suit_symbols(rules, term))):
        return symbols if sort is None else _suit_symbols(rules, term) or spell(rules, "suit", term, language)
    return with_tens(spell(rules, sort or "rank", term, language))


def _suit_symbols(rules: CompiledGame, term: Term) -> str:
    """Return the symbols of a suit, or of a term that is the letters of several suits; else an empty text."""
    letters = {str(suit): rules.card_codes.term_texts.get(suit, str(suit)) for (suit,) in rules.kb.facts("suit", 1)}
    parts = [str(term)] if str(term) in letters else list(str(term))
    symbols = [SUIT_SYMBOLS.get(letters.get(part, "")) for part in parts]
    return "".join(symbol for symbol in symbols if symbol) if all(symbols) else ""
