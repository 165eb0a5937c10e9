"""The forms that given cards are, all of them laid down at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.moves import ALL_LABELS, enumerate_moves, lookup_moves, scratch_for
from abl_cards.games.types import MoveLists


def whole_hand_moves(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_],
    legal: NDArray[np.uint8], allowed: NDArray[np.uint8],
) -> MoveLists:  # fmt: skip
    """The moves that use all the cards of each of hands [n, kinds], of labels [labels, n] and forms [forms, n]."""
    n, forms, book = len(hands), rules.forms, rules.move_tables
    fitting = (forms.num_cards[:, None] == hands.sum(axis=1, dtype=np.int64)) & (allowed > 0)
    start, room = np.zeros(n + 1, np.int64), 8 * n
    while True:
        form, cards = np.empty(room, np.int16), np.empty((room, forms.max_cards), np.uint8)
        if rules.move_lookup is not None:
            found = lookup_moves(
                rules.move_lookup, np.arange(len(forms), dtype=np.int32), np.ascontiguousarray(hands),
                contexts.astype(np.int16), np.full(n, ALL_LABELS, np.int16), np.ascontiguousarray(legal),
                fitting.astype(np.uint8), 0, n, start, form, cards,
            )  # fmt: skip
            if found <= room:
                return MoveLists(start, form[:found], cards[:found])
            room = found
            continue
        space = scratch_for(book, forms.max_cards)
        found = enumerate_moves(
            book, np.ascontiguousarray(hands), contexts.astype(np.int16), leading.astype(np.int8),
            np.full(n, ALL_LABELS, np.int16), np.ascontiguousarray(legal), fitting.astype(np.uint8), 0, n, start,
            form, cards, space,
        )  # fmt: skip
        if found <= room:
            return MoveLists(start, form[:found], cards[:found])
        room = found
