"""Kinds of plays with examples, and the plays that beat a play, for *How to play*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from abl_cards.core import LANGUAGES, ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.notation import sort_hand
from abl_cards.games.tables import Decisions
from abl_cards.games.types import ONLY_TABLE
from abl_cards.rulelab.editor import describe_shape
from abl_cards.web.how_to_words import bilingual
from abl_cards.web.marked_text import with_tens
from abl_cards.web.play_kinds import (
    Cards,
    PlayExample,
    PlayKind,
    cards_from_weak,
    context_of_first_deal,
    find_examples,
    play_kinds,
    tables_with_hands,
)
from abl_cards.web.play_ladder import Ladder, beating_labels, find_ladder
from abl_cards.web.texts import BilingualText, deck_json, label_text
from abl_cards.web.trick_ladder import TrickLadder, choose_lead, find_trick_ladder, single_examples

MAX_BASES = 40
"""Plays of a kind for which what beats them is offered."""


def _base_labels(kind: PlayKind) -> list[int]:
    """Return labels of a kind, from weak to strong; not all of a kind with very many."""
    if len(kind.labels) <= 2 * MAX_BASES:
        return list(kind.labels)
    return list(kind.labels[:: -(-len(kind.labels) // MAX_BASES)])


def base_example(engine: Engine, kind: PlayKind) -> PlayExample | None:
    """Return an example of a kind that is neither weak nor strong, with few cards."""
    smallest = [label for label in kind.labels if engine.rules.forms.label_min_cards[label] == kind.sizes[0]]
    middle = len(smallest) * 2 // 5
    closing = None
    for label in [*smallest[middle:], *smallest[:middle], *kind.labels][: 2 * MAX_BASES]:
        if example := find_examples(engine, [label]).get(label):
            if engine.rules.trick_query is not None or beating_labels(engine, example) is not None:
                return example
            closing = closing or example  # a play that ends the trick shows less
    return closing


def _size_text(kind: PlayKind) -> BilingualText:
    low, high = kind.sizes
    if low != high:
        return bilingual("range", low, high)
    return bilingual("one") if low == 1 else bilingual("many", low)


def kinds_json(engine: Engine) -> Iterator[dict[str, Any]]:
    """Yield the kinds of plays, each with its size, its shape and an example."""
    whole = Decisions(tables_with_hands(engine, None).decisions(ONLY_TABLE).view).legal_mask[:, 0]
    for number, kind in enumerate(play_kinds(engine)):
        example = base_example(engine, kind)
        if example is None:  # no play of its own, as a part of a longer play
            continue
        shape = [with_tens(describe_shape(engine, kind.forms, code)) for code in LANGUAGES]
        is_last_only = engine.rules.trick_query is None and not whole[list(kind.labels)].any()
        yield {
            "kind": number, "name": list(kind.name), "size": _size_text(kind),
            "shape": shape if all(shape) and kind.sizes[1] > 1 else ["", ""],
            "note": bilingual("last_only") if is_last_only else ["", ""],
            "example": _example_json(engine, example),
        }  # fmt: skip


def _example_json(engine: Engine, example: PlayExample) -> dict[str, Any]:
    return {
        "label": example.label,
        "text": label_text(engine, engine.labels[example.label]),
        "cards": _card_texts(engine, example.cards),
    }


def _card_texts(engine: Engine, cards: Cards) -> list[str]:
    """Return cards by their letters, as a hand shows them."""
    counts = np.bincount(cards, minlength=len(engine.rules.pack)).astype(np.uint8)
    texts, in_order = engine.rules.card_codes.kind_texts, sort_hand(engine.rules, counts, context_of_first_deal(engine))
    return [texts[kind] for kind in in_order]


# --- what beats what --------------------------------------------------------------------------------------------------


def bases_json(engine: Engine) -> dict[str, Any]:
    """Return the plays that `beats_json` accepts, by kind, and the label of the first one shown."""
    if engine.rules.trick_query is not None:
        first, texts = choose_lead(engine), engine.rules.card_codes.kind_texts
        singles = {texts[example.cards[0]]: example.label for example in single_examples(engine)}
        deck = deck_json(engine.rules)
        known = [text for text in cards_from_weak(engine) if text in singles]
        order = sorted(known, key=lambda text: deck[text]["suit"])  # stable: each suit from weak to strong
        group = {"name": bilingual("play"), "labels": [singles[text] for text in order]}
        return {"groups": [group], "first": None if first is None else first.label, "tricks": True}
    groups, firsts = [], []
    for kind in play_kinds(engine):
        if (example := base_example(engine, kind)) is not None:
            labels = sorted({*_base_labels(kind), example.label}, key=kind.labels.index)
            groups.append({"name": list(kind.name), "labels": labels, "first": example.label})
            firsts.append((kind.sizes != (2, 2), example.label))  # a pair is what people ask about first
    return {"groups": groups, "first": min(firsts, key=lambda item: item[0])[1] if firsts else None, "tricks": False}


def beats_json(engine: Engine, label: int) -> dict[str, Any]:
    """Return the plays that beat a play, as JSON with texts in both languages.

    Args:
        engine: Engine of the game.
        label: Index of the label of the play.

    Returns:
        The play; answers for the kinds of plays, or for the suits in games of tricks; ``found`` is False without an
        example of the label.

    Raises:
        GameError: The label does not exist.
    """
    if not 0 <= label < len(engine.labels) or label == engine.rules.forms.label_of[engine.rules.forms.pass_form]:
        raise GameError(f"label {label}: there is none", ErrorCode.INVALID_REQUEST)
    example = find_examples(engine, [label]).get(label)
    if example is None:
        return {"label": label, "found": False}
    start = {"found": True, "play": _example_json(engine, example)}
    if engine.rules.trick_query is not None:
        return start | {"label": label} | _trick_answers(engine, find_trick_ladder(engine, example))
    return start | {"label": label} | _kind_answers(engine, find_ladder(engine, example))


def _kind_answers(engine: Engine, ladder: Ladder) -> dict[str, Any]:
    def cards_of(example: PlayExample | None) -> dict[str, Any] | None:
        return None if example is None else _example_json(engine, example)

    answers = [
        {"name": list(answer.kind.name), "extent": answer.extent, "from": cards_of(answer.weakest),
         "low": cards_of(answer.too_low), "only": [cards_of(example) for example in answer.only]}
        for answer in ladder.answers
    ]  # fmt: skip
    return {"answers": answers, "ends": ladder.ends, "follow": None}


def _trick_answers(engine: Engine, ladder: TrickLadder) -> dict[str, Any]:
    texts = engine.rules.card_codes.kind_texts
    answers = [
        {"led": answer.is_led, "upward": answer.is_upward, "cards": [texts[kind] for kind in answer.cards],
         "takers": [texts[kind] for kind in answer.takers]}
        for answer in ladder.answers
    ]  # fmt: skip
    return {"suits": answers, "ends": False, "follow": ladder.must_follow}
