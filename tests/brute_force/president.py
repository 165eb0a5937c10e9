"""Naive independent implementation of the legal plays of President, from the text of its rules."""

from __future__ import annotations

from itertools import combinations

from tests.brute_force.hands import Cards, Sets, rank_of


def classify(laid: Cards) -> tuple[int, int] | None:
    """Return the number and rank of the cards, or None for no play."""
    ranks = {rank_of(card) for card in laid}
    return (len(laid), ranks.pop()) if len(ranks) == 1 else None


def plays(hand: Cards, to_beat: Cards | None = None) -> Sets:
    """Return the legal sets of cards of a hand by label, without the pass."""
    rival = classify(to_beat) if to_beat else None
    plays_by_shape: Sets = {}
    for size in range(1, 5):
        for chosen in combinations(sorted(hand), size):
            shape = classify(frozenset(chosen))
            if shape and (rival is None or (shape[0] == rival[0] and shape[1] > rival[1])):
                plays_by_shape.setdefault(shape, set()).add(frozenset(chosen))
    return plays_by_shape


def may_pass(hand: Cards, to_beat: Cards | None = None) -> bool:
    """Return True if passing is legal: only for a seat that follows."""
    return to_beat is not None


def points(left: list[int], gone: list[int]) -> list[int] | None:
    """Return the points of each seat, by cards left and order of finish; None while the game goes on."""
    if len(gone) < 3:
        return None
    order = gone + [seat for seat in range(4) if seat not in gone]
    return [(2, 1, -1, -2)[order.index(seat)] for seat in range(4)]
