"""The ways to take k cards of one rank, in the order in which the wire protocol lists them (rules/guandan.md, 2.1).

A rank offers a candidate list: the natural cards in hand order (S, H, C, D), then the wild cards that may stand in.
Of its combinations the first k - 1 positions run upwards and the last one downwards, each card set at its first
sight. As equal cards are neighbours, that order is: the first k - 1 cards ascending, the last one descending; single
cards run upwards.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan.shapes import LARGEST

KINDS = 5
"""Candidates of a rank: its four suits in hand order, and wild cards standing in."""
COPIES = 3
"""A kind of candidate is there 0, 1 or 2 times."""


class Combinations(NamedTuple):
    """All combinations of all candidate lists; those of ``k`` cards are ``start[pattern, k] : start[pattern, k + 1]``.

    ``pattern`` is the candidate list as a number in base 3, spades first.
    """

    start: NDArray[np.int32]  # [243, 12]
    counts: NDArray[np.uint8]  # [combinations, 5] cards taken of each kind


def _order(counts: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    cards = [kind for kind, count in enumerate(counts) for _ in range(count)]
    return (tuple(cards), 0) if len(cards) < 2 else (tuple(cards[:-1]), -cards[-1])


def combinations() -> Combinations:
    """Build the table; 7,776 rows.

    >>> table = combinations()
    >>> spade_spade_club_wild = 2 + 1 * 9 + 1 * 81
    >>> first, last = table.start[spade_spade_club_wild, 2:4]
    >>> table.counts[first:last].tolist()
    [[1, 0, 0, 0, 1], [1, 0, 1, 0, 0], [2, 0, 0, 0, 0], [0, 0, 1, 0, 1]]
    """
    start = np.zeros((COPIES**KINDS, LARGEST + 2), dtype=np.int32)
    rows: list[tuple[int, ...]] = []
    for digits in product(range(COPIES), repeat=KINDS):
        pattern = sum(digit * COPIES**kind for kind, digit in enumerate(digits))
        taken = list(product(*(range(digit + 1) for digit in digits)))
        for k in range(LARGEST + 1):
            start[pattern, k] = len(rows)
            rows += sorted((counts for counts in taken if sum(counts) == k), key=_order)
        start[pattern, LARGEST + 1] = len(rows)
    return Combinations(start, np.array(rows, dtype=np.uint8))
