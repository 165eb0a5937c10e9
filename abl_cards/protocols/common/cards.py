"""Ranks, suits, cards and the 54-vector; text forms that parse back.

A card is a plain integer, the index into the 54-vector of the papers: 4 * rank + suit with the ranks A, 2, ..., K and
the suits S, H, D, C; the jokers are 52 and 53.

>>> format_card(parse_card("H2")), parse_card("H2")
('H2', 5)
>>> format_hand(parse_hand("H2 H2 SB"))
'H2 H2 SB'
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Card = int
"""Index 0..53 of a card in the 54-vector."""

Hand = NDArray[np.uint8]
"""uint8 [54], number of copies of each card."""

NUM_CARDS = 54
RANKS = "A23456789TJQK"
SUITS = "SHDC"
SMALL_JOKER: Card = 52
BIG_JOKER: Card = 53

CARD_NAMES: tuple[str, ...] = (*(suit + rank for rank in RANKS for suit in SUITS), "SB", "HR")
"""Names of the cards in the order of the 54-vector."""
_NAME_TO_CARD = {name: card for card, name in enumerate(CARD_NAMES)}


class CardTextError(ValueError):
    """Text that is not the name of a card."""


def format_card(card: Card) -> str:
    """Return the name of a card.

    Args:
        card: Index 0..53 in the 54-vector.

    Returns:
        Two characters, suit then rank, such as ``H2`` or ``DT``; the jokers are ``SB`` and ``HR``.
    """
    return CARD_NAMES[card]


def parse_card(text: str) -> Card:
    """Return the card of a name.

    Args:
        text: Two characters, suit then rank, such as ``H2``; values of other types are rejected.

    Returns:
        Index 0..53 in the 54-vector.

    Raises:
        CardTextError: The value is not the name of a card.
    """
    try:
        return _NAME_TO_CARD[text]
    except (KeyError, TypeError):
        raise CardTextError(
            f"{text!r} is not a card: write suit and rank, like S2, HT, DA, or SB and HR for the jokers"
        ) from None


def hand_from_cards(cards: Iterable[Card]) -> Hand:
    """Count cards.

    Args:
        cards: Indices 0..53 in any order.

    Returns:
        uint8 [54], copies of each card, at most 255.
    """
    counts = np.bincount(np.fromiter(cards, dtype=np.int64), minlength=NUM_CARDS)
    return np.minimum(counts, 255).astype(np.uint8)


def hand_to_cards(hand: Hand) -> list[Card]:
    """List the cards of a hand.

    Args:
        hand: uint8 [54], copies of each card.

    Returns:
        Indices 0..53 in ascending order, equal cards repeated.
    """
    return [int(card) for card in np.repeat(np.arange(NUM_CARDS), hand)]


def format_hand(hand: Hand) -> str:
    """Return the names of a hand's cards in index order, separated by blanks."""
    return " ".join(CARD_NAMES[card] for card in hand_to_cards(hand))


def parse_hand(text: str) -> Hand:
    """Return the 54-vector of card names separated by blanks; raises CardTextError for an unknown name."""
    return hand_from_cards(parse_card(name) for name in text.split())
