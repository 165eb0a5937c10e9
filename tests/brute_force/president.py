"""An independent reading of President, slow and plain, from the text of its rules: what may be laid down over what."""

from __future__ import annotations

from itertools import combinations

from tests.brute_force.hands import Cards, Sets, rank_of


def classify(laid: Cards) -> tuple[int, int] | None:
    """How many cards of which rank, or None where this is no play."""
    ranks = {rank_of(card) for card in laid}
    return (len(laid), ranks.pop()) if len(ranks) == 1 else None


def plays(hand: Cards, to_beat: Cards | None = None) -> Sets:
    """By label, the sets of cards that a hand may lay down (the pass is not among them)."""
    rival = classify(to_beat) if to_beat else None
    found: Sets = {}
    for size in range(1, 5):
        for chosen in combinations(sorted(hand), size):
            shape = classify(frozenset(chosen))
            if shape and (rival is None or (shape[0] == rival[0] and shape[1] > rival[1])):
                found.setdefault(shape, set()).add(frozenset(chosen))
    return found


def may_pass(hand: Cards, to_beat: Cards | None = None) -> bool:
    """Only who answers may pass."""
    return to_beat is not None


def points(left: list[int], gone: list[int]) -> list[int] | None:
    """What each seat gets, by cards left and seats in the order they went out; None while the game goes on."""
    if len(gone) < 3:
        return None
    order = gone + [seat for seat in range(4) if seat not in gone]
    return [(2, 1, -1, -2)[order.index(seat)] for seat in range(4)]
