"""The forms that given cards are, all of them laid down at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play import fixed, walk
from abl_cards.games.play.book import room_for
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import MoveLists


def card_sets(
    rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_],
    legal: NDArray[np.uint8], allowed: NDArray[np.uint8],
) -> MoveLists:  # fmt: skip
    """The moves that use all the cards of each of hands [n, kinds], of labels [labels, n] and forms [forms, n]."""
    n, forms, book = len(hands), rules.forms, rules.book
    fitting = (forms.cards_of[:, None] == hands.sum(axis=1, dtype=np.int64)) & (allowed > 0)
    start, room = np.zeros(n + 1, np.int64), 8 * n
    while True:
        form, cards = np.empty(room, np.int16), np.empty((room, forms.most_cards), np.uint8)
        if rules.fixed is not None:
            found = fixed.list_moves(
                rules.fixed, np.arange(len(forms), dtype=np.int32), np.ascontiguousarray(hands),
                contexts.astype(np.int16), np.full(n, walk.EVERY_LABEL, np.int16), np.ascontiguousarray(legal),
                fitting.astype(np.uint8), 0, n, start, form, cards,
            )  # fmt: skip
            if found <= room:
                return MoveLists(start, form[:found], cards[:found])
            room = found
            continue
        space = room_for(book, forms.most_cards)
        found = walk.list_moves(
            book, np.ascontiguousarray(hands), contexts.astype(np.int16), leading.astype(np.int8),
            np.full(n, walk.EVERY_LABEL, np.int16), np.ascontiguousarray(legal), fitting.astype(np.uint8), 0, n, start,
            form, cards, space,
        )  # fmt: skip
        if found <= room:
            return MoveLists(start, form[:found], cards[:found])
        room = found
