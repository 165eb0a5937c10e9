"""Find the moves that play all cards of a hand at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.moves import ALL_LABELS, list_whole_hands, lookup_moves, scratch_for
from abl_cards.games.types import MoveLists


def whole_hand_moves(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_],
    legal: NDArray[np.uint8] | None = None, allowed: NDArray[np.uint8] | None = None,
) -> MoveLists:  # fmt: skip
    """List the moves that play all cards of a hand at once.

    Args:
        rules: Compiled game.
        hands: uint8 [n, kinds], copies of each card.
        contexts: int16 [n], index of the context of each state.
        leading: bool [n], the seat leads.
        legal: uint8 [labels, n], mask of the labels that may be played; None for all.
        allowed: uint8 [forms, n], mask of the forms that may be played; None for all.

    Returns:
        Moves of each hand.
    """
    n, forms, tables = len(hands), rules.forms, rules.move_tables
    legal = np.ones((len(rules.labels), 1), np.uint8) if legal is None else np.ascontiguousarray(legal)
    allowed = np.ones((len(forms), 1), np.uint8) if allowed is None else np.ascontiguousarray(allowed)
    hands, contexts = np.ascontiguousarray(hands), contexts.astype(np.int16)
    if rules.move_lookup is not None:
        has_hand_size = (forms.num_cards[:, None] == hands.sum(axis=1, dtype=np.int64)) & (allowed > 0)
        legal = np.array(np.broadcast_to(legal, (len(legal), n)), order="C")  # writable, as the kernel is compiled for
        allowed = has_hand_size.astype(np.uint8)
    start, capacity = np.zeros(n + 1, np.int64), 8 * n
    while True:
        form, cards = np.empty(capacity, np.int16), np.empty((capacity, forms.max_cards), np.uint8)
        if rules.move_lookup is not None:
            num_moves = lookup_moves(
                rules.move_lookup, np.arange(len(forms), dtype=np.int32), hands, contexts,
                np.full(n, ALL_LABELS, np.int16), legal, allowed, 0, n, start, form, cards,
            )  # fmt: skip
        else:
            num_moves = list_whole_hands(
                rules.form_index, tables, hands, contexts, leading.astype(np.int8), legal, allowed, start, form, cards,
                scratch_for(tables, forms.max_cards),
            )  # fmt: skip
        if num_moves <= capacity:
            return MoveLists(start, form[:num_moves], cards[:num_moves])
        capacity = num_moves
