"""Counts plays of games with wild cards or full houses: exact, see pareto_kernels.py.

It rests on this: nothing carries kickers; up to thirteen ranks, of up to eight cards each, can be laid down in sets of
the same sizes; up to two wild cards stand for any of them, in any play; and besides there may be two kinds of cards
that nothing stands for. Two sets of different sizes may go together as one play, whatever their ranks: the full house.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import map_ranges
from abl_cards.games.min_plays.form_shapes import FormShapes, RankSets, UncountableError
from abl_cards.games.min_plays.pareto_kernels import (
    COUNTS,
    MEMO_BITS,
    NO_PLAY_COST,
    RANKS,
    SHIFTS,
    WILDS_SHIFT,
    ParetoPlayTable,
    fill_min_plays,
    fill_min_plays_after,
    merge_front,
    pack_front,
)

_MAX_WILDS, _MAX_JOKER_KINDS = 2, 2
_MAX_HAND_SIZE = 28
_MAX_SET_SIZE = COUNTS - 1 + _MAX_WILDS
_EMPTY_FRONT = 1 << 62  # a front of (0, 0)


@dataclass(frozen=True)
class PlayShapes:
    """What can go as one play; ranks are places in a key: 0..12, and two more that no wild card stands for."""

    sizes: tuple[int, ...]  # of sets of one of the ranks
    single_sizes: tuple[int, ...]  # of the two others
    runs: tuple[RankSets, ...]
    single_runs: tuple[RankSets, ...]
    full_house: tuple[int, int] | None  # two sets of different ranks that go together: the sizes


@dataclass(frozen=True)
class ParetoCounter:
    """Counts plays on all cores."""

    table: ParetoPlayTable

    @classmethod
    def from_shapes(cls, shapes: FormShapes) -> ParetoCounter:
        """The counter of a game; raises UncountableError."""
        if shapes.kicker_forms:
            raise UncountableError("some plays carry kickers")
        if shapes.num_wilds > _MAX_WILDS or (shapes.num_wilds and not shapes.wilds_have_rank):
            raise UncountableError(f"at most {_MAX_WILDS} wild cards are counted, each of a rank of its own")
        if shapes.max_hand_size > _MAX_HAND_SIZE:
            raise UncountableError(f"hands have up to {shapes.max_hand_size} cards, {_MAX_HAND_SIZE} are counted")
        place = _key_places(shapes)
        _check_wilds(shapes, place)
        return cls(_build_table(_read_play_shapes(shapes, place), _key_steps(shapes, place)))

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""
        plays, hands, context = np.zeros(len(hands), np.uint8), np.ascontiguousarray(hands), context.astype(np.int16)
        map_ranges(len(hands), lambda lo, hi: fill_min_plays(self.table, hands, context, lo, hi, plays))
        return plays

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions: hands [n, kinds], start and cards as in MoveLists."""
        plays, table = np.zeros(len(cards), np.uint8), self.table
        map_ranges(
            len(hands),
            lambda lo, hi: fill_min_plays_after(table, hands, context, start, cards, lo, hi, plays),
            min_size=16,
        )
        return plays


def _key_places(shapes: FormShapes) -> NDArray[np.int64]:
    """[ranks] where each rank lies in a key; those that no wild card stands for behind the others."""
    single = [rank for rank in range(len(shapes.cells)) if _is_without_wilds(shapes, rank)]
    if len(single) > _MAX_JOKER_KINDS or (shapes.copies[single] > 2).any():
        raise UncountableError(
            f"no wild card stands for some cards: at most {_MAX_JOKER_KINDS} kinds, of two each, are counted"
        )
    others = [rank for rank in range(len(shapes.cells)) if rank not in single]
    if len(others) > RANKS or (shapes.copies[others] >= COUNTS).any():
        raise UncountableError(f"at most {RANKS} ranks of {COUNTS - 1} cards each are counted")
    place = np.zeros(len(shapes.cells), np.int64)
    place[others], place[single] = np.arange(len(others)), RANKS + np.arange(len(single))
    return place


def _check_wilds(shapes: FormShapes, place: NDArray[np.int64]) -> None:
    """Raise UncountableError where a form takes fewer wild cards than it could, or one that is none of its own rank."""
    for form in shapes.plain_forms:
        if any(place[shapes.rank_of_cell[group.cell]] >= RANKS for group in form.groups):
            continue
        many = min(shapes.num_wilds, form.num_cards - 1)
        apart = len(form.groups) == 2 and form.groups[0].count != form.groups[1].count  # two sets, made one by one
        fewest = [
            min(shapes.num_wilds, group.count - (1 if len(form.groups) == 1 or apart else 0)) for group in form.groups
        ]
        takes = [group.count - group.min_natural >= few for group, few in zip(form.groups, fewest, strict=True)]
        if form.max_wilds < many or not all(takes):
            raise UncountableError(f"{form.name} takes fewer wild cards than there are")


def _is_without_wilds(shapes: FormShapes, rank: int) -> bool:
    """Where there are wild cards: they never stand for it. Where there are none: it has too few cards for the sets."""
    cell = shapes.cells[rank]
    if shapes.num_wilds:
        return all(g.min_natural >= g.count for form in shapes.plain_forms for g in form.groups if g.cell == cell)
    most = int(shapes.copies.max())
    return len(shapes.cells) > RANKS and shapes.copies[rank] <= 2 < most


def _read_play_shapes(shapes: FormShapes, place: NDArray[np.int64]) -> PlayShapes:
    """What can go as one play; raises UncountableError."""
    ranks, single = np.flatnonzero(place < RANKS), np.flatnonzero(place >= RANKS)
    sizes, single_sizes = shapes.set_sizes(ranks), shapes.set_sizes(single) if len(single) else ()
    if 1 not in sizes or (len(single) and 1 not in single_sizes):
        raise UncountableError("a card by itself is no play")
    houses = _full_house_sizes(shapes)
    runs = sorted(
        tuple((int(place[rank]), size) for rank, size in sets)
        for sets in shapes.plain_sets
        if len(sets) > 1 and (len(sets) != 2 or tuple(sorted(size for _, size in sets)) != houses)
    )
    if any(len({rank < RANKS for rank, _ in run}) > 1 for run in runs):
        raise UncountableError("a run has cards in it that wild cards may stand for, and others")
    house = None if houses is None else (houses[1], houses[0])
    return PlayShapes(
        sizes, single_sizes, tuple(run for run in runs if run[0][0] < RANKS),
        tuple(run for run in runs if run[0][0] >= RANKS), house,
    )  # fmt: skip


def _full_house_sizes(shapes: FormShapes) -> tuple[int, int] | None:
    """The sizes of two sets that go together whatever their ranks; raises UncountableError where only some do."""
    pairs = [sets for sets in shapes.plain_sets if len(sets) == 2 and sets[0][1] != sets[1][1]]
    kinds = {tuple(sorted(size for _, size in sets)) for sets in pairs}
    if not kinds:
        return None
    (small, large), *more = sorted(kinds)
    every = {
        tuple(sorted(((one, large), (two, small))))
        for one in range(len(shapes.cells))
        for two in range(len(shapes.cells))
        if one != two and _has_enough_cards(shapes, one, large) and _has_enough_cards(shapes, two, small)
    }
    if more or not every <= set(pairs):
        raise UncountableError("two sets of different sizes go together in some ranks only")
    return small, large


def _has_enough_cards(shapes: FormShapes, rank: int, size: int) -> bool:
    """Whether there are so many cards of a rank; raises UncountableError where they are no play by themselves."""
    wilds = 0 if _is_without_wilds(shapes, rank) else shapes.num_wilds
    fits = bool(shapes.copies[rank] + wilds >= size)
    if fits and ((rank, size),) not in shapes.plain_sets:
        raise UncountableError(f"two sets go together, of which one of {size} cards is no play by itself")
    return fits


def _key_steps(shapes: FormShapes, place: NDArray[np.int64]) -> NDArray[np.int64]:
    """[contexts, kinds] what each card adds to a key."""
    shifts = np.append(SHIFTS[place], WILDS_SHIFT)
    steps: NDArray[np.int64] = np.int64(1) << shifts[shapes.kind_rank]
    return steps


def _halves(ranks: int, runs: tuple[RankSets, ...]) -> tuple[list[int], list[int]]:
    """The ranks in two parts, neighbours together, with as few runs across as there can be."""

    def parts(first: int) -> tuple[list[int], list[int]]:
        turned = [(first + step) % ranks for step in range(ranks)]
        return turned[: (ranks + 1) // 2], turned[(ranks + 1) // 2 :]

    def across(first: int) -> int:
        lower, _ = parts(first)
        return sum(len({rank in lower for rank, _ in run}) > 1 for run in runs)

    return parts(min(range(ranks), key=across))


def _build_table(plays: PlayShapes, steps: NDArray[np.int64]) -> ParetoPlayTable:
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
    return ParetoPlayTable(
        half_ranks=np.array([lower, [*upper, *[-1] * (len(lower) - len(upper))]], np.int8),
        stride=stride,
        is_upper_rank=is_upper,
        set_costs=np.array([_set_cost(plays, size, plays.sizes) for size in range(_MAX_SET_SIZE + 1)], np.int8),
        run_rank=run_rank,
        run_size=run_size,
        run_bounds=np.cumsum([0, *map(len, lots)]).astype(np.int64),
        joker_fronts=np.array([_joker_front(plays, code & 3, code >> 2) for code in range(16)], np.int64),
        key_step=steps,
        lower_fronts=np.zeros((3, COUNTS ** len(lower)), np.int64),
        upper_fronts=np.zeros((3, COUNTS ** len(upper)), np.int64),
        memo=np.zeros(1 << MEMO_BITS, np.int64),
    )


def _run_arrays(runs: list[RankSets]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """[runs, groups] their ranks and sizes."""
    room = np.zeros((2, len(runs), max(map(len, runs), default=1)), np.int8)
    for number, run in enumerate(runs):
        room[:, number, : len(run)] = np.array(run).T
    return room[0], room[1]


def _set_cost(plays: PlayShapes, size: int, sizes: tuple[int, ...]) -> tuple[int, int]:
    """X and y of a set of so many cards: 1 each, but for the two that make a full house."""
    if size not in sizes:
        return NO_PLAY_COST, NO_PLAY_COST
    triple, pair = plays.full_house or (0, 0)
    return int(size != triple), int(size != pair)


def _joker_front(plays: PlayShapes, first: int, second: int) -> int:
    """The front of so many of the two kinds that nothing stands for, packed as the kernels read it."""
    if first > 2 or second > 2:
        return _EMPTY_FRONT
    points = {(0, 0): {(0, 0)}}
    for held in ((a, b) for a in range(first + 1) for b in range(second + 1) if a + b):
        points[held] = {
            (x + more_x, y + more_y)
            for taken, (more_x, more_y) in _joker_plays(plays)
            for x, y in points.get((held[0] - taken[0], held[1] - taken[1]), ())
        }
    least = np.full(64, NO_PLAY_COST, np.int64)
    for x, y in points[first, second]:
        merge_front(least, _EMPTY_FRONT, x, y)
    return int(pack_front(least)) if points[first, second] else _EMPTY_FRONT


def _joker_plays(plays: PlayShapes) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """What can be laid down of these two kinds alone: how many of each, and x and y."""
    sets = [(size, _set_cost(plays, size, plays.single_sizes)) for size in plays.single_sizes]
    alone = [((size, 0), cost) for size, cost in sets] + [((0, size), cost) for size, cost in sets]
    runs = [dict(run) for run in plays.single_runs]
    return alone + [((run.get(RANKS, 0), run.get(RANKS + 1, 0)), (1, 1)) for run in runs]
