"""Helpers of the brute forces of folders: cards as two letters (suit, rank), and parts of a hand.

They use neither rule files nor the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

RANKS = "3456789TJQKA2"
SUITS = "DCHS"
PACK = tuple(suit + rank for rank in RANKS for suit in SUITS)

Cards = frozenset[str]
Counts = tuple[int, ...]
Sets = dict[object, set[Cards]]  # what may be laid down: by label, the sets of cards


def cards(text: str) -> Cards:
    """The cards of ``"H3 S4"``."""
    return frozenset(text.split())


def rank_of(card: str) -> int:
    """0 for a three … 11 for an ace, 12 for a two."""
    return RANKS.index(card[1])


def counts_of(hand: Iterable[str]) -> Counts:
    """Return the number of cards of each of the thirteen ranks."""
    counts = [0] * len(RANKS)
    for card in hand:
        counts[rank_of(card)] += 1
    return tuple(counts)


def parts(counts: Counts) -> Iterator[Counts]:
    """Yield every non-empty part of a hand as counts of ranks."""
    return (part for part in product(*(range(held + 1) for held in counts)) if any(part))


def card_sets(hand: Cards, part: Counts) -> Iterator[Cards]:
    """Yield the sets of cards of a hand with these counts."""
    by_rank = [[card for card in hand if rank_of(card) == rank] for rank in range(len(RANKS))]
    choices = [combinations(by_rank[rank], count) for rank, count in enumerate(part) if count]
    for chosen in product(*choices):
        yield frozenset(card for group in chosen for card in group)


def top_of_run(part: Counts, size: int, last: int) -> int | None:
    """Return the top rank of a run up to ``last`` with ``size`` cards of each rank; None for no run."""
    ranks = [rank for rank, count in enumerate(part) if count]
    even = all(part[rank] == size for rank in ranks)
    neighbours = ranks[-1] - ranks[0] + 1 == len(ranks)
    return ranks[-1] if even and neighbours and ranks[-1] <= last else None
