"""Find the moves that play all cards of a hand at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.moves import ALL_LABELS, enumerate_moves, lookup_moves, scratch_for
from abl_cards.games.types import MAX_CARD_SETS, MoveLists


def whole_hand_moves(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_],
    legal: NDArray[np.uint8], allowed: NDArray[np.uint8],
) -> MoveLists:  # fmt: skip
    """List the moves that play all cards of a hand at once.

    Args:
        rules: Compiled game.
        hands: uint8 [n, kinds], copies of each card.
        contexts: int16 [n], index of the context of each state.
        leading: bool [n], the seat leads.
        legal: uint8 [labels, n], mask of the labels that may be played.
        allowed: uint8 [forms, n], mask of the forms that may be played.

    Returns:
        Moves of each hand.
    """
    n, forms, tables = len(hands), rules.forms, rules.move_tables
    has_hand_size = (forms.num_cards[:, None] == hands.sum(axis=1, dtype=np.int64)) & (allowed > 0)
    start, capacity = np.zeros(n + 1, np.int64), 8 * n
    while True:
        form, cards = np.empty(capacity, np.int16), np.empty((capacity, forms.max_cards), np.uint8)
        if rules.move_lookup is not None:
            num_moves = lookup_moves(
                rules.move_lookup, np.arange(len(forms), dtype=np.int32), np.ascontiguousarray(hands),
                contexts.astype(np.int16), np.full(n, ALL_LABELS, np.int16), np.ascontiguousarray(legal),
                has_hand_size.astype(np.uint8), 0, n, start, form, cards,
            )  # fmt: skip
            if num_moves <= capacity:
                return MoveLists(start, form[:num_moves], cards[:num_moves])
            capacity = num_moves
            continue
        scratch = scratch_for(tables, forms.max_cards)
        num_moves = enumerate_moves(
            tables, np.ascontiguousarray(hands), contexts.astype(np.int16), leading.astype(np.int8),
            np.full(n, ALL_LABELS, np.int16), np.ascontiguousarray(legal), has_hand_size.astype(np.uint8), 0, n,
            MAX_CARD_SETS, 0, start, form, cards, scratch,
        )  # fmt: skip
        if num_moves <= capacity:
            return MoveLists(start, form[:num_moves], cards[:num_moves])
        capacity = num_moves
