"""Hands of up to fifteen kinds of cards as 64-bit keys: four bits for each kind, the copies of kind K at bit 4 * K.

Keys of disjoint sets of cards can be added. They are smaller than rows of counts, for lookups of millions of hands.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.description import CardCodes
from abl_cards.games.types import NO_CARD

MAX_KINDS = 15
"""Maximum number of kinds of cards."""

HandKey = int
"""Key of a hand: four bits for each kind of card."""

_SHIFTS = 4 * np.arange(MAX_KINDS).astype(np.uint64)


def hand_key(cards: Iterable[int]) -> HandKey:
    """Return the key of some cards.

    Args:
        cards: Kinds of cards; a kind is repeated for each copy.
    """
    return sum(1 << 4 * kind for kind in cards)


def key_cards(key: HandKey) -> tuple[int, ...]:
    """Return the kinds of cards of a key in ascending order.

    >>> key_cards(hand_key([2, 0, 0]))
    (0, 0, 2)
    """
    return tuple(kind for kind in range(MAX_KINDS) for _ in range(int(key) >> 4 * kind & 15))


def key_sizes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Count the cards of keys.

    Args:
        keys: uint64 [...], keys of hands.

    Returns:
        int64 [...].
    """
    low = np.uint64(0x0F0F0F0F0F0F0F0F)
    both = (keys & low) + ((keys >> np.uint64(4)) & low)
    sizes: NDArray[np.int64] = ((both * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return sizes


def key_counts(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Unpack keys to copies of each kind of card.

    Args:
        keys: uint64 [...], keys of hands.

    Returns:
        uint8 [..., 15].
    """
    counts: NDArray[np.uint8] = (keys[..., None] >> _SHIFTS & np.uint64(15)).astype(np.uint8)
    return counts


def keys_from_counts(counts: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Pack copies of each kind of card to keys.

    Args:
        counts: [..., 15], copies of each card.

    Returns:
        uint64 [...].
    """
    keys: NDArray[np.uint64] = (counts.astype(np.uint64) << _SHIFTS).sum(axis=-1, dtype=np.uint64)
    return keys


def keys_from_rows(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Pack rows of cards to keys.

    Args:
        cards: uint8 [n, max_cards], kinds of cards, padded with NO_CARD.

    Returns:
        uint64 [n].
    """
    is_card = cards != NO_CARD
    shifts = np.where(is_card, 4 * cards.astype(np.int64), 0).astype(np.uint64)
    keys: NDArray[np.uint64] = (is_card.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
    return keys


def key_text(card_codes: CardCodes, key: HandKey) -> str:
    """Write the cards of a key in ascending order.

    Args:
        card_codes: Card notation of the game.
        key: Key of a hand.
    """
    return card_codes.to_text(key_cards(key))


def read_key(card_codes: CardCodes, text: object) -> HandKey:
    """Read the key of cards in any order.

    Args:
        card_codes: Card notation of the game.
        text: Cards as text or list of texts.

    Raises:
        GameError: A text is not a card, or the pack has fewer copies of a card.
    """
    return hand_key(card_codes.read(text))
