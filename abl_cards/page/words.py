"""What the page says of a game, in both languages: cards, labels, choices, what a table remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.naming import SUITS
from abl_cards.games.reading.fluents import ONE, names_of
from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.drawing import spell
from abl_cards.games.words.needs import FIELDS
from abl_cards.games.words.once import once
from abl_cards.games.words.plays import label_words
from abl_cards.games.words.values import Values
from abl_cards.logic import Term
from abl_cards.logic.terms import parse_name

Pair = list[str]
"""The same in English and in Chinese."""
LANGUAGES = ("en", "zh")
WILD = "wild"
"""The cell of cards that stand in for others."""


def pair(text: str) -> Pair:
    """The same in both languages."""
    return [text, text]


def cards_laid(cards: NDArray[np.uint8]) -> list[int]:
    """The kinds in a row of cards."""
    return [card for card in cards.tolist() if card != NO_CARD]


ENGLISH = {
    "不要": "pass", "单张": "single", "对子": "pair", "三张": "triple", "三带一": "triple and one",
    "三带二": "full house",
    "顺子": "straight", "连对": "run of pairs", "三连对": "tube", "钢板": "plate", "飞机": "plane", "同花": "flush",
    "飞机带": "plane and more", "飞机带单": "plane with singles", "飞机带对": "plane with pairs", "四张": "four",
    "四带一": "four and one", "四带二": "four and two", "四带三": "four and three", "四带两对": "four and two pairs",
    "航天飞机": "shuttle", "航天飞机带单": "shuttle with singles", "航天飞机带对": "shuttle with pairs",
    "同花顺": "straight flush", "炸弹": "bomb", "王炸": "rocket", "天王炸": "joker bomb", "拖拉机": "tractor",
    "甩牌": "throw",
}  # fmt: skip
"""Kinds of plays as Chinese players call them, in English; a kind that is not here goes by its label."""

# --- cards ------------------------------------------------------------------------------------------------------------


@once
def deck(rules: Rules) -> dict[str, Any]:
    """Every kind of card by its letters: its rank, its suit, and what it is called."""
    return {text: _card(rules, text, kind) for text, kind in zip(rules.letters.texts, rules.pack.kinds, strict=True)}


def _card(rules: Rules, text: str, kind: Term) -> dict[str, Any]:
    letters, parts = rules.letters.terms, rank_and_suit(kind)
    if parts is None or kind in _with_letters(rules):  # a joker may be a card of some suit that is written otherwise
        named = [("card", kind), *([("rank", parts[0])] if parts else [])]
        return {
            "rank": text,
            "suit": "",
            "symbol": "",
            "name": [_called(rules, named, each, text) for each in LANGUAGES],
        }
    rank, suit = (letters.get(part, str(part)) for part in parts)
    suits = [spell(rules, "suit", parts[1], language) for language in LANGUAGES]
    said = "10" if rank == "T" else rank
    return {
        "rank": rank,
        "suit": suit,
        "symbol": SUITS.get(suit, suit),
        "name": [f"{said} {suits[0]}", suits[1] + said],
    }


def _with_letters(rules: Rules) -> set[Term]:
    """The kinds of cards that have a letter of their own."""
    return {term for term, _ in rules.kb.facts("letter", 2)} & set(rules.pack.kinds)


def _called(rules: Rules, named: Sequence[tuple[str, Term]], language: str, text: str) -> str:
    """The first word that says more than the letters."""
    words = (spell(rules, sort, term, language) for sort, term in named)
    return next((word for word in words if word not in (text, str(named[0][1]), str(named[-1][1]))), text)


def orders(rules: Rules, context: int) -> dict[str, list[str]]:
    """All kinds from weak to strong in a context, and suit by suit; and those that stand in for others."""
    found: dict[str, list[str]] = _orders(rules)[context]
    return found


@once
def _orders(rules: Rules) -> Any:
    return _Orders(rules)


class _Orders(dict[int, dict[str, list[str]]]):
    """By context, when it is asked for."""

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules
        self._singles: dict[int, list[int]] = {}
        forms = rules.forms
        for form in np.flatnonzero(forms.cards_of == 1).tolist():
            for group in forms.forms[form].groups:
                self._singles.setdefault(int(group.cell), []).append(form)

    def __missing__(self, context: int) -> dict[str, list[str]]:
        rules, acts = self._rules, self._rules.cells.acts[context]
        wild = [WILD in {str(rules.cells.names[cell]) for cell in row.tolist() if cell >= 0} for row in acts]
        suits: dict[Term, int] = {}
        places = []
        for kind, term in enumerate(rules.pack.kinds):
            parts = rank_and_suit(term)
            suit = suits.setdefault(parts[1], len(suits)) if parts else len(rules.pack)
            forms = [form for cell in acts[kind].tolist() if cell >= 0 for form in self._singles.get(cell, [])]
            strength = max((int(rules.strength[context, form]) for form in forms), default=1 << 20)
            places.append((1 << 21 if wild[kind] else strength, suit, kind))
        texts = rules.letters.texts
        self[context] = {
            "rank": [texts[kind] for *_, kind in sorted(places)],
            "suit": [texts[kind] for _, _, kind in sorted(places, key=lambda each: (each[1], each[0], each[2]))],
            "wild": [text for text, stands in zip(texts, wild, strict=True) if stands],
        }
        return self[context]


# --- plays and choices ------------------------------------------------------------------------------------------------


def label_pair(engine: Engine, label: str) -> Pair:
    """What a label is called."""
    return list(_labels(engine.rules).setdefault(label, _label_pair(engine, label)))


@once
def _labels(rules: Rules) -> dict[str, Pair]:
    return {}


def _label_pair(engine: Engine, label: str) -> Pair:
    rules, name = engine.rules, engine.name(label)
    kind = ENGLISH.get(name.kind) or label_words(rules)[rules.label_texts.index(label)][0].replace("_", " ")
    rank = name.rank if name.rank.isascii() or name.rank[:1] in SUITS.values() else _first(engine, label)
    if not all(letter.isascii() or letter in SUITS.values() for letter in rank):
        rank = ""
    return [f"{kind} {rank}".strip(), str(name)]


def _first(engine: Engine, label: str) -> str:
    """The first argument of a label in English."""
    arguments = parse_name(label).args
    return engine.spell("rank", arguments[0], "en") if arguments else ""


def stage_pair(engine: Engine, stage: str) -> Pair:
    """What is chosen."""
    said = [engine.spell("stage", stage, language) for language in LANGUAGES]
    return [said[0].replace("_", " "), str(engine.name(stage)) if said[1] == stage else said[1]]


def option_pair(engine: Engine, option: int) -> Pair:
    """What may be chosen: a card by its letters, else in words."""
    term, rules = engine.rules.words.options[option], engine.rules
    if term in rules.pack.number:
        return pair(rules.letters.texts[rules.pack.number[term]])
    said = [engine.spell("option", term, language) for language in LANGUAGES]
    return [_plainly(said[0]), _plainly(said[1])]


def _plainly(text: str) -> str:
    """``bid(3)`` as it would be said."""
    return text.replace("(", " ").replace(")", "").replace("_", " ").replace(",", " ")


def role_pairs(engine: Engine) -> list[Pair]:
    """[roles] what the parts of a game are called; nothing where all are alike."""
    if len(engine.roles) < 2:
        return [pair("") for _ in engine.roles]
    return [[engine.spell("role", role, language) for language in LANGUAGES] for role in engine.roles]


# --- what a table remembers -------------------------------------------------------------------------------------------


def remembered(engine: Engine, fluents: NDArray[np.int16]) -> list[dict[str, Any]]:
    """The fluents [slots] that say something, with their names; ``plain`` those of one value."""
    rules, values = engine.rules, Values(engine.rules.letters.terms)
    found = []
    for name, fluent in names_of(rules.fluents, FIELDS).items():
        if (fluents[fluent.first : fluent.slots.stop] == fluent.nothing).all():
            continue
        value = values.write(fluent, fluents)
        plain = fluent.manner == ONE and fluent.keys == ((),)
        names = [engine.spell("fluent", name, language).replace("_", " ") for language in LANGUAGES]
        found.append({"name": names, "value": spoken(value), "plain": plain})
    return found


def spoken(value: Any) -> str:
    """A value in a line; a letter of a suit by its symbol."""
    if value is None:
        return "–"
    if value is True:
        return "✓"
    if isinstance(value, Mapping):
        return ", ".join(f"{spoken(key)} {spoken(each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(" ".join(map(spoken, each)) if isinstance(each, list) else spoken(each) for each in value)
    return SUITS.get(str(value), str(value))
