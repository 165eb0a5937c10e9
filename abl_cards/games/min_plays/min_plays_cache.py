"""Cache of numbers of plays: hands that occur again, as at simulated tables, are counted once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel, map_ranges, splitmix64
from abl_cards.games.min_plays.hand_plays import KIND_HASHES
from abl_cards.games.types import NO_CARD

_INDEX_BITS = 20
_VALUE_BITS = 16  # lowest bits of an entry: plays, then whether they are an upper bound, then that there is an entry
_BOUND, _STORED = np.uint64(1 << 8), np.uint64(1 << 15)


class MinPlaysCache:
    """Numbers of plays after moves, by hand, context and cards that are left.

    A later entry replaces another one with the same last bits of its code. Threads share the entries: each is a single
    number, and equal codes have equal values.
    """

    def __init__(self) -> None:
        """Make an empty cache."""
        self._entries = np.zeros(1 << _INDEX_BITS, np.uint64)  # codes of moves, their lowest bits the value

    def read(
        self, hands: NDArray[np.uint8], context: NDArray[np.int64], start: NDArray[np.int64], cards: NDArray[np.uint8],
        plays: NDArray[np.uint8], bounds: NDArray[np.bool_],
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]:  # fmt: skip
        """Read the numbers of plays that are stored.

        Args:
            hands: uint8 [n, kinds], copies of each card.
            context: int64 [n], index of the context of each hand.
            start: int64 [n + 1], offsets of the moves of each hand.
            cards: uint8 [moves, max_cards], cards of each move.
            plays: uint8 [moves], modified where an entry is stored.
            bounds: bool [moves], whether the number is an upper bound, modified likewise.

        Returns:
            Codes of hands [n] and of moves [moves]; bool [n], whether a move of the hand is not stored.
        """
        hand_codes, codes = np.zeros(len(hands), np.uint64), np.zeros(len(cards), np.uint64)
        is_missing = np.zeros(len(hands), np.bool_)
        arguments = self._entries, hands, context, start, cards, hand_codes, codes, plays, bounds, is_missing
        map_ranges(len(hands), partial(_read_entries, *arguments))
        return hand_codes, codes, is_missing

    def store(self, codes: NDArray[np.uint64], plays: NDArray[np.uint8], bounds: NDArray[np.bool_]) -> None:
        """Store the numbers of plays after moves.

        Args:
            codes: uint64 [moves], of ``read``.
            plays: uint8 [moves].
            bounds: bool [moves], whether the number is an upper bound.
        """
        values = _STORED | (bounds * _BOUND) | plays
        self._entries[codes & np.uint64(len(self._entries) - 1)] = (
            codes >> np.uint64(_VALUE_BITS) << np.uint64(_VALUE_BITS) | values
        )


@kernel
def _read_entries(entries, hands, context, start, cards, hand_codes, codes, plays, bounds, is_missing, lo, hi):
    """Compute the codes of hands lo..hi-1 and their moves, and read the entries of these."""
    slot_mask, shift = np.uint64(len(entries) - 1), np.uint64(_VALUE_BITS)
    for i in range(lo, hi):
        hand = np.uint64(0)
        for kind in range(hands.shape[1]):
            hand += KIND_HASHES[kind] * np.uint64(hands[i, kind])
        hand_codes[i] = splitmix64(hand, context[i])
        for move in range(start[i], start[i + 1]):
            left = hand
            for card in cards[move]:
                if card == NO_CARD:
                    break
                left -= KIND_HASHES[card]
            codes[move] = splitmix64(hand_codes[i] ^ left, 0)
            entry = entries[codes[move] & slot_mask]
            if entry >> shift == codes[move] >> shift and entry & _STORED:
                plays[move], bounds[move] = entry & np.uint64(255), entry & _BOUND != 0
            else:
                is_missing[i] = True
