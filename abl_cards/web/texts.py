"""Bilingual texts of a game for players: cards, labels, choices, roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, split_term
from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game, find_show_rules
from abl_cards.games.description import PASS_NAME, SUIT_SYMBOLS, PlayName, parse_rank_and_suit
from abl_cards.games.notation import label_name_parts, lettered_kinds, options_json, spell
from abl_cards.games.tables import Choices, Decisions, is_play_decision
from abl_cards.games.types import NO_CARD
from abl_cards.web.marked_text import card_mark, card_marks, with_tens

BilingualText = list[str]
"""Text in English and in Chinese."""
WILD_CELL = "wild"
"""Name of the cell of wild cards."""


def untranslated(text: str) -> BilingualText:
    """Return a text for both languages."""
    return [text, text]


def card_kinds(cards: NDArray[np.uint8]) -> list[int]:
    """Return the kinds in a row of cards without padding."""
    return [card for card in cards.tolist() if card != NO_CARD]


def rank_text(letter: str) -> str:
    """Return the text of a rank, with 10 for the letter T."""
    return "10" if letter == "T" else letter


ENGLISH_PLAY_NAMES = {
    "不要": "pass", "单张": "single", "对子": "pair", "三张": "triple", "三带一": "triple and one",
    "三带二": "full house",
    "顺子": "straight", "连对": "run of pairs", "三连对": "tube", "钢板": "plate", "飞机": "plane", "同花": "flush",
    "飞机带": "plane and more", "飞机带单": "plane with singles", "飞机带对": "plane with pairs", "四张": "four",
    "四带一": "four and one", "四带二": "four and two", "四带三": "four and three", "四带两对": "four and two pairs",
    "航天飞机": "shuttle", "航天飞机带单": "shuttle with singles", "航天飞机带对": "shuttle with pairs",
    "同花顺": "straight flush", "炸弹": "bomb", "王炸": "rocket", "天王炸": "joker bomb", "拖拉机": "tractor",
    "甩牌": "throw", "葫芦": "full house", "铁支": "four of a kind", "四条": "four of a kind", "五张": "five",
    "三张炸弹": "bomb of three", "四张炸弹": "bomb of four",
    "杂五十K": "5-10-K of mixed suits", "纯五十K": "5-10-K of one suit",
}  # fmt: skip
"""English names of the Chinese names of kinds of plays; other kinds are written by their labels."""

# --- cards ------------------------------------------------------------------------------------------------------------


@cache_per_game
def deck_json(rules: CompiledGame) -> dict[str, Any]:
    """Return rank, suit and name of each card kind, by its text.

    A card such as a joker is drawn with its name (``isNamed``); the last one of the pack is the highest (``isTop``).
    """
    deck = {
        text: _card_json(rules, text, kind)
        for text, kind in zip(rules.card_codes.kind_texts, rules.pack.kinds, strict=True)
    }
    named = [card for card in deck.values() if card["isNamed"]]
    for card in named:
        card["isTop"] = card is named[-1]
    return deck


def _card_json(rules: CompiledGame, text: str, kind: Term) -> dict[str, Any]:
    term_texts, parts = rules.card_codes.term_texts, parse_rank_and_suit(kind)
    if parts is None or kind in lettered_kinds(rules):  # such as a joker that is a card of a suit
        typed_terms = [("card", kind), *([("rank", parts[0])] if parts else [])]
        names = [_card_name(rules, typed_terms, code, text) for code in LANGUAGES]
        is_named = any(name != text for name in names)
        return {
            "rank": text,
            "suit": "",
            "symbol": "",
            "name": names if is_named else [rank_text(text)] * len(LANGUAGES),
            "isNamed": is_named,
        }
    rank, suit = (term_texts.get(part, str(part)) for part in parts)
    suits = [spell(rules, "suit", parts[1], language) for language in LANGUAGES]
    return {
        "rank": rank,
        "suit": suit,
        "symbol": SUIT_SYMBOLS.get(suit, suit),
        "name": [f"{rank_text(rank)} {suits[0]}", suits[1] + rank_text(rank)],
        "isNamed": False,
    }


def _card_name(rules: CompiledGame, typed_terms: Sequence[tuple[str, Term]], language: str, text: str) -> str:
    """Return the first name of a card that differs from its letters."""
    names = (spell(rules, sort, term, language) for sort, term in typed_terms)
    return next((name for name in names if name not in (text, str(typed_terms[0][1]), str(typed_terms[-1][1]))), text)


def hand_texts(rules: CompiledGame, hand: NDArray[np.uint8], context: int) -> list[str]:
    """Return the cards of a hand in the order in which a table shows them.

    Args:
        rules: Compiled game.
        hand: Copies of each card, uint8 [kinds].
        context: Index of the strength context.
    """
    orders = card_orders(rules, context)
    copies = dict(zip(rules.card_codes.kind_texts, hand.tolist(), strict=True))
    return [text for text in orders[orders["usual"]] for _ in range(copies[text])]


def card_orders(rules: CompiledGame, context: int) -> dict[str, Any]:
    """Return all card kinds in a context by strength, by suit with trumps apart, the wild ones, and the trumps.

    The usual order is the name of one of the first two.
    """
    orders: dict[str, Any] = _card_orders(rules)[context]
    return orders


@cache_per_game
def _card_orders(rules: CompiledGame) -> Any:
    return _CardOrders(rules)


class _CardOrders(dict[int, dict[str, Any]]):
    """Card orders by context, computed on demand."""

    def __init__(self, rules: CompiledGame) -> None:
        super().__init__()
        self._rules, self._show = rules, find_show_rules(rules)
        self._single_forms: dict[int, list[int]] = {}
        forms = rules.forms
        for form in np.flatnonzero(forms.num_cards == 1).tolist():
            for group in forms.forms[form].groups:
                self._single_forms.setdefault(int(group.cell), []).append(form)
        self._trump_cells = {cell for cell, term in enumerate(rules.cells.names) if term in self._show.trumps}
        self._suits, self._ranks = _suit_places(rules), _rank_places(rules)

    def __missing__(self, context: int) -> dict[str, Any]:
        rules, acts = self._rules, self._rules.cells.acts_as[context]
        wild = [WILD_CELL in {str(rules.cells.names[cell]) for cell in row.tolist() if cell >= 0} for row in acts]
        trumps = [not self._trump_cells.isdisjoint(row.tolist()) for row in acts]
        texts, kinds = rules.card_codes.kind_texts, range(len(rules.pack.kinds))
        strengths = [1 << 21 if wild[kind] else self._strength(context, acts[kind].tolist()) for kind in kinds]
        places = [(strengths[kind], self._ranks[kind], self._suits[kind], kind) for kind in kinds]
        by_rank = sorted(kinds, key=places.__getitem__)
        by_suit = sorted(kinds, key=lambda kind: (trumps[kind], 0 if trumps[kind] else self._suits[kind], places[kind]))
        step = -1 if self._show.is_descending else 1
        self[context] = {
            "rank": [texts[kind] for kind in by_rank[::step]],
            "suit": [texts[kind] for kind in by_suit[::step]],
            "wild": [text for text, is_wild in zip(texts, wild, strict=True) if is_wild],
            "trumps": [text for text, is_trump in zip(texts, trumps, strict=True) if is_trump],
            "usual": self._show.order,
        }
        return self[context]

    def _strength(self, context: int, cells: list[int]) -> int:
        """Return the strength of a single card; the highest for a card that is no single play."""
        forms = [form for cell in cells if cell >= 0 for form in self._single_forms.get(cell, [])]
        return max((int(self._rules.strength[context, form]) for form in forms), default=1 << 20)


def _rank_places(rules: CompiledGame) -> list[int]:
    """Return the rank of each kind, for cards of equal strength; those without a rank that is a number are last."""
    parts = [parse_rank_and_suit(kind) for kind in rules.pack.kinds]
    ranks = [part[0] if part is not None else None for part in parts]
    last = max((rank for rank in ranks if isinstance(rank, int)), default=0) + 1
    return [rank if isinstance(rank, int) else last for rank in ranks]


def _suit_places(rules: CompiledGame) -> list[int]:
    """Return the place of the suit of each kind among the suits, black and red by turns; those without suit are last.

    In descending order the suits run the other way, so that spades come first in both.
    """
    suits: dict[Term, int] = {}
    parts = [parse_rank_and_suit(kind) for kind in rules.pack.kinds]
    letters = list(SUIT_SYMBOLS)
    for part in parts:
        if part is not None:
            letter = rules.card_codes.term_texts.get(part[1], str(part[1]))
            suits.setdefault(part[1], letters.index(letter) if letter in letters else len(letters) + len(suits))
    sign = -1 if find_show_rules(rules).is_descending else 1
    last = len(rules.pack)
    return [last if part is None else sign * suits[part[1]] for part in parts]


# --- plays and choices ------------------------------------------------------------------------------------------------


def label_text(engine: Engine, label: str) -> BilingualText:
    """Return the name of a label; the kind alone where no rank or suit names the label, as for places in an order."""
    cache = _label_text_cache(engine.rules)
    if label not in cache:
        cache[label] = _make_label_text(engine, label)
    return list(cache[label])


@cache_per_game
def _label_text_cache(rules: CompiledGame) -> dict[str, BilingualText]:
    return {}


def move_text(engine: Engine, label: str, cards: Sequence[str], language: str) -> str:
    """Return a play in one language: the name of its label, and its marked cards.

    Args:
        engine: Engine of the game.
        label: Label of the play.
        cards: Cards of the play; empty for a pass.
        language: One of LANGUAGES.
    """
    text = label_text(engine, label)[LANGUAGES.index(language)]
    return f"{text} {card_marks(cards)}".strip()


def label_kind_text(engine: Engine, label: str) -> BilingualText:
    """Return the name of all labels of the kind of a label: in Chinese, that with which all their names begin."""
    parts, texts = label_name_parts(engine.rules), engine.rules.label_texts
    kind, cache = parts[texts.index(label)][0], _label_kind_cache(engine.rules)
    if kind not in cache:
        names = [engine.play_name(text).kind for text, (name, _) in zip(texts, parts, strict=True) if name == kind]
        chinese = _common_start(names) or str(engine.play_name(label))
        cache[kind] = [ENGLISH_PLAY_NAMES.get(chinese) or kind.replace("_", " "), chinese]
    return list(cache[kind])


def _common_start(texts: Sequence[str]) -> str:
    """Return the longest text with which all texts begin."""
    shortest = min(texts, key=len)
    length = next((n for n in range(len(shortest), 0, -1) if all(text.startswith(shortest[:n]) for text in texts)), 0)
    return shortest[:length]


@cache_per_game
def _label_kind_cache(rules: CompiledGame) -> dict[str, BilingualText]:
    return {}


def _make_label_text(engine: Engine, label: str) -> BilingualText:
    rules, name = engine.rules, engine.play_name(label)
    if name == PlayName(PASS_NAME):
        return ["pass", PASS_NAME]
    if not name.rank and split_term(label).args:
        return label_kind_text(engine, label)
    if (card := deck_json(rules).get(name.rank)) is not None and card["isNamed"]:
        english, chinese = card["name"]
        kind = ENGLISH_PLAY_NAMES.get(name.kind) or split_term(label).name.replace("_", " ")
        return [f"{kind} {english}{_copies_text(engine, label)}", f"{name.kind}{chinese}{with_tens(name.suffix)}"]
    kind = ENGLISH_PLAY_NAMES.get(name.kind) or label_name_parts(rules)[rules.label_texts.index(label)][0].replace(
        "_", " "
    )
    rank = (
        name.rank if name.rank.isascii() or name.rank[:1] in SUIT_SYMBOLS.values() else _first_argument(engine, label)
    )
    if not all(letter.isascii() or letter in SUIT_SYMBOLS.values() for letter in rank):
        rank = ""
    return [f"{kind} {with_tens(rank)}".strip(), f"{name.kind}{with_tens(name.rank)}{with_tens(name.suffix)}"]


def _copies_text(engine: Engine, label: str) -> str:
    """Return ``×N`` for a label such as ``set(fox,2)``, whose second argument counts the cards of a rank."""
    arguments, forms = split_term(label).args, engine.rules.forms
    if len(arguments) != 2 or not isinstance(arguments[1], int):
        return ""
    counts = forms.num_cards[forms.label_of == engine.rules.label_texts.index(label)]
    return f" ×{arguments[1]}" if len(counts) and (counts == arguments[1]).all() else ""


def _first_argument(engine: Engine, label: str) -> str:
    """Return the first argument of a label in English."""
    arguments = split_term(label).args
    return spell(engine.rules, "rank", arguments[0], "en") if arguments else ""


def stage_text(engine: Engine, stage: str) -> BilingualText:
    """Return the name of a stage of choice."""
    texts = [spell(engine.rules, "stage", stage, language) for language in LANGUAGES]
    return [texts[0].replace("_", " "), str(engine.play_name(stage)) if texts[1] == stage else texts[1]]


def option_text(engine: Engine, option: int) -> BilingualText:
    """Return the name of an option: a marked card, others by words."""
    term, rules = engine.rules.schema.options[option], engine.rules
    if term in rules.pack.index:
        return untranslated(card_mark(rules.card_codes.kind_texts[rules.pack.index[term]]))
    texts = [spell(engine.rules, "option", term, language) for language in LANGUAGES]
    return [_readable(texts[0]), _readable(texts[1])]


def reading_text(engine: Engine, decision: Decisions | Choices, label: str) -> BilingualText:
    """Return the name of a reading of the selected cards: that of its label, or the text of an option.

    Args:
        engine: Engine of the game.
        decision: What is decided.
        label: ``PlayDerivation.label``.
    """
    if is_play_decision(decision):
        return label_text(engine, label)
    return option_text(engine, list(map(str, options_json(engine.rules))).index(label))


def _readable(text: str) -> str:
    """Return a term such as ``bid(3)`` in readable form."""
    return text.replace("(", " ").replace(")", "").replace("_", " ").replace(",", " ")


def role_texts(engine: Engine) -> list[BilingualText]:
    """Return the names of the roles [roles]; empty texts if there is only one."""
    if len(engine.roles) < 2:
        return [untranslated("") for _ in engine.roles]
    return [[spell(engine.rules, "role", role, language) for language in LANGUAGES] for role in engine.roles]
