"""Spell out labels of plays, and the arguments of predicates and fluents, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

import clingo

from abl_cards.asp import Term, string_value
from abl_cards.core import texts_by_language
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import PASS_NAME, SUIT_SYMBOLS, PlayName
from abl_cards.games.notation.plays import label_arguments


def play_name(rules: CompiledGame, label: Term) -> PlayName:
    """Return the name of a label.

    Args:
        rules: Compiled game.
        label: Term of the label.

    Returns:
        Name by ``called/3`` or ``called/4``; of a stage or an option also by ``word/4``; otherwise the label itself.
    """
    return _play_names(rules).get(str(label)) or PlayName(str(label))


@cache_per_game
def _play_names(rules: CompiledGame) -> Mapping[str, PlayName]:
    names = {}
    for label, (kind, arguments) in zip(rules.label_texts, label_arguments(rules), strict=True):
        suffix = "".join(f"({argument})" for argument in arguments[1:])
        names[label] = PlayName(kind, "".join(arguments[:1]), suffix)
    names[rules.label_texts[rules.forms.label_of[rules.forms.pass_form]]] = PlayName(PASS_NAME)
    term_texts = _TermTexts(rules)
    for label_term, word, rank in rules.kb.facts("called", 3):
        names[str(label_term)] = PlayName(term_texts.text(word), term_texts.text(rank))
    for label_term, word, rank, extra in rules.kb.facts("called", 4):
        names[str(label_term)] = PlayName(term_texts.text(word), term_texts.text(rank), term_texts.text(extra))
    for sort, term, language, text in rules.kb.facts("word", 4):
        if language == "zh" and sort in ("stage", "option"):
            names.setdefault(str(term), PlayName(term_texts.text(text)))
    return names


class _TermTexts:
    """Texts of terms: ranks by letters, suits by symbols, ``num(5)`` as 5, tuples part by part."""

    def __init__(self, rules: CompiledGame) -> None:
        self._terms: dict[Term, str] = dict(rules.card_codes.term_texts)
        for (suit,) in rules.kb.facts("suit", 1):
            letter = self._terms.get(suit, str(suit))
            self._terms[suit] = SUIT_SYMBOLS.get(letter, letter)

    def text(self, term: Term) -> str:
        """Return the text of a term."""
        return self._symbol_text(clingo.parse_term(str(term)))

    def _symbol_text(self, symbol: clingo.Symbol) -> str:
        if symbol.type == clingo.SymbolType.String:
            return symbol.string
        if symbol.type == clingo.SymbolType.Number:
            return self._terms.get(symbol.number) or str(symbol.number)
        if symbol.match("num", 1):
            return str(symbol.arguments[0])
        if symbol.match("", len(symbol.arguments)):
            return "".join(map(self._symbol_text, symbol.arguments))
        return self._terms.get(str(symbol)) or str(symbol)


_SUIT_NAMES = {
    "en": {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"},
    "zh": {"S": "黑桃", "H": "红桃", "D": "方块", "C": "梅花"},
}


_SEAT_WORDS = texts_by_language({
    "next": ("the next seat", "下家"),
    "previous": ("the previous seat", "上家"),
    "partner": ("the partner", "对家"),
    "across": ("the seat across", "对家"),
    "number": ("the seat {} places on", "下{}家"),
})  # fmt: skip


_REASON_WORDS = texts_by_language({
    "place": ("by place", "名次"),
    "cards": ("cards left in the hand", "手里剩的牌"),
    "from": ("cards that others have left", "别家剩的牌"),
    "won": ("won", "赢"),
    "lost": ("lost", "输"),
})  # fmt: skip
"""Reasons of points in the common files, and the commonest of games."""
_REASON_FACTS = {"place": "place_points", "cards": "price", "from": "price"}
"""Facts that the common files read; without them such a reason is the game's own, and its words are its name."""


_SEAT_FORMAT = {"en": "seat {}", "zh": "{}号位"}


@cache_per_game
def lettered_kinds(rules: CompiledGame) -> frozenset[Term]:
    """Return the kinds of cards that have a letter of their own, by ``letter/2``."""
    return frozenset(term for term, _ in rules.kb.facts("letter", 2)) & frozenset(rules.pack.kinds)


@cache_per_game
def _term_words(rules: CompiledGame) -> Mapping[tuple[Term, str], str]:
    """Return the texts of terms without a letter: ``word(big,en,"big joker")``."""
    return {(term, str(language)): string_value(text) for term, language, text in rules.kb.facts("word", 3)}


@cache_per_game
def _sort_words(rules: CompiledGame) -> Mapping[tuple[str, Term, str], str]:
    facts = rules.kb.facts("word", 4)
    return {(str(sort), term, str(language)): string_value(text) for sort, term, language, text in facts}


def fluent_of_field(rules: CompiledGame, field: str) -> str:
    """Return the name of the fluent of a JSON field; a field ``face/1`` keeps the arity where several are called so."""
    name = field.partition("/")[0]
    is_shared = sum(fluent.signature.name == name for fluent in rules.fluents.fluents) > 1
    return field if is_shared else name


def spell_fluent(rules: CompiledGame, field: str, language: str) -> str:
    """Return the words for a fluent, by ``word(fluent,Name,Language,Text)``; otherwise those of its name."""
    return spell(rules, "fluent", fluent_of_field(rules, field), language).replace("_", " ")


def spell(rules: CompiledGame, sort: str, term: Term, language: str) -> str:
    """Return the text of an argument.

    Args:
        rules: Compiled game.
        sort: Type of the argument, such as ``"rank"`` or ``"seat"``; ``"points"`` for a reason of points.
        term: Value of the argument.
        language: "en" or "zh".

    Returns:
        Text by ``word(Sort,Term,Language,Text)``; otherwise by the letter or number of the term.
    """
    if text := _sort_words(rules).get((sort, term, language)):
        return text
    letter = rules.card_codes.term_texts.get(term)
    if sort == "suit":
        return _SUIT_NAMES[language].get(letter or "", letter or str(term))
    if sort in ("rank", "card"):
        return _term_words(rules).get((term, language)) or letter or str(term)
    if sort == "seat":
        return _SEAT_FORMAT[language].format(term)
    if sort == "who":
        words = _SEAT_WORDS[language]
        return words["number"].format(term) if str(term).isdigit() else words.get(str(term), str(term))
    if sort == "points" and term in _REASON_WORDS[language]:
        facts = _REASON_FACTS.get(str(term))
        if facts is None or rules.kb.facts(facts, 2):
            return _REASON_WORDS[language][str(term)]
    return _term_words(rules).get((term, language), str(term))
