"""Order in which the cards of a hand are written.

By default, the order of card vectors. With facts ``hand_order(Suit,I)``: from weak to strong, by the strength of single
cards in the context, and by suit within a rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Cards, parse_rank_and_suit, require_int


@cache_per_game
def hand_orders(rules: CompiledGame) -> NDArray[np.int64]:
    """Return the order in which the cards of a hand are written.

    Args:
        rules: Compiled game.

    Returns:
        int64 [contexts, kinds], card kinds from the first to the last.
    """
    tables, kinds = rules.move_tables, rules.pack.kinds
    suits = {suit: require_int(index, f"hand_order({suit},…)") for suit, index in rules.kb.facts("hand_order", 2)}
    if not suits:
        return np.tile(np.arange(len(kinds)), (len(rules.contexts), 1))
    parts = [parse_rank_and_suit(kind) for kind in kinds]
    suit = np.array([suits.get(part[1], len(suits)) if part else 0 for part in parts])
    rank = np.full(len(kinds), len(tables.slot_kind))  # last if no form contains the kind
    rank[tables.slot_kind[tables.slot_kind >= 0]] = np.nonzero(tables.slot_kind >= 0)[0]
    orders = []
    for order in tables.rank_order:
        index = np.append(np.argsort(order), len(order))[rank]
        orders.append(np.lexsort((suit, index)))
    return np.stack(orders)


def sort_hand(rules: CompiledGame, counts: NDArray[np.integer], context: int) -> Cards:
    """Return the cards of a hand in the order in which they are written.

    Args:
        rules: Compiled game.
        counts: Copies of each card, [kinds].
        context: Index of the context.

    Returns:
        Card kinds, repeated by their counts.
    """
    order = hand_orders(rules)[context]
    return tuple(np.repeat(order, counts[order]).tolist())


def hand_to_json(rules: CompiledGame, counts: NDArray[np.integer], context: int) -> str | list[str]:
    """Return a hand [kinds] as JSON, as in states."""
    return rules.card_codes.write(sort_hand(rules, counts, context))
