"""Hands of up to fifteen kinds of cards as numbers: four bits a kind, the copies of kind K at bit 4 * K. They add up.

Where hands are looked up by the million a number is less than a row of counts; at the tables they are rows.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.description import CardCodes

MAX_KINDS = 15
NO_CARD = 255

HandKey = int
"""Four bits a kind; see the module."""

_SHIFTS = 4 * np.arange(MAX_KINDS).astype(np.uint64)


def hand_key(cards: Iterable[int]) -> HandKey:
    """The key of some kinds, equal ones repeated."""
    return sum(1 << 4 * kind for kind in cards)


def key_cards(key: HandKey) -> tuple[int, ...]:
    """The kinds of a key, low to high.

    >>> key_cards(hand_key([2, 0, 0]))
    (0, 0, 2)
    """
    return tuple(kind for kind in range(MAX_KINDS) for _ in range(int(key) >> 4 * kind & 15))


def key_sizes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many cards keys [...] hold."""
    low = np.uint64(0x0F0F0F0F0F0F0F0F)
    both = (keys & low) + ((keys >> np.uint64(4)) & low)
    sizes: NDArray[np.int64] = ((both * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return sizes


def key_counts(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[..., 15] the copies of each kind in keys [...]."""
    counts: NDArray[np.uint8] = (keys[..., None] >> _SHIFTS & np.uint64(15)).astype(np.uint8)
    return counts


def keys_from_counts(counts: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Keys [...] of the copies of each kind [..., 15]."""
    keys: NDArray[np.uint64] = (counts.astype(np.uint64) << _SHIFTS).sum(axis=-1, dtype=np.uint64)
    return keys


def keys_from_rows(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Keys of the cards of moves [n, most]."""
    kept = cards != NO_CARD
    shifts = np.where(kept, 4 * cards.astype(np.int64), 0).astype(np.uint64)
    keys: NDArray[np.uint64] = (kept.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
    return keys


def key_text(card_codes: CardCodes, key: HandKey) -> str:
    """The cards of a key from low to high."""
    return card_codes.to_text(key_cards(key))


def read_key(card_codes: CardCodes, text: object) -> HandKey:
    """The key of cards in any order; raises GameError."""
    return hand_key(card_codes.read(text))
