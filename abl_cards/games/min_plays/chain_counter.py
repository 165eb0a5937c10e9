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

from abl_cards.games.description import Form
from abl_cards.games.min_plays.chain_search import RANKS, Carriers, Chain, ChainSearchCounter
from abl_cards.games.min_plays.form_shapes import FormShapes, RankSets, UncountableError

MAX_RANK_COPIES = 4
_MAX_CARDS = 26


@dataclass(frozen=True)
class ChainCounter:
    """Counts plays that carry kickers; see counters.py."""

    counter: ChainSearchCounter
    key_weight: NDArray[np.uint64]  # [kinds + 1] what each card adds to a key; nothing behind the last

    @classmethod
    def from_shapes(cls, shapes: FormShapes) -> ChainCounter:
        """The counter of a game; raises UncountableError."""
        if shapes.num_wilds or (shapes.kind_rank != shapes.kind_rank[0]).any():
            raise UncountableError("there are wild cards")
        if shapes.max_hand_size > _MAX_CARDS:
            raise UncountableError(f"hands have up to {shapes.max_hand_size} cards, {_MAX_CARDS} are counted")
        place = _key_places(shapes)
        _check_sets(shapes, place)
        chains = frozenset(_read_chains(shapes, place))
        carriers = Carriers.from_groups(_read_carriers(shapes))
        shifts = np.append(4 * place[shapes.kind_rank[0]], 63).astype(np.uint64)
        weight = np.where(shifts < 63, np.uint64(1) << shifts, np.uint64(0))
        return cls(ChainSearchCounter.from_chains(chains, carriers, shapes.max_hand_size), weight)

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds]."""
        return self.counter.min_plays(self._keys(hands))

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        laid = self.key_weight[np.minimum(cards, len(self.key_weight) - 1)].sum(axis=1, dtype=np.uint64)
        return self.counter.min_plays_after(self._keys(hands), start, laid)

    def _keys(self, hands: NDArray[np.uint8]) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = hands.astype(np.uint64) @ self.key_weight[:-1]
        return keys


def _key_places(shapes: FormShapes) -> NDArray[np.int64]:
    """[ranks] their place in a key: two single cards that go together behind the others."""
    rocket = [
        sets for sets in shapes.plain_sets if len(sets) == 2 and all(shapes.copies[rank] == 1 for rank, _ in sets)
    ]
    if len(rocket) > 1:
        raise UncountableError("more than two single cards go together")
    apart = [rank for rank, _ in rocket[0]] if rocket else []
    others = [rank for rank in range(len(shapes.cells)) if rank not in apart]
    if len(others) > RANKS or (shapes.copies > MAX_RANK_COPIES).any():
        raise UncountableError(f"at most {RANKS} ranks of {MAX_RANK_COPIES} cards each are counted")
    place = np.zeros(len(shapes.cells), np.int64)
    place[others], place[apart] = np.arange(len(others)), RANKS + np.arange(len(apart))
    return place


def _check_sets(shapes: FormShapes, place: NDArray[np.int64]) -> None:
    for rank in range(len(shapes.cells)):
        for size in range(1, int(shapes.copies[rank]) + 1):
            if ((rank, size),) not in shapes.plain_sets:
                raise UncountableError(f"some ranks are not played in sets of {size}")


def _read_chains(shapes: FormShapes, place: NDArray[np.int64]) -> Iterable[Chain]:
    for sets in shapes.plain_sets:
        if len(sets) > 1 and place[sets[0][0]] < RANKS:
            sizes = {size for _, size in sets}
            if len(sizes) > 1:
                raise UncountableError("sets of different sizes go together")
            key = sum(size << 4 * int(place[rank]) for rank, size in sets)
            yield Chain(key, len(sets) if sizes == {3} else 0)


def _read_carriers(shapes: FormShapes) -> Iterable[tuple[int, int, int]]:
    for form in shapes.kicker_forms:
        yield _read_carrier(shapes, form)


def _read_carrier(shapes: FormShapes, form: Form) -> tuple[int, int, int]:
    """Cards of each group, groups in a row, cards of each kicker; raises UncountableError for any other form."""
    sets, kickers = shapes.sets_of(form), form.kickers
    assert kickers
    (size, *others), length = sorted({size for _, size in sets}), len(sets)
    one_each = size == 3 and kickers.num_groups == length
    two = size == 4 and kickers.num_groups == 2 * length
    if others or not (one_each or two) or kickers.group_size not in (1, 2):
        raise UncountableError(f"{form.name} carries {kickers.num_groups} kickers of {kickers.group_size}")
    return size, length, kickers.group_size


@dataclass(frozen=True)
class SetCounter:
    """Counts sets: nothing goes in rows, nothing is carried."""

    rank: NDArray[np.int64]  # [contexts, kinds]
    min_sets: NDArray[np.uint8]  # [ranks, copies + 1] the fewest sets of so many cards

    @classmethod
    def from_shapes(cls, shapes: FormShapes) -> SetCounter:
        """The counter of a game; raises UncountableError."""
        if shapes.num_wilds or shapes.kicker_forms or any(len(sets) > 1 for sets in shapes.plain_sets):
            raise UncountableError("there are more than sets of equal cards")
        least = [_min_sets(shapes.plain_sets, rank, int(shapes.copies.max())) for rank in range(len(shapes.cells))]
        return cls(shapes.kind_rank, np.stack(least))

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds]."""
        counts = self._counts(hands, context)
        return self.min_sets[np.arange(len(self.min_sets)), counts].sum(axis=1, dtype=np.uint8)

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        decision = np.repeat(np.arange(len(hands)), np.diff(start))
        left = self._counts(hands, context)[decision]
        kinds = self.rank.shape[1]
        for column in cards.T:
            there = np.flatnonzero(column < kinds)
            left[there, self.rank[context[decision[there]], column[there]]] -= 1
        return self.min_sets[np.arange(len(self.min_sets)), left].sum(axis=1, dtype=np.uint8)

    def _counts(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.int64]:
        counts = np.zeros((len(hands), len(self.min_sets)), np.int64)
        for kind in range(hands.shape[1]):
            counts[np.arange(len(hands)), self.rank[context, kind]] += hands[:, kind]
        return counts


def _min_sets(groups: frozenset[RankSets], rank: int, copies: int) -> NDArray[np.uint8]:
    """[copies + 1] the fewest sets of a rank that make so many cards; raises UncountableError where none do."""
    sizes = [size for (each, size), *_ in groups if each == rank]
    least = [0]
    for count in range(1, copies + 1):
        ways = [least[count - size] for size in sizes if size <= count]
        if not ways:
            raise UncountableError("a card by itself is no play")
        least.append(1 + min(ways))
    return np.array(least, np.uint8)
