"""Order of the cards of a game, and its special cards, for *How to play*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.notation import spell_fluent
from abl_cards.web.how_to_words import bilingual, join_bilingual
from abl_cards.web.marked_text import with_tens
from abl_cards.web.play_kinds import cards_from_weak, context_of_first_deal, single_strengths
from abl_cards.web.texts import card_orders, deck_json
from abl_cards.web.trick_ladder import choose_lead, find_trumps

MAX_ORDER = 20
"""Cards of different strength that are shown one by one."""


def order_json(engine: Engine) -> dict[str, Any]:
    """Return rows of the order of the cards, each with ranks or cards, and lines about it."""
    rules, context = engine.rules, context_of_first_deal(engine)
    lines = []
    if len(rules.contexts) > 1:
        fluents = sorted(set(rules.contexts.fluent_names))
        names = [[spell_fluent(rules, name, language) for language in LANGUAGES] for name in fluents]
        lines = [bilingual("changes", join_bilingual(names)), bilingual("first")]
    if rules.trick_query is not None:
        return {"rows": _trick_order(engine), "lines": lines}
    strengths = single_strengths(engine)
    orders = card_orders(rules, context)
    kinds = [kind for text in cards_from_weak(engine) if (kind := rules.card_codes.kind_by_text[text]) in strengths]
    groups: dict[int, list[int]] = {}
    for kind in kinds:
        if rules.card_codes.kind_texts[kind] not in orders["wild"] or len(orders["wild"]) > MAX_ORDER:
            groups.setdefault(strengths[kind], []).append(kind)
    ordered = [groups[strength] for strength in sorted(groups)]
    if len(ordered) <= MAX_ORDER:
        return {"rows": [{"text": bilingual("ranks"), "items": [_order_item(engine, group) for group in ordered]}],
                "lines": lines}  # fmt: skip
    return {"rows": _rank_and_suit_rows(engine, [group[0] for group in ordered]), "lines": lines}


def _order_item(engine: Engine, kinds: Sequence[int]) -> dict[str, Any]:
    """Return a rank for cards of equal strength and one rank, else the card."""
    deck, texts = deck_json(engine.rules), engine.rules.card_codes.kind_texts
    cards = [texts[kind] for kind in kinds]
    ranks = {deck[card]["rank"] for card in cards}
    if len(ranks) == 1 and not deck[cards[0]]["isNamed"]:
        return {"rank": with_tens(ranks.pop())}
    return {"card": cards[0]}


def _rank_and_suit_rows(engine: Engine, kinds: Sequence[int]) -> list[dict[str, Any]]:
    """Return a row of ranks and one of suits for cards that are ordered by rank, then by suit; else all cards."""
    deck, texts = deck_json(engine.rules), engine.rules.card_codes.kind_texts
    faces = [deck[texts[kind]] for kind in kinds]
    ranks = list(dict.fromkeys(face["rank"] for face in faces))
    suits = {tuple(face["suit"] for face in faces if face["rank"] == rank and face["suit"]) for rank in ranks} - {()}
    positions = [ranks.index(face["rank"]) for face in faces]
    longest = max(suits, key=len, default=())
    is_sorted = all(first <= second for first, second in pairwise(positions))
    if not is_sorted or any([suit for suit in longest if suit in row] != list(row) for row in suits):
        return [{"text": bilingual("ranks"), "items": [{"card": texts[kind]} for kind in kinds]}]
    firsts = {
        rank: next(kind for kind, face in zip(kinds, faces, strict=True) if face["rank"] == rank) for rank in ranks
    }
    rank_items = [
        {"rank": with_tens(rank)} if deck[texts[kind]]["suit"] else {"card": texts[kind]}
        for rank, kind in firsts.items()
    ]
    symbols = {face["suit"]: face["symbol"] for face in faces}
    return [
        {"text": bilingual("ranks"), "items": rank_items},
        {"text": bilingual("suits"), "items": [{"suit": suit, "rank": symbols[suit]} for suit in longest]},
    ]


def _trick_order(engine: Engine) -> list[dict[str, Any]]:
    texts, deck = engine.rules.card_codes.kind_texts, deck_json(engine.rules)
    first, trumps = choose_lead(engine), set(find_trumps(engine))
    if first is None:
        return []
    suit = deck[texts[first.cards[0]]]["suit"]
    order = cards_from_weak(engine)
    kind_of = engine.rules.card_codes.kind_by_text
    plain = [kind_of[text] for text in order if deck[text]["suit"] == suit and kind_of[text] not in trumps]
    items = [{"rank": with_tens(deck[texts[kind]]["rank"])} for kind in plain]
    return [{"text": bilingual("plain"), "items": items}]


def special_json(engine: Engine) -> Iterator[dict[str, Any]]:
    """Yield groups of cards that have something special, each with a text."""
    rules, deck = engine.rules, deck_json(engine.rules)
    orders = card_orders(rules, context_of_first_deal(engine))
    if orders["wild"] and len(orders["wild"]) <= MAX_ORDER:
        yield {"text": bilingual("wild"), "cards": orders["wild"]}
    jokers = [text for text in cards_from_weak(engine) if deck[text]["isNamed"]]
    if jokers and 2 * len(jokers) < len(deck):  # else all cards have names
        yield {"text": bilingual("joker"), "cards": jokers}
    trumps = find_trumps(engine) if rules.trick_query is not None else ()
    if trumps:
        yield {"text": bilingual("trumps"), "cards": [rules.card_codes.kind_texts[kind] for kind in trumps]}
    by_points: dict[int, list[str]] = {}
    for text in cards_from_weak(engine):
        if points := int(rules.card_points[rules.card_codes.kind_by_text[text]]):
            by_points.setdefault(points, []).append(text)
    for points in sorted(by_points):
        yield {"text": bilingual("worth", points), "cards": by_points[points]}
