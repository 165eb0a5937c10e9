"""Combinations of k cards that act as one cell, in the order of move lists.

A cell has *candidates*: its kinds of cards in ascending order, then the kinds of wild cards that may substitute. By
default the combinations are in ascending order, card by card. With ``order_of_sets(last_descending)`` the first k - 1
cards ascend and the last one descends.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 1 << 21
"""Bound on the number of combinations in a table."""


class TooManyCombinations(ValueError):
    """Combination table that would be too large."""


class CombinationTable(NamedTuple):
    """All combinations of candidates; those of k cards are the rows ``offsets[pattern, k] : offsets[pattern, k + 1]``.

    ``pattern`` encodes the available copies of each candidate as the digits of a number, the first candidate last.
    """

    base: int  # base of the patterns: one more than the maximum number of copies
    offsets: NDArray[np.int32]  # [base ** candidates, max_cards + 2]
    counts: NDArray[np.uint8]  # [combinations, candidates] cards taken of each candidate


def build_combinations(
    num_candidates: int, max_copies: int, max_cards: int, last_descending: bool = False
) -> CombinationTable:
    """Build a table of combinations.

    Args:
        num_candidates: Number of kinds of cards that may be taken.
        max_copies: Maximum number of copies of a kind.
        max_cards: Maximum number of cards of a combination.
        last_descending: Order the last card of a combination downwards.

    Raises:
        TooManyCombinations: The table would be too large.

    >>> table = build_combinations(3, 1, 2)
    >>> first, last = table.offsets[0b101, 1:3]
    >>> table.counts[first:last].tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    base = max_copies + 1
    if ((base * (base + 1)) // 2) ** num_candidates > MAX_ROWS:
        raise TooManyCombinations
    sort_key = _last_descending_key if last_descending else _ascending_key
    offsets = np.zeros((base**num_candidates, max_cards + 2), dtype=np.int32)
    rows: list[tuple[int, ...]] = []
    for digits in product(range(base), repeat=num_candidates):
        pattern = sum(digit * base**kind for kind, digit in enumerate(digits))
        combinations = list(product(*(range(digit + 1) for digit in digits)))
        for k in range(max_cards + 1):
            offsets[pattern, k] = len(rows)
            rows += sorted((counts for counts in combinations if sum(counts) == k), key=sort_key)
        offsets[pattern, max_cards + 1] = len(rows)
    return CombinationTable(base, offsets, np.array(rows, dtype=np.uint8))


def _expand_counts(counts: tuple[int, ...]) -> list[int]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _ascending_key(counts: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    return tuple(_expand_counts(counts)), 0


def _last_descending_key(counts: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    cards = _expand_counts(counts)
    return (tuple(cards), 0) if len(cards) < 2 else (tuple(cards[:-1]), -cards[-1])
