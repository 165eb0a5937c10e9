"""The ways to take k cards that act as one cell, in the order of lists.

A cell offers *candidates*: its kinds of cards in the order of vectors, then the kinds of wild cards that may stand in.
By default the sets run upwards, card by card. Where the rules say ``order_of_sets(last_descending)``, the first k - 1
cards run upwards and the last one downwards.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 1 << 21


class TooManyCombinations(ValueError):
    """The table would be too large."""


class CombinationTable(NamedTuple):
    """All combinations of all candidates; those of ``k`` cards are ``start[pattern, k] : start[pattern, k + 1]``.

    ``pattern`` is how many there are of each candidate, as a number to this base, the first candidate last.
    """

    base: int
    offsets: NDArray[np.int32]  # [base ** candidates, largest + 2]
    counts: NDArray[np.uint8]  # [combinations, candidates] cards taken of each


def build_combinations(
    num_candidates: int, max_copies: int, max_cards: int, last_descending: bool = False
) -> CombinationTable:
    """Build the table; raises TooManyCombinations where it is too large.

    >>> table = build_combinations(3, 1, 2)
    >>> first, last = table.offsets[0b101, 1:3]
    >>> table.counts[first:last].tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    base = max_copies + 1
    if ((base * (base + 1)) // 2) ** num_candidates > MAX_ROWS:
        raise TooManyCombinations
    order = _last_descending_key if last_descending else _ascending_key
    start = np.zeros((base**num_candidates, max_cards + 2), dtype=np.int32)
    rows: list[tuple[int, ...]] = []
    for digits in product(range(base), repeat=num_candidates):
        pattern = sum(digit * base**kind for kind, digit in enumerate(digits))
        taken = list(product(*(range(digit + 1) for digit in digits)))
        for k in range(max_cards + 1):
            start[pattern, k] = len(rows)
            rows += sorted((counts for counts in taken if sum(counts) == k), key=order)
        start[pattern, max_cards + 1] = len(rows)
    return CombinationTable(base, start, np.array(rows, dtype=np.uint8))


def _expand_counts(counts: tuple[int, ...]) -> list[int]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _ascending_key(counts: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    return tuple(_expand_counts(counts)), 0


def _last_descending_key(counts: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    cards = _expand_counts(counts)
    return (tuple(cards), 0) if len(cards) < 2 else (tuple(cards[:-1]), -cards[-1])
