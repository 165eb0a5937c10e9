"""Naive independent implementation of Big2: legal plays, comparisons and values.

Written from the rule text, not from the rule files. A hand is thirteen counts for 3 4 5 6 7 8 9 T J Q K A 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LETTERS = "3456789TJQKA2"
ACE, TWO = 11, 12

Hand = tuple[int, ...]


class Combo(NamedTuple):
    """A combination: its main rank, ranks in a row, cards of each, cards of each affiliation."""

    tail: int
    length: int
    size: int
    affiliation: int

    @property
    def label(self) -> str:
        """Its name in the rule files."""
        return f"combo({self.tail + 3},{self.length},{self.size},{self.affiliation})"


def runs(length: int) -> Iterator[tuple[int, ...]]:
    """The ranks of every run of this length, in the order of the run."""
    if length == 13:
        yield tuple(range(13))
        return
    circle = [*range(13), *range(13)]
    for start in range(13):
        run = tuple(circle[start : start + length])
        wraps = run[-1] < run[0]
        if not wraps or (start >= ACE and not _king_to_three(run)):
            yield run


def _king_to_three(run: tuple[int, ...]) -> bool:
    return any(run[i : i + 4] == (10, 11, 12, 0) for i in range(len(run))) or run[-2:] == (10, 11)


def shapes() -> Iterator[tuple[Combo, tuple[int, ...]]]:
    """Every combination with the ranks of its run."""
    for rank in range(13):
        yield Combo(rank, 1, 4, 0), (rank,)
    for size in (1, 2, 3):
        for length in range(1, 14):
            if (size == 1 and 1 < length < 5) or size * length > 26:
                continue
            for run in runs(length):
                for affiliation in (0, 1, 2) if size == 3 else (0,):
                    if (size + affiliation) * length <= 26:
                        yield Combo(run[-1], length, size, affiliation), run


SHAPES = tuple(shapes())


def plays(hand: Hand) -> Iterator[tuple[Combo, Hand]]:
    """Yield every play of a hand: the combination, and the number of cards of each rank."""
    for combo, run in SHAPES:
        if any(hand[rank] < combo.size for rank in run):
            continue
        laid = [combo.size if rank in run else 0 for rank in range(13)]
        if not combo.affiliation:
            yield combo, tuple(laid)
            continue
        others = [rank for rank in range(13) if rank not in run and hand[rank] >= combo.affiliation]
        for chosen in combinations(others, combo.length):
            yield combo, tuple(laid[rank] + (combo.affiliation if rank in chosen else 0) for rank in range(13))


def beats(combo: Combo, other: Combo) -> bool:
    """Return True if a combination beats another."""
    if other.size == 4:
        return combo.size == 4 and combo.tail > other.tail
    return combo.size == 4 or (combo[1:] == other[1:] and combo.tail > other.tail)


def moves(hand: Hand, to_beat: Combo | None) -> Iterator[tuple[Combo | None, Hand]]:
    """The legal moves; None is a pass."""
    if to_beat is not None:
        yield None, (0,) * 13
    for combo, laid in plays(hand):
        if to_beat is None or beats(combo, to_beat):
            yield combo, laid


@cache
def _leads(hand: Hand) -> tuple[tuple[Combo | None, Hand], ...]:
    return tuple(moves(hand, None))


@cache
def value(hand: Hand, other: Hand, to_beat: Combo | None = None) -> int:
    """Return the value for the seat to move under optimal play, by minimax with a cache."""
    if to_beat is None:
        choices = _leads(hand)
    else:
        choices = ((None, (0,) * 13), *(play for play in _leads(hand) if beats(play[0], to_beat)))  # type: ignore[arg-type]
    best = -99
    for combo, laid in choices:
        left = tuple(have - gone for have, gone in zip(hand, laid, strict=True))
        worth = sum(other) if not any(left) else -value(other, left, combo)
        best = max(best, worth)
    return best


def legal_labels(hands: NDArray[np.uint8], to_beat: list[Combo | None]) -> NDArray[np.bool_]:
    """Return the legal SHAPES [shapes, n] of hands [n, 13]; a lead has None to beat."""
    can = np.stack([_can_play(hands, combo, run) for combo, run in SHAPES])
    rows = {combo: np.array([beats(other, combo) for other, _ in SHAPES]) for combo in set(to_beat) if combo}
    everything = np.ones(len(SHAPES), bool)
    return can & np.stack([rows[combo] if combo else everything for combo in to_beat], axis=1)


def _can_play(hands: NDArray[np.uint8], combo: Combo, run: tuple[int, ...]) -> NDArray[np.bool_]:
    main = np.asarray((hands[:, list(run)] >= combo.size).all(axis=1))
    if not combo.affiliation:
        return main
    others = [rank for rank in range(13) if rank not in run]
    return main & ((hands[:, others] >= combo.affiliation).sum(axis=1) >= combo.length)
