"""Cards and hands as numbers and as text."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.protocols.common import cards
from abl_cards.protocols.common.cards import (
    BIG_JOKER,
    CARD_NAMES,
    NUM_CARDS,
    RANKS,
    SMALL_JOKER,
    SUITS,
    CardTextError,
    format_card,
    format_hand,
    hand_from_cards,
    hand_to_cards,
    parse_card,
    parse_hand,
)

HANDS = st.lists(st.integers(0, NUM_CARDS - 1), max_size=40)


def test_order_of_the_54_vector() -> None:
    """4 · rank + suit with the ranks A, 2, ..., K and the suits S, H, D, C; the paper's H2 is the sixth."""
    assert len(CARD_NAMES) == len(set(CARD_NAMES)) == NUM_CARDS == 54
    for rank, letter in enumerate(RANKS):
        for suit, sign in enumerate(SUITS):
            assert parse_card(sign + letter) == 4 * rank + suit
    assert (parse_card("H2"), parse_card("SB"), parse_card("HR")) == (5, SMALL_JOKER, BIG_JOKER)


@given(st.integers(0, NUM_CARDS - 1))
def test_cards_parse_back(card: int) -> None:
    """Formatting and parsing of cards are inverse."""
    assert parse_card(format_card(card)) == card
    assert len(format_card(card)) == 2


@given(HANDS)
def test_hands_parse_back(card_list: list[int]) -> None:
    """Text, 54-vector and list of a hand are converted into each other, in any order of the cards."""
    hand = hand_from_cards(card_list)
    assert hand.dtype == np.uint8
    assert hand.shape == (NUM_CARDS,)
    assert (parse_hand(format_hand(hand)) == hand).all()
    assert hand_to_cards(hand) == sorted(card_list)
    assert (hand_from_cards(hand_to_cards(hand)) == hand).all()


@given(st.one_of(st.text(), st.none(), st.integers(), st.lists(st.text()), st.dictionaries(st.text(), st.text())))
def test_parse_card_rejects_other_values(text: object) -> None:
    """Any other value raises CardTextError, whose message shows the value."""
    if isinstance(text, str) and text in CARD_NAMES:
        return
    with pytest.raises(CardTextError) as error:
        parse_card(text)  # type: ignore[arg-type]
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", ["h2", "2H", "S1", "S10", "HB", "SR", "S2 ", "", "Ｓ2"])
def test_misspelt_cards_are_rejected(text: str) -> None:
    """Case, order, jokers of the wrong suit and blanks matter."""
    with pytest.raises(CardTextError):
        parse_card(text)
    with pytest.raises(CardTextError):
        parse_hand(f"S2 {text or 'x'}") if text != "S2 " else parse_card(text)


def test_examples_in_docstrings() -> None:
    """The examples of the docstrings hold."""
    assert doctest.testmod(cards).failed == 0
