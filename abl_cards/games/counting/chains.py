"""Counts plays of games without suits and wild cards.

Where there are sets of equal cards and nothing else: as few as there can be, rank by rank; exact.

Where forms go in rows or carry kickers it is ``chain_search.py``: about how many plays, exact but for hands in
which it matters *which* cards go together. It rests on this: up to thirteen ranks of up to four cards, which go in sets
of any size, and two single cards that go together, where there are such; trios carry one kicker each, in rows too, and
a four carries two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.chain_search import RANKS, Carriers, Chain, PlayCounter
from abl_cards.games.counting.shapes import CannotCount, Sets, Shapes
from abl_cards.games.reading.forms import Form

MOST_COPIES = 4
_MOST_CARDS = 26


@dataclass(frozen=True)
class ChainCounter:
    """Counts plays that carry kickers; see plays.py."""

    counter: PlayCounter
    weight: NDArray[np.uint64]  # [kinds + 1] what each card adds to a key; nothing behind the last

    @classmethod
    def of(cls, shapes: Shapes) -> ChainCounter:
        """The counter of a game; raises CannotCount."""
        if shapes.wilds or (shapes.rank != shapes.rank[0]).any():
            raise CannotCount("there are wild cards")
        if shapes.largest > _MOST_CARDS:
            raise CannotCount(f"hands have up to {shapes.largest} cards, {_MOST_CARDS} are counted")
        place = _places(shapes)
        _check_sets(shapes, place)
        chains = frozenset(_chains(shapes, place))
        carriers = Carriers.of(_carrying(shapes))
        shifts = np.append(4 * place[shapes.rank[0]], 63).astype(np.uint64)
        weight = np.where(shifts < 63, np.uint64(1) << shifts, np.uint64(0))
        return cls(PlayCounter.of(chains, carriers, shapes.largest), weight)

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds]."""
        return self.counter.plays_left(self._keys(hands))

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        laid = self.weight[np.minimum(cards, len(self.weight) - 1)].sum(axis=1, dtype=np.uint64)
        return self.counter.plays_left_after(self._keys(hands), start, laid)

    def _keys(self, hands: NDArray[np.uint8]) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = hands.astype(np.uint64) @ self.weight[:-1]
        return keys


def _places(shapes: Shapes) -> NDArray[np.int64]:
    """[ranks] their place in a key: two single cards that go together behind the others."""
    rocket = [sets for sets in shapes.groups if len(sets) == 2 and all(shapes.copies[rank] == 1 for rank, _ in sets)]
    if len(rocket) > 1:
        raise CannotCount("more than two single cards go together")
    apart = [rank for rank, _ in rocket[0]] if rocket else []
    others = [rank for rank in range(len(shapes.cells)) if rank not in apart]
    if len(others) > RANKS or (shapes.copies > MOST_COPIES).any():
        raise CannotCount(f"at most {RANKS} ranks of {MOST_COPIES} cards each are counted")
    place = np.zeros(len(shapes.cells), np.int64)
    place[others], place[apart] = np.arange(len(others)), RANKS + np.arange(len(apart))
    return place


def _check_sets(shapes: Shapes, place: NDArray[np.int64]) -> None:
    for rank in range(len(shapes.cells)):
        for size in range(1, int(shapes.copies[rank]) + 1):
            if ((rank, size),) not in shapes.groups:
                raise CannotCount(f"some ranks are not played in sets of {size}")


def _chains(shapes: Shapes, place: NDArray[np.int64]) -> Iterable[Chain]:
    for sets in shapes.groups:
        if len(sets) > 1 and place[sets[0][0]] < RANKS:
            sizes = {size for _, size in sets}
            if len(sizes) > 1:
                raise CannotCount("sets of different sizes go together")
            key = sum(size << 4 * int(place[rank]) for rank, size in sets)
            yield Chain(key, len(sets) if sizes == {3} else 0)


def _carrying(shapes: Shapes) -> Iterable[tuple[int, int, int]]:
    for form in shapes.carrying:
        yield _carrier(shapes, form)


def _carrier(shapes: Shapes, form: Form) -> tuple[int, int, int]:
    """Cards of each group, groups in a row, cards of each kicker; raises CannotCount for any other form."""
    sets, kickers = shapes.sets(form), form.kickers
    assert kickers
    (size, *others), length = sorted({size for _, size in sets}), len(sets)
    one_each = size == 3 and kickers.groups == length
    two = size == 4 and kickers.groups == 2 * length
    if others or not (one_each or two) or kickers.size not in (1, 2):
        raise CannotCount(f"{form.name} carries {kickers.groups} kickers of {kickers.size}")
    return size, length, kickers.size


@dataclass(frozen=True)
class SetCounter:
    """Counts sets: nothing goes in rows, nothing is carried."""

    rank: NDArray[np.int64]  # [contexts, kinds]
    least: NDArray[np.uint8]  # [ranks, copies + 1] the fewest sets of so many cards

    @classmethod
    def of(cls, shapes: Shapes) -> SetCounter:
        """The counter of a game; raises CannotCount."""
        if shapes.wilds or shapes.carrying or any(len(sets) > 1 for sets in shapes.groups):
            raise CannotCount("there are more than sets of equal cards")
        least = [_least(shapes.groups, rank, int(shapes.copies.max())) for rank in range(len(shapes.cells))]
        return cls(shapes.rank, np.stack(least))

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds]."""
        counts = self._counts(hands, context)
        return self.least[np.arange(len(self.least)), counts].sum(axis=1, dtype=np.uint8)

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        decision = np.repeat(np.arange(len(hands)), np.diff(start))
        left = self._counts(hands, context)[decision]
        kinds = self.rank.shape[1]
        for column in cards.T:
            there = np.flatnonzero(column < kinds)
            left[there, self.rank[context[decision[there]], column[there]]] -= 1
        return self.least[np.arange(len(self.least)), left].sum(axis=1, dtype=np.uint8)

    def _counts(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.int64]:
        counts = np.zeros((len(hands), len(self.least)), np.int64)
        for kind in range(hands.shape[1]):
            counts[np.arange(len(hands)), self.rank[context, kind]] += hands[:, kind]
        return counts


def _least(groups: frozenset[Sets], rank: int, copies: int) -> NDArray[np.uint8]:
    """[copies + 1] the fewest sets of a rank that make so many cards; raises CannotCount where none do."""
    sizes = [size for (each, size), *_ in groups if each == rank]
    least = [0]
    for count in range(1, copies + 1):
        ways = [least[count - size] for size in sizes if size <= count]
        if not ways:
            raise CannotCount("a card by itself is no play")
        least.append(1 + min(ways))
    return np.array(least, np.uint8)
