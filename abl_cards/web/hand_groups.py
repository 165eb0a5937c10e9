"""Groups of a hand: the pieces of a split into few plays, to arrange the cards of a player."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.min_plays import LeadFinder
from abl_cards.games.tables import Tables
from abl_cards.games.types import count_move_cards
from abl_cards.web.texts import card_orders, deck_json, hand_texts

MAX_CANDIDATES = 160
"""Largest number of plays whose rest is counted at each step; the longest ones."""


def group_hand(engine: Engine, hand: NDArray[np.uint8], context: int) -> list[list[str]]:
    """Return the cards of a hand in groups.

    In games of emptying hands, plays are taken one after the other so that the least number of plays is left; longer
    ones first. Other games have groups by suit, trumps apart where the order of cards has them so.

    Args:
        engine: Engine of the game.
        hand: Copies of each card, uint8 [kinds].
        context: Index of the strength context.
    """
    try:
        groups = _split(engine, hand.astype(np.uint8), context)
    except GameError:
        return _by_suit(engine, hand, context)
    return [hand_texts(engine.rules, counts, context) for counts in groups]


def group_seat(engine: Engine, tables: Tables, seat: int | None) -> list[list[str]]:
    """Return the hand of a seat of the only table in groups.

    Args:
        engine: Engine of the game.
        tables: The table.
        seat: The seat; None for a spectator.

    Raises:
        GameError: Spectators have no hand.
    """
    if seat is None:
        raise GameError("spectators have no hand", ErrorCode.NOT_SEATED)
    return group_hand(engine, tables.state.hands[0, seat], int(tables.state.context[0]))


def _split(engine: Engine, hand: NDArray[np.uint8], context: int) -> list[NDArray[np.uint8]]:
    contexts = np.array([context])
    leads, _, _ = LeadFinder(engine.rules).lead_moves(contexts, hand[np.newaxis])
    plays, groups, rest = _distinct_plays(leads.cards, len(hand)), list[NDArray[np.uint8]](), hand.copy()
    while rest.any():
        fitting = plays[(plays <= rest).all(axis=1)]
        if not len(fitting):
            groups.append(rest)
            break
        sizes = fitting.sum(axis=1)
        fitting = fitting[np.argsort(-sizes.astype(np.int64), kind="stable")[:MAX_CANDIDATES]]
        left = engine.min_plays(np.full(len(fitting), context), rest - fitting)
        best = fitting[np.lexsort((-fitting.sum(axis=1).astype(np.int64), left))[0]]
        groups.append(best)
        rest = rest - best
    return groups


def _distinct_plays(cards: NDArray[np.uint8], num_kinds: int) -> NDArray[np.uint8]:
    """Return the copies of each card in each distinct play, [plays, kinds]."""
    distinct: NDArray[np.uint8] = np.unique(count_move_cards(cards, num_kinds), axis=0)
    return distinct[distinct.any(axis=1)]


def _by_suit(engine: Engine, hand: NDArray[np.uint8], context: int) -> list[list[str]]:
    """Return the cards of each suit, and the trumps, in the order of suits."""
    rules, groups = engine.rules, dict[str, list[str]]()
    deck: dict[str, Any] = deck_json(rules)
    copies = dict(zip(rules.card_codes.kind_texts, hand.tolist(), strict=True))
    orders = card_orders(rules, context)
    for text in orders["suit"]:
        group = "" if text in orders["trumps"] else deck[text]["suit"]
        groups.setdefault(group, []).extend([text] * copies[text])
    return [cards for cards in groups.values() if cards]
