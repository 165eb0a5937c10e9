"""Counted plays against the least number of plays, which exhaustive search finds."""

from functools import cache

import numpy as np
import pytest

from abl_cards.games.min_plays.hand_keys import keys_from_counts
from tests.brute_force.doudizhu import key_of, plays
from tests.effort import amount
from tests.games.doudizhu.decided import engine_of, hand

_TOPS = sum(8 << 4 * place for place in range(15))


def fewest(hands: list[int]) -> list[int]:
    """The least number of plays of hands as keys: each must hold its lowest card in some play."""
    by_lowest: list[list[int]] = [[] for _ in range(15)]
    for play in plays("rlcard"):
        key = key_of(play.cards)
        by_lowest[next(rank for rank in range(15) if key >> 4 * rank & 15)].append(key)

    @cache
    def search(hand: int) -> int:
        if not hand:
            return 0
        lowest = next(rank for rank in range(15) if hand >> 4 * rank & 15)
        return 1 + min(search(hand - key) for key in by_lowest[lowest] if ((hand | _TOPS) - key) & _TOPS == _TOPS)

    return [search(hand) for hand in hands]


def test_min_plays_exceed_exhaustive_search_by_one_at_most() -> None:
    """Hands of up to 11 cards; never off by more than one, and seldom at all."""
    random = np.random.default_rng(4)
    deck = np.repeat(np.arange(15), [4] * 13 + [1, 1])
    hands = []
    for number in range(amount(24, 60)):
        near = deck[deck < 3 + number % 13] if number % 2 else deck
        cards = random.permutation(near)[: 4 + number % 8]
        hands.append(np.bincount(cards, minlength=15).astype(np.uint8))
    counts = engine_of().min_plays(np.zeros(len(hands), np.int16), np.array(hands)).astype(int)
    exact = np.array(fewest(keys_from_counts(np.array(hands)).tolist()))
    assert abs(counts - exact).max() <= 1
    assert (counts == exact).mean() >= 0.95


@pytest.mark.parametrize(
    ("cards", "count"),
    [
        ("", 0), ("3", 1), ("34567", 1), ("3457", 4), ("333444", 1), ("33344456", 1), ("3334445566", 1), ("33345", 2),
        ("XD", 1), ("3XD", 2), ("3333", 1), ("333345", 1), ("3344556677", 1), ("34567789TJ", 2), ("333444555", 1),
        ("33445566789", 4), ("3456789TJQKA2XD", 3),
    ],
)  # fmt: skip
def test_min_plays_of_example_hands(cards: str, count: int) -> None:
    assert engine_of().min_plays(np.zeros(1, np.int16), hand(cards)[None]).tolist() == [count]
