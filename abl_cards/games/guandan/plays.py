"""``plays_left``: the least number of plays that empty a hand when nobody answers, so that it leads every time.

The plays are the forms that labels.lp declares, read with the engine's own reader. Suits do not matter: five cards of
consecutive ranks are a straight or a straight flush, whatever their suits. A wild card counts as a card of any rank
2..A: where it would be a play of its own it is a level card.

The number is **exact for every hand** of up to 28 cards under the shipped rule files. A knowledge base whose forms ask
more (fewer wild cards, more natural ones, runs of one suit only) gets a lower bound, because those conditions are left
out of account.

>>> from abl_cards.cards import parse_hand
>>> from abl_cards.games.guandan.rulebook import rules_of
>>> counter = PlayCounter.of(rules_of())
>>> hands = [parse_hand("S3 S4 H5 C6 D7"), parse_hand("S3 C3 H2 S9 D9"), parse_hand("S3 S4 S5 H2 S8 H8 SB")]
>>> counter.plays_left(np.stack(hands), np.array([2, 2, 2], np.int8)).tolist()
[1, 1, 5]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARDS
from abl_cards.cards import SUITS as CARD_SUITS
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.deck import RANK_OF_CARD
from abl_cards.games.guandan.knowledge import RANKS, VALUES
from abl_cards.games.guandan.play_kernels import (
    COUNTS,
    MEMO_BITS,
    NO_PLAY,
    SHIFTS,
    WILDS_SHIFT,
    PlayTable,
    count_plays,
    count_plays_after,
    merge,
    pack,
)
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.shapes import SUITS, Form
from abl_cards.games.rule_files import kb_error
from abl_cards.games.tables import MoveLists
from abl_cards.parallel import each_share

LOWER, UPPER = (14, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13)
"""The halves: no other cut in two is crossed by fewer runs."""
_LARGEST_SET = 10
_EMPTY = 1 << 62  # a front of (0, 0)

Run = tuple[tuple[int, int], ...]
"""Ranks and how many cards of each, together one play."""


@dataclass(frozen=True)
class Plays:
    """What can go as one play, without its suits."""

    sizes: tuple[int, ...]  # of sets of one rank 2..A
    joker_sizes: tuple[int, ...]  # of sets of one joker
    runs: tuple[Run, ...]
    joker_runs: tuple[Run, ...]
    full_house: tuple[int, int] | None  # two sets of different ranks that go together: the sizes


@dataclass(frozen=True)
class PlayCounter:
    """Counts plays under one knowledge base, on all cores; the tables behind it are shared by the process."""

    table: PlayTable

    @classmethod
    def of(cls, rules: Rules) -> PlayCounter:
        """The counter of a knowledge base; raises KBError where not every hand can be emptied."""
        return cls(_table(read_plays(rules.shapes.forms), rules.book.wild_suit))

    def plays_left(self, hands: NDArray[np.uint8], level: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n] the least number of plays of hands [n, 54] at levels [n]."""
        plays = np.zeros(len(hands), np.uint8)
        each_share(len(hands), lambda lo, hi: count_plays(self.table, hands, level, lo, hi, plays))
        return plays

    def plays_left_after(self, decisions: Decisions | Exchanges, moves: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays after each move of the decisions; what was asked before is remembered."""
        asked = decisions.counted if isinstance(decisions, Decisions) else []
        for counter, lists, found in asked:
            if lists is moves and counter is self.table:
                return found
        plays = np.zeros(len(moves.form), np.uint8)
        asked.append((self.table, moves, plays))
        hands, table = decisions.hands, self.table
        each_share(
            len(hands.level),
            lambda lo, hi: count_plays_after(table, *hands, moves.start, moves.cards, lo, hi, plays),
            least=16,
        )
        return plays


def plays_left(rules: Rules, hands: NDArray[np.uint8], level: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[n] the least number of plays of hands [n, 54] at levels as ranks 2..14 [n]; see the module."""
    return PlayCounter.of(rules).plays_left(hands, level)


def read_plays(forms: tuple[Form, ...]) -> Plays:
    """The forms of a knowledge base without their suits; a full house is known by its two sets of any two ranks."""
    groups = {tuple((rank, count) for rank, count, _ in form.groups) for form in forms if form.groups}
    sets = {(rank, count) for ((rank, count), *more) in groups if not more}
    pairs = {group for group in groups if len(group) == 2 and group[0][1] != group[1][1]}
    houses = {(first[1], second[1]) for first, second in pairs if first in sets and second in sets}
    if len(houses) > 1:
        raise kb_error("more than one kind of full house", "plays_left knows one: sets of two sizes that go together")
    if any((rank, 1) not in sets for rank in VALUES):
        raise kb_error("a single card that is no play", "plays_left counts on every hand being emptied in the end")
    full_house = next(iter(houses), None)
    runs = sorted(group for group in groups if len(group) > 1 and (group not in pairs or not houses))
    return Plays(
        sizes=tuple(size for size in range(1, _LARGEST_SET + 1) if all((rank, size) in sets for rank in RANKS)),
        joker_sizes=tuple(size for size in (1, 2) if {(15, size), (16, size)} <= sets),
        runs=tuple(run for run in runs if all(rank in RANKS for rank, _ in run)),
        joker_runs=tuple(run for run in runs if all(rank not in RANKS for rank, _ in run)),
        full_house=full_house,
    )


@cache
def _table(plays: Plays, wild_suit: int) -> PlayTable:
    """The kernels' table of some plays; one a process, so that what one caller finds out serves all."""
    lots = [_runs_in(plays.runs, *halves) for halves in ((True, True), (True, False), (False, True))]
    run_rank, run_size = _run_arrays([run for lot in lots for run in lot])
    stride, upper = np.zeros(17, np.int64), np.zeros(17, np.uint8)
    for half in (LOWER, UPPER):
        stride[list(half)] = COUNTS ** np.arange(len(half))
    upper[list(UPPER)] = 1
    return PlayTable(
        ranks=np.array([LOWER, (*UPPER, 0)], np.int8),
        stride=stride,
        upper=upper,
        sets=np.array([_groups(plays, size, plays.sizes) for size in range(_LARGEST_SET + 1)], np.int8),
        run_rank=run_rank,
        run_size=run_size,
        runs=np.cumsum([0, *map(len, lots)]).astype(np.int64),
        jokers=np.array([_joker_front(plays, code & 3, code >> 2) for code in range(16)], np.int64),
        step=np.stack([_steps(level, wild_suit) for level in range(17)]),
        lower_fronts=np.zeros((3, COUNTS ** len(LOWER)), np.int64),
        upper_fronts=np.zeros((3, COUNTS ** len(UPPER)), np.int64),
        memo=np.zeros(1 << MEMO_BITS, np.int64),
    )


def _runs_in(runs: tuple[Run, ...], lower: bool, upper: bool) -> list[Run]:
    """The runs with ranks in exactly these halves."""
    return [
        run
        for run in runs
        if (any(rank in LOWER for rank, _ in run), any(rank in UPPER for rank, _ in run)) == (lower, upper)
    ]


def _run_arrays(runs: list[Run]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
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


def _joker_front(plays: Plays, small: int, big: int) -> int:
    """The front of so many jokers, packed as the kernels read it."""
    if small > 2 or big > 2:
        return _EMPTY
    points = {(0, 0): {(0, 0)}}
    for held in ((a, b) for a in range(small + 1) for b in range(big + 1) if a + b):
        points[held] = {
            (x + more_x, y + more_y)
            for taken, (more_x, more_y) in _joker_plays(plays)
            for x, y in points.get((held[0] - taken[0], held[1] - taken[1]), ())
        }
    least = np.full(64, NO_PLAY, np.int64)
    for x, y in points[small, big]:
        merge(least, _EMPTY, x, y)
    return int(pack(least))


def _joker_plays(plays: Plays) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """What can be laid down of jokers alone: how many of each, and x and y."""
    sets = [(size, _groups(plays, size, plays.joker_sizes)) for size in plays.joker_sizes]
    alone = [((size, 0), cost) for size, cost in sets] + [((0, size), cost) for size, cost in sets]
    return alone + [((dict(run).get(15, 0), dict(run).get(16, 0)), (1, 1)) for run in plays.joker_runs]


def _steps(level: int, wild_suit: int) -> NDArray[np.int64]:
    """[54] what each card adds to a key at a level."""
    shifts = SHIFTS[RANK_OF_CARD]
    if wild_suit >= 0:
        suit = CARD_SUITS.index(SUITS[wild_suit].upper())
        shifts[(level == RANK_OF_CARD) & (np.arange(CARDS) % 4 == suit)] = WILDS_SHIFT
    steps: NDArray[np.int64] = np.int64(1) << shifts
    return steps
