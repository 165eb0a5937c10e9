"""Positions of the laboratory as a browser draws them: hand and table, and the moves that an edit adds or removes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from abl_cards.core import LANGUAGES, GameError
from abl_cards.games import Engine
from abl_cards.games.notation import sort_hand
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import LEADING
from abl_cards.rulelab.editor import PinnedPosition, sample_states
from abl_cards.web.game_log import play_text
from abl_cards.web.marked_text import card_marks
from abl_cards.web.shown_facts import position_facts
from abl_cards.web.texts import (
    BilingualText,
    card_kinds,
    card_orders,
    hand_texts,
    move_text,
    option_text,
    untranslated,
)  # fmt: skip

MAX_CHANGES = 60
"""Added or removed moves of a position that are sent."""
NUM_CANDIDATES, MIN_CHOICE = 12, 4
"""Positions that are sampled for one to show, and moves that make it worth a look."""
NUM_SAMPLED = 2
"""Positions of play with which a new laboratory starts."""
MAX_MOVES = 300
"""Legal moves of a position that are sent on demand."""


def position_json(engine: Engine, state: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the picture of a JSON state for a browser; None for a state that the rules do not accept."""
    try:
        view = engine.read_decision_point(state).decision.view
    except GameError:
        return None
    rules, tables = engine.rules, view.state
    row, seat, context = int(view.rows[0]), int(view.seats[0]), int(view.context[0])
    texts = rules.card_codes.kind_texts
    plays = []
    if rules.trick_query is not None:
        for other, counts in enumerate(tables.trick_cards[row]):
            if counts.any():
                cards = [texts[kind] for kind in sort_hand(rules, counts, context)]
                plays.append({"seat": other, "cards": cards, "text": ["", ""]})
    elif (form := int(view.to_beat[0])) != LEADING:
        owner = int(tables.owner[row])
        top = card_kinds(tables.top_cards[row])
        owner = owner if 0 <= owner < rules.seating.seats and owner != seat else _previous_seat(engine, seat)
        plays.append({"seat": owner, "cards": [texts[kind] for kind in top], "text": play_text(engine, form, len(top))})
    fluents = rules.fluents.mask_private(tables.fluents[[row]], np.array([seat]))[0]
    no_roles = np.full(rules.seating.seats, -1)
    return {
        "seat": seat, "after": list(rules.seating.next_seat),
        "hand": hand_texts(rules, view.hand[0], context),
        "plays": [play | {"number": number} for number, play in enumerate(plays)],
        "wild": card_orders(rules, context)["wild"],
        "shown": position_facts(engine, fluents, no_roles),
    }  # fmt: skip


def _previous_seat(engine: Engine, seat: int) -> int:
    return list(engine.rules.seating.next_seat).index(seat)


def first_positions(engine: Engine) -> list[Mapping[str, Any]]:
    """Return the positions with which a laboratory of a game starts; cached by knowledge base."""
    memo = engine.rules.kb.memo
    if first_positions not in memo:
        memo[first_positions] = choose_positions(engine, NUM_SAMPLED, 1)
    return list(memo[first_positions])


def choose_positions(engine: Engine, count: int, seed: int) -> list[Mapping[str, Any]]:
    """Sample positions of play, those with a choice between several moves first.

    Args:
        engine: Engine of the game.
        count: Number of positions.
        seed: Seed of the sample.
    """
    states = list(islice(sample_states(engine, NUM_CANDIDATES, seed), NUM_CANDIDATES))
    numbers = [len(moves) if isinstance(moves, list) else 0 for moves in engine.legal_moves(states)]
    order = sorted(range(len(states)), key=lambda row: not MIN_CHOICE <= numbers[row] <= MAX_CHANGES)
    return [states[row] for row in order[:count]]


def comparison_json(before: Engine, after: Engine, pinned: PinnedPosition) -> dict[str, Any]:
    """Return a position, its numbers of moves, and the first moves that an edit adds or removes, in words."""
    changes = pinned.to_json()
    gone, new = changes.get("gone", []), changes.get("new", [])
    return {
        "state": pinned.state,
        "drawn": position_json(after, pinned.state) or position_json(before, pinned.state),
        "before": len(pinned.before) if isinstance(pinned.before, list) else pinned.before,
        "after": len(pinned.after) if isinstance(pinned.after, list) else pinned.after,
        "gone": _with_texts(before, pinned.state, gone[:MAX_CHANGES]), "num_gone": len(gone),
        "new": _with_texts(after, pinned.state, new[:MAX_CHANGES]), "num_new": len(new),
    }  # fmt: skip


def moves_json(engine: Engine, state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the first legal moves of a state in words; raises GameError."""
    point = engine.read_decision_point(state)
    return [
        {"move": action.to_json(), "text": move_words(engine, point, row)}
        for row, action in enumerate(point.actions[:MAX_MOVES])
    ]


def move_words(engine: Engine, point: DecisionPoint, row: int) -> BilingualText:
    """Return the name and the marked cards of a move of a decision, in both languages."""
    if not is_play_decision(point.decision):
        return option_text(engine, int(point.move_lists.cards[row, 0]))
    cards = _cards_of(point.actions[row].to_json())
    return [move_text(engine, point.labels[row], cards, language) for language in LANGUAGES]


def _with_texts(engine: Engine, state: Mapping[str, Any], moves: Iterable[Any]) -> list[dict[str, Any]]:
    moves = list(moves)
    texts = dict[str, BilingualText]()
    if moves:
        point = engine.read_decision_point(state)
        texts = {_move_key(action.to_json()): move_words(engine, point, row)
                 for row, action in enumerate(point.actions)}  # fmt: skip
    return [{"move": move, "text": texts.get(_move_key(move)) or untranslated(_cards_text(move))} for move in moves]


def _move_key(move: Any) -> str:
    return json.dumps(move, sort_keys=True)


def _cards_of(move: Any) -> list[str]:
    """Return the cards of a move in JSON form: a list, or the field of a composed one."""
    cards = move.get("cards", []) if isinstance(move, dict) else move
    return [card for card in cards if isinstance(card, str)] if isinstance(cards, list) else []


def _cards_text(move: Any) -> str:
    return card_marks(_cards_of(move)) or str(move)
