"""Order in which the cards of a hand are written.

By default that of card vectors. If ``hand_order(Suit,I)`` orders the suits: from weak to strong, as single cards are in
the context, and by suit within a rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Cards, parse_rank_and_suit, require_int


@cache_per_game
def hand_orders(rules: CompiledGame) -> NDArray[np.int64]:
    """[contexts, kinds] the kinds from the first to the last."""
    book, kinds = rules.move_tables, rules.pack.kinds
    suits = {suit: require_int(place, f"hand_order({suit},…)") for suit, place in rules.kb.facts("hand_order", 2)}
    if not suits:
        return np.tile(np.arange(len(kinds)), (len(rules.contexts), 1))
    parts = [parse_rank_and_suit(kind) for kind in kinds]
    suit = np.array([suits.get(each[1], len(suits)) if each else 0 for each in parts])
    rank = np.full(len(kinds), len(book.slot_kind))  # behind all others where no play speaks of it
    rank[book.slot_kind[book.slot_kind >= 0]] = np.nonzero(book.slot_kind >= 0)[0]
    orders = []
    for order in book.rank_order:
        place = np.append(np.argsort(order), len(order))[rank]
        orders.append(np.lexsort((suit, place)))
    return np.stack(orders)


def sort_hand(rules: CompiledGame, counts: NDArray[np.integer], context: int) -> Cards:
    """The cards of a hand [kinds] as they are written in a context."""
    order = hand_orders(rules)[context]
    return tuple(np.repeat(order, counts[order]).tolist())


def hand_to_json(rules: CompiledGame, counts: NDArray[np.integer], context: int) -> str | list[str]:
    """A hand [kinds] as states have it."""
    return rules.card_codes.write(sort_hand(rules, counts, context))
