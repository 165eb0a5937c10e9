"""Counts plays of games with wild cards or full houses: exact, see front_kernels.py.

It rests on this: nothing carries kickers; up to thirteen ranks, of up to eight cards each, can be laid down in sets of
the same sizes; up to two wild cards stand for any of them, in any play; and besides there may be two kinds of cards
that nothing stands for. Two sets of different sizes may go together as one play, whatever their ranks: the full house.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.front_kernels import (
    COUNTS,
    MEMO_BITS,
    NO_PLAY,
    RANKS,
    SHIFTS,
    WILDS_SHIFT,
    PlayTable,
    count_plays,
    count_plays_after,
    merge,
    pack,
)
from abl_cards.games.counting.shapes import CannotCount, Sets, Shapes
from abl_cards.parallel import each_share

_MOST_WILDS, _MOST_SINGLE = 2, 2
_LARGEST_HAND = 28
_LARGEST_SET = COUNTS - 1 + _MOST_WILDS
_EMPTY = 1 << 62  # a front of (0, 0)


@dataclass(frozen=True)
class Plays:
    """What can go as one play; ranks are places in a key: 0..12, and two more that no wild card stands for."""

    sizes: tuple[int, ...]  # of sets of one of the ranks
    single_sizes: tuple[int, ...]  # of the two others
    runs: tuple[Sets, ...]
    single_runs: tuple[Sets, ...]
    full_house: tuple[int, int] | None  # two sets of different ranks that go together: the sizes


@dataclass(frozen=True)
class FrontCounter:
    """Counts plays on all cores."""

    table: PlayTable

    @classmethod
    def of(cls, shapes: Shapes) -> FrontCounter:
        """The counter of a game; raises CannotCount."""
        if shapes.carrying:
            raise CannotCount("some plays carry kickers")
        if shapes.wilds > _MOST_WILDS or (shapes.wilds and not shapes.own):
            raise CannotCount(f"at most {_MOST_WILDS} wild cards are counted, each of a rank of its own")
        if shapes.largest > _LARGEST_HAND:
            raise CannotCount(f"hands have up to {shapes.largest} cards, {_LARGEST_HAND} are counted")
        place = _places(shapes)
        _check_wilds(shapes, place)
        return cls(_table(_read(shapes, place), _steps(shapes, place)))

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""
        plays, hands, context = np.zeros(len(hands), np.uint8), np.ascontiguousarray(hands), context.astype(np.int16)
        each_share(len(hands), lambda lo, hi: count_plays(self.table, hands, context, lo, hi, plays))
        return plays

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions: hands [n, kinds], start and cards as in MoveLists."""
        plays, table = np.zeros(len(cards), np.uint8), self.table
        each_share(
            len(hands), lambda lo, hi: count_plays_after(table, hands, context, start, cards, lo, hi, plays), least=16
        )
        return plays


def _places(shapes: Shapes) -> NDArray[np.int64]:
    """[ranks] where each rank lies in a key; those that no wild card stands for behind the others."""
    single = [rank for rank in range(len(shapes.cells)) if _stands_alone(shapes, rank)]
    if len(single) > _MOST_SINGLE or (shapes.copies[single] > 2).any():
        raise CannotCount(f"no wild card stands for some cards: at most {_MOST_SINGLE} kinds, of two each, are counted")
    others = [rank for rank in range(len(shapes.cells)) if rank not in single]
    if len(others) > RANKS or (shapes.copies[others] >= COUNTS).any():
        raise CannotCount(f"at most {RANKS} ranks of {COUNTS - 1} cards each are counted")
    place = np.zeros(len(shapes.cells), np.int64)
    place[others], place[single] = np.arange(len(others)), RANKS + np.arange(len(single))
    return place


def _check_wilds(shapes: Shapes, place: NDArray[np.int64]) -> None:
    """Raise CannotCount where a form takes fewer wild cards than it could, or one that is none of its own rank."""
    for form in shapes.plain:
        if any(place[shapes.number[group.cell]] >= RANKS for group in form.groups):
            continue
        many = min(shapes.wilds, form.cards - 1)
        apart = len(form.groups) == 2 and form.groups[0].count != form.groups[1].count  # two sets, made one by one
        fewest = [
            min(shapes.wilds, group.count - (1 if len(form.groups) == 1 or apart else 0)) for group in form.groups
        ]
        takes = [group.count - group.natural >= few for group, few in zip(form.groups, fewest, strict=True)]
        if form.wilds < many or not all(takes):
            raise CannotCount(f"{form.name} takes fewer wild cards than there are")


def _stands_alone(shapes: Shapes, rank: int) -> bool:
    """Where there are wild cards: they never stand for it. Where there are none: it has too few cards for the sets."""
    cell = shapes.cells[rank]
    if shapes.wilds:
        return all(g.natural >= g.count for form in shapes.plain for g in form.groups if g.cell == cell)
    most = int(shapes.copies.max())
    return len(shapes.cells) > RANKS and shapes.copies[rank] <= 2 < most


def _read(shapes: Shapes, place: NDArray[np.int64]) -> Plays:
    """What can go as one play; raises CannotCount."""
    ranks, single = np.flatnonzero(place < RANKS), np.flatnonzero(place >= RANKS)
    sizes, single_sizes = shapes.sizes(ranks), shapes.sizes(single) if len(single) else ()
    if 1 not in sizes or (len(single) and 1 not in single_sizes):
        raise CannotCount("a card by itself is no play")
    houses = _houses(shapes)
    runs = sorted(
        tuple((int(place[rank]), size) for rank, size in sets)
        for sets in shapes.groups
        if len(sets) > 1 and (len(sets) != 2 or tuple(sorted(size for _, size in sets)) != houses)
    )
    if any(len({rank < RANKS for rank, _ in run}) > 1 for run in runs):
        raise CannotCount("a run has cards in it that wild cards may stand for, and others")
    house = None if houses is None else (houses[1], houses[0])
    return Plays(
        sizes, single_sizes, tuple(run for run in runs if run[0][0] < RANKS),
        tuple(run for run in runs if run[0][0] >= RANKS), house,
    )  # fmt: skip


def _houses(shapes: Shapes) -> tuple[int, int] | None:
    """The sizes of two sets that go together whatever their ranks; raises CannotCount where only some do."""
    pairs = [sets for sets in shapes.groups if len(sets) == 2 and sets[0][1] != sets[1][1]]
    kinds = {tuple(sorted(size for _, size in sets)) for sets in pairs}
    if not kinds:
        return None
    (small, large), *more = sorted(kinds)
    every = {
        tuple(sorted(((one, large), (two, small))))
        for one in range(len(shapes.cells))
        for two in range(len(shapes.cells))
        if one != two and _fits(shapes, one, large) and _fits(shapes, two, small)
    }
    if more or not every <= set(pairs):
        raise CannotCount("two sets of different sizes go together in some ranks only")
    return small, large


def _fits(shapes: Shapes, rank: int, size: int) -> bool:
    """Whether there are so many cards of a rank; raises CannotCount where they are no play by themselves."""
    wilds = 0 if _stands_alone(shapes, rank) else shapes.wilds
    fits = bool(shapes.copies[rank] + wilds >= size)
    if fits and ((rank, size),) not in shapes.groups:
        raise CannotCount(f"two sets go together, of which one of {size} cards is no play by itself")
    return fits


def _steps(shapes: Shapes, place: NDArray[np.int64]) -> NDArray[np.int64]:
    """[contexts, kinds] what each card adds to a key."""
    shifts = np.append(SHIFTS[place], WILDS_SHIFT)
    steps: NDArray[np.int64] = np.int64(1) << shifts[shapes.rank]
    return steps


def _halves(ranks: int, runs: tuple[Sets, ...]) -> tuple[list[int], list[int]]:
    """The ranks in two parts, neighbours together, with as few runs across as there can be."""

    def parts(first: int) -> tuple[list[int], list[int]]:
        turned = [(first + step) % ranks for step in range(ranks)]
        return turned[: (ranks + 1) // 2], turned[(ranks + 1) // 2 :]

    def across(first: int) -> int:
        lower, _ = parts(first)
        return sum(len({rank in lower for rank, _ in run}) > 1 for run in runs)

    return parts(min(range(ranks), key=across))


def _table(plays: Plays, steps: NDArray[np.int64]) -> PlayTable:
    """The kernels' table of some plays."""
    ranks = RANKS
    lower, upper = _halves(ranks, plays.runs)
    lots = [
        [run for run in plays.runs if (any(r in lower for r, _ in run), any(r in upper for r, _ in run)) == halves]
        for halves in ((True, True), (True, False), (False, True))
    ]
    run_rank, run_size = _run_arrays([run for lot in lots for run in lot])
    stride, is_upper = np.zeros(RANKS, np.int64), np.zeros(RANKS, np.uint8)
    for half in (lower, upper):
        stride[half] = COUNTS ** np.arange(len(half))
    is_upper[upper] = 1
    return PlayTable(
        ranks=np.array([lower, [*upper, *[-1] * (len(lower) - len(upper))]], np.int8),
        stride=stride,
        upper=is_upper,
        sets=np.array([_groups(plays, size, plays.sizes) for size in range(_LARGEST_SET + 1)], np.int8),
        run_rank=run_rank,
        run_size=run_size,
        runs=np.cumsum([0, *map(len, lots)]).astype(np.int64),
        jokers=np.array([_single_front(plays, code & 3, code >> 2) for code in range(16)], np.int64),
        step=steps,
        lower_fronts=np.zeros((3, COUNTS ** len(lower)), np.int64),
        upper_fronts=np.zeros((3, COUNTS ** len(upper)), np.int64),
        memo=np.zeros(1 << MEMO_BITS, np.int64),
    )


def _run_arrays(runs: list[Sets]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """[runs, groups] their ranks and sizes."""
    room = np.zeros((2, len(runs), max(map(len, runs), default=1)), np.int8)
    for number, run in enumerate(runs):
        room[:, number, : len(run)] = np.array(run).T
    return room[0], room[1]


def _groups(plays: Plays, size: int, sizes: tuple[int, ...]) -> tuple[int, int]:
    """X and y of a set of so many cards: 1 each, but for the two that make a full house."""
    if size not in sizes:
        return NO_PLAY, NO_PLAY
    triple, pair = plays.full_house or (0, 0)
    return int(size != triple), int(size != pair)


def _single_front(plays: Plays, first: int, second: int) -> int:
    """The front of so many of the two kinds that nothing stands for, packed as the kernels read it."""
    if first > 2 or second > 2:
        return _EMPTY
    points = {(0, 0): {(0, 0)}}
    for held in ((a, b) for a in range(first + 1) for b in range(second + 1) if a + b):
        points[held] = {
            (x + more_x, y + more_y)
            for taken, (more_x, more_y) in _single_plays(plays)
            for x, y in points.get((held[0] - taken[0], held[1] - taken[1]), ())
        }
    least = np.full(64, NO_PLAY, np.int64)
    for x, y in points[first, second]:
        merge(least, _EMPTY, x, y)
    return int(pack(least)) if points[first, second] else _EMPTY


def _single_plays(plays: Plays) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """What can be laid down of these two kinds alone: how many of each, and x and y."""
    sets = [(size, _groups(plays, size, plays.single_sizes)) for size in plays.single_sizes]
    alone = [((size, 0), cost) for size, cost in sets] + [((0, size), cost) for size, cost in sets]
    runs = [dict(run) for run in plays.single_runs]
    return alone + [((run.get(RANKS, 0), run.get(RANKS + 1, 0)), (1, 1)) for run in runs]
