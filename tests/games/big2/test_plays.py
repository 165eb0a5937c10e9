"""Counted plays against the least number of plays, which exhaustive search finds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types.moves import NO_CARD
from tests.brute_force import big2 as brute


@cache
def fewest(hand: brute.Hand) -> int:
    """The least number of plays of a hand: some play must hold its lowest card."""
    if not any(hand):
        return 0
    lowest = next(rank for rank in range(13) if hand[rank])
    rests = {
        tuple(have - gone for have, gone in zip(hand, laid, strict=True))
        for _, laid in brute.plays(hand)
        if laid[lowest]
    }
    return 1 + min(fewest(remaining) for remaining in rests)


def count_plays(hands: list[brute.Hand], profile: str = "paper") -> list[int]:
    engine = load("big2").engine(None, profile)
    counts_found: list[int] = engine.min_plays(np.zeros(len(hands), np.int16), np.array(hands, np.uint8)).tolist()
    return counts_found


def counts(cards: str) -> brute.Hand:
    return tuple(counts_from_cards(map(brute.LETTERS.index, cards), 13).tolist())


def test_min_plays_exceed_exhaustive_search_by_one_at_most() -> None:
    """Hands of up to 11 cards, half of them of few ranks; never off by more than one, and seldom at all."""
    random = np.random.default_rng(4)
    deck = np.repeat(np.arange(13), 4)
    hands: list[brute.Hand] = []
    for number in range(80):
        near = deck[deck < 3 + number % 10] if number % 2 else deck
        cards = random.permutation(near)[: 4 + number % 8]
        hands.append(tuple(np.bincount((cards + number) % 13, minlength=13).tolist()))
    off = np.array(count_plays(hands)) - np.array([fewest(hand) for hand in hands])
    assert abs(off).max() <= 1
    assert (off == 0).mean() >= 0.95


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        ("", 0), ("3", 1), ("34567", 1), ("A2345", 1), ("QKA23", 5), ("2233", 1), ("33344456", 1), ("3334445566", 1),
        ("33345", 2), ("3333", 1), ("333345", 3), ("3344556677", 1), ("34567789TJ", 2),
        ("3456789TJQKA2", 1),
    ],
)  # fmt: skip
def test_min_plays_of_example_hands(hand: str, count: int) -> None:
    assert count_plays([counts(hand)]) == [count]


def test_min_plays_without_runs_across_the_end() -> None:
    assert count_plays([counts("A2345")], "straight") == [5]


def test_min_plays_after_moves_equal_those_of_the_remaining_hand() -> None:
    """The count after a move equals the count of the hand after it."""
    engine = load("big2").engine()
    assert isinstance(engine, Engine)
    decisions = engine.sample_decisions(40, seed=5)
    lists = decisions.moves()
    laid = [counts_from_cards([card for card in row if card != NO_CARD], 13) for row in lists.cards.tolist()]
    left = decisions.view.hand[lists.decision_index] - np.stack(laid)
    expected = engine.min_plays(np.zeros(len(left), np.int16), left)
    assert (engine.plays_left(decisions, lists) == expected).all()
