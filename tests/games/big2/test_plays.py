"""How near the counted plays are to the least number of plays, found by trying everything."""

from __future__ import annotations

import doctest
from functools import cache

import numpy as np
import pytest

from abl_cards.games import plays as generic
from abl_cards.games.big2 import plays as module
from abl_cards.games.big2.decisions import count_cards
from abl_cards.games.big2.engine import engine_of
from abl_cards.games.big2.plays import counter_of, keys_of
from abl_cards.games.big2.rulebook import rules_of
from abl_cards.games.big2.wire import read_hand
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
    return 1 + min(fewest(rest) for rest in rests)


def counted(hands: list[brute.Hand], profile: str = "paper") -> list[int]:
    found: list[int] = counter_of(rules_of(None, profile)).plays_left(keys_of(np.array(hands, np.uint8))).tolist()
    return found


@pytest.mark.parametrize("each", [module, generic])
def test_examples(each: object) -> None:
    assert doctest.testmod(each).failed == 0  # type: ignore[arg-type]


def test_counts_are_nearly_always_exact() -> None:
    """Hands of up to 11 cards, half of them of few ranks; never off by more than one, and seldom at all."""
    random = np.random.default_rng(4)
    deck = np.repeat(np.arange(13), 4)
    hands: list[brute.Hand] = []
    for number in range(80):
        near = deck[deck < 3 + number % 10] if number % 2 else deck
        cards = random.permutation(near)[: 4 + number % 8]
        hands.append(tuple(np.bincount((cards + number) % 13, minlength=13).tolist()))
    off = np.array(counted(hands)) - np.array([fewest(hand) for hand in hands])
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
def test_hand_worked(hand: str, count: int) -> None:
    assert counted([tuple(read_hand(hand).tolist())]) == [count]


def test_without_runs_across_the_end() -> None:
    assert counted([tuple(read_hand("A2345").tolist())], "straight") == [5]


def test_after_every_move() -> None:
    """What is counted after a move is what the hand that it leaves takes."""
    engine = engine_of()
    decisions = engine.sample_decisions(40, seed=5)
    lists = decisions.moves()
    left = decisions.hand[lists.decision] - count_cards(lists.cards)
    expected = counter_of(engine.rules).plays_left(keys_of(left))
    assert (engine.plays_left(decisions, lists) == expected).all()
