"""What the brute forces of the folders share: cards as two letters (suit, rank), and ways to lay down part of a hand.

Nothing here knows a rule file or the engine.
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
    """How many cards of each of the thirteen ranks."""
    counts = [0] * len(RANKS)
    for card in hand:
        counts[rank_of(card)] += 1
    return tuple(counts)


def parts(counts: Counts) -> Iterator[Counts]:
    """Every way to lay down one card or more, as counts of ranks."""
    return (part for part in product(*(range(held + 1) for held in counts)) if any(part))


def laid(hand: Cards, part: Counts) -> Iterator[Cards]:
    """The sets of cards of a hand that have these counts."""
    by_rank = [[card for card in hand if rank_of(card) == rank] for rank in range(len(RANKS))]
    wanted = [combinations(by_rank[rank], count) for rank, count in enumerate(part) if count]
    for chosen in product(*wanted):
        yield frozenset(card for group in chosen for card in group)


def top_of_run(part: Counts, size: int, last: int) -> int | None:
    """The top rank, where all ranks laid down are neighbours up to ``last`` with ``size`` cards each; else None."""
    ranks = [rank for rank, count in enumerate(part) if count]
    even = all(part[rank] == size for rank in ranks)
    neighbours = ranks[-1] - ranks[0] + 1 == len(ranks)
    return ranks[-1] if even and neighbours and ranks[-1] <= last else None
