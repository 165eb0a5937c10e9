"""An independent reading of Big Two with suits, slow and plain, from the text of its rules.

Every one, two, three and five cards of a hand are tried: is it a form, and does it beat what lies there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from tests.brute_force.hands import SUITS, Cards, Sets, rank_of

ACE = 11
CLASSES = ("straight", "flush", "full", "four", "straight flush")

Power = tuple[int, ...]  # the number of cards, then what is compared from left to right


def _suit(card: str) -> int:
    return SUITS.index(card[0])


@lru_cache(1 << 18)
def power(laid: Cards, rank_first: bool = False, triples: bool = False) -> Power | None:
    """Return the rank of a play among those of its size, or None for no play; equal powers share a label."""
    ranks = sorted((rank_of(card) for card in laid), reverse=True)
    suits = [_suit(card) for card in laid]
    if len(laid) == 1:
        return (1, ranks[0], suits[0])
    if len(laid) == 2:
        return (2, ranks[0], max(suits)) if ranks[0] == ranks[1] else None
    if len(laid) == 3:
        return (3, ranks[0]) if triples and ranks[0] == ranks[2] else None
    return _five(laid, ranks, suits, rank_first) if len(laid) == 5 else None


def _five(laid: Cards, ranks: list[int], suits: list[int], rank_first: bool) -> Power | None:
    highest = max(laid, key=rank_of)
    straight = ranks == list(range(ranks[0], ranks[0] - 5, -1)) and ranks[0] <= ACE
    flush = len(set(suits)) == 1
    often = sorted(set(ranks), key=ranks.count, reverse=True)
    if straight:
        return (5, CLASSES.index("straight flush" if flush else "straight"), ranks[0], _suit(highest))
    if flush:
        parts = [*ranks, suits[0]] if rank_first else [suits[0], *ranks]
        return (5, CLASSES.index("flush"), *parts)
    if len(often) == 2:
        return (5, CLASSES.index("four" if ranks.count(often[0]) == 4 else "full"), often[0])
    return None


def plays(
    hand: Cards,
    to_beat: Cards | None = None,
    opening: bool = False,
    rank_first: bool = False,
    triples: bool = False,
) -> Sets:
    """Return the legal sets of cards of a hand by label, without the pass."""
    rival = power(to_beat, rank_first, triples) if to_beat else None
    sets: Sets = {}
    for size in (1, 2, 3, 5) if rival is None else (rival[0],):
        for chosen in map(frozenset, combinations(sorted(hand), size)):
            strength = power(chosen, rank_first, triples)
            if strength is None or (rival is not None and strength <= rival):
                continue
            if not opening or "D3" in chosen:
                sets.setdefault(strength, set()).add(chosen)
    return sets


def may_pass(hand: Cards, to_beat: Cards | None = None) -> bool:
    """Return True if passing is legal: only for a seat that follows."""
    return to_beat is not None


def points(left: list[int], gone: list[int]) -> list[int] | None:
    """Return the points of each seat, by cards left and order of finish; None while the game goes on."""
    if not gone:
        return None
    paid = [number * (3 if number == 13 else 2 if number >= 10 else 1) for number in left]
    return [sum(paid) if seat == gone[0] else -number for seat, number in enumerate(paid)]
