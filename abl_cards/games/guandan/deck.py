"""The cards of the 54-vector in the words of the rule files: ranks 2..16 and the suits s, h, c, d, joker."""

from __future__ import annotations

import numpy as np

from abl_cards.cards import CARD_NAMES, CARDS, SMALL_JOKER
from abl_cards.cards import SUITS as CARD_SUITS
from abl_cards.games.guandan.knowledge import SUITS_OF_CARDS
from abl_cards.games.guandan.shapes import SUITS

_NUMBERS = np.arange(CARDS)
RANK_OF_CARD = np.where(_NUMBERS >= SMALL_JOKER, _NUMBERS - 37, np.where(_NUMBERS < 4, 14, _NUMBERS // 4 + 1))
"""[54] the rank of every card: 2..14, the ace last, 15 and 16 the jokers."""
SUIT_OF_CARD = np.array(
    [SUITS_OF_CARDS.index(name[0].lower() if card < SMALL_JOKER else "joker") for card, name in enumerate(CARD_NAMES)]
)
"""[54] the place of its suit in SUITS_OF_CARDS."""


def card_suit(suit: int) -> int:
    """The place of a suit in the 54-vector from that in hand order; -1 for none."""
    return CARD_SUITS.index(SUITS[suit].upper()) if suit >= 0 else -1
