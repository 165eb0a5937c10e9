"""The exact value of two open hands that race to be empty, the best line of play, and a search as deep as time allows.

A search proves bounds with null windows until they meet. The table keeps bounds, not values, so what a cut-off search
leaves behind is never taken for more than it is. Searches with a horizon share the table: what no horizon has touched
holds at every depth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, count
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.race import Race
from abl_cards.games.tables import LEADING
from reasoners import search_kernels as kernels
from reasoners.search_tables import BEATERS, CARDS, MOST_CARDS, MOST_RANKS, SearchTables, pack, unpack
from reasoners.search_twins import TWIN_ROWS

EXACT = 1000
"""A horizon that no game reaches."""

NODES_AT_ONCE = 4096
"""Between two looks at the clock: one or two milliseconds."""

Watch = Callable[[int], bool]
"""Told the nodes so far now and then; whether to go on."""


class Stopped(Exception):
    """The search was told to stop before it had an answer."""


@dataclass(frozen=True)
class Laid:
    """A move: a label of the combinations, LEADING for a pass, and the copies of each rank."""

    label: int
    cards: NDArray[np.int64]  # [ranks]


@dataclass(frozen=True)
class Found:
    """What a search came to."""

    value: int  # for the seat to move
    move: Laid  # that makes it
    exact: bool  # no horizon was met


@dataclass(frozen=True)
class Solution:
    """A position solved."""

    value: int
    line: tuple[Laid, ...]  # best play of both sides, from the seat to move on
    nodes: int
    seconds: float


@dataclass(frozen=True)
class _Place:
    """A position in the numbers of a root."""

    own: int
    other: int
    laid: int  # label of the root, -1 when leading


class Search:
    """The positions that come of one race; what it learns is kept in a table of bounded size."""

    def __init__(self, tables: SearchTables, race: Race, megabytes: int = 256) -> None:
        """Prepare to search; raises GameError for hands that are no position."""
        cards = sum(race.own), sum(race.other)
        if min(cards) < 1 or max(cards) > MOST_CARDS:
            raise GameError(f"hands of {cards[0]} and {cards[1]} cards: each must have 1 to {MOST_CARDS}")
        self._race, self._ranks = race, len(race.own)
        self._root = tables.root(race)
        words, labels = self._root.words.shape[1], len(self._root.labels)
        self._frames = np.zeros((kernels.MOST_PLIES, kernels.FRAME), np.int64)
        self._sets = np.zeros((kernels.MOST_PLIES, 3, words), np.uint64)
        self._moves = np.empty((kernels.MOST_MOVES, 3), np.int64)
        self._history = np.zeros((2, labels + 1), np.int64)
        self._state = np.zeros(kernels.STATE, np.int64)
        self._state[kernels.MERGE] = self._root.merge
        self._merged = np.zeros(3, np.int64)
        self._twins = np.zeros((TWIN_ROWS, MOST_RANKS), np.int64)
        self._table = np.zeros((_entries(sum(cards), megabytes), 2), np.uint64)
        laid = -1 if race.to_beat == LEADING else int(np.flatnonzero(self._root.chosen == race.to_beat)[0])
        self._start = _Place(pack(np.array(race.own)), pack(np.array(race.other)), laid)

    @property
    def nodes(self) -> int:
        """Moves tried so far."""
        return int(self._state[kernels.NODES])

    def best(self, depth: int = EXACT, guess: int = 1, watch: Watch | None = None) -> Found:
        """The value and a move that makes it, looking so many moves ahead; raises Stopped."""
        return self._best(self._start, depth, guess, watch)

    def deepen(self, first: int, watch: Watch) -> Found:
        """Look one move ahead, more up to ``first``, then one more each time, until told to stop or all is known."""
        found = self.best(1)
        for depth in chain(range(2, first, 2), count(first)):
            if found.exact:
                break
            try:
                found = self.best(depth, found.value, watch)
            except Stopped:
                break
        return found

    def line(self, found: Found, watch: Watch | None = None) -> tuple[Laid, ...]:
        """Best play of both sides to the end, from an exact answer on; raises Stopped."""
        place, value, moves = self._start, found.value, [found.move]
        while True:
            following = self._after(place, moves[-1])
            if following.other == 0:
                return tuple(moves)
            place, value = following, -value
            moves.append(self._best(place, EXACT, value, watch).move)

    # --- one position ------------------------------------------------------------------------------------------------

    def _best(self, place: _Place, depth: int, guess: int, watch: Watch | None) -> Found:
        own, other = self._enter(place)
        lead = self._frames[0, kernels.REPLY] == kernels.LEAD
        if place.laid >= 0 and lead:  # nothing can be laid on it
            turned = self._best(_Place(place.other, place.own, -1), depth, -guess, watch)
            return Found(-turned.value, self._laid(0, -1), turned.exact)
        if (out := self._way_out(place.own, own)) is not None:
            return Found(other, out, True)
        lower, upper, move, exact = -own, other, None, True
        beta = min(max(guess, lower + 1), upper)
        while lower < upper:
            value, found, is_exact = self._reach(place, beta, depth, watch)
            exact = exact and is_exact
            if value >= beta:
                lower, move = value, found
            else:
                upper = value
                move = found if move is None else move
            if depth >= EXACT:  # somebody wins: it is never nought
                lower, upper = lower + (lower == 0), upper - (upper == 0)
            beta = lower + 1 if value >= beta else upper
        assert move is not None
        return Found(lower, move, exact)

    def _enter(self, place: _Place) -> tuple[int, int]:
        """Put a position on the first frame; returns the cards of both hands."""
        frame, sets, root = self._frames[0], self._sets[0], self._root
        for which, hand in ((kernels.MINE, place.own), (kernels.THEIRS, place.other)):
            kernels.fill_set(np.uint64(hand), root.labels, root.words, self._sets, 0, which)
        sets[kernels.NOW] = sets[kernels.MINE]
        frame[kernels.REPLY] = kernels.LEAD
        if place.laid >= 0:
            sets[kernels.NOW] &= root.words[BEATERS + place.laid]
            replies = self._labels_in(sets[kernels.NOW])
            frame[kernels.REPLY] = replies[0] if len(replies) else kernels.LEAD
        own, other = (int(unpack(hand, self._ranks).sum()) for hand in (place.own, place.other))
        frame[kernels.OWN], frame[kernels.OTHER] = place.own, place.other
        frame[kernels.OWN_CARDS], frame[kernels.OTHER_CARDS] = own, other
        return own, other

    def _labels_in(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))

    def _way_out(self, hand: int, cards: int) -> Laid | None:
        """The move that lays down all cards, where there is one."""
        for label in self._labels_in(self._sets[0, kernels.NOW]):
            if self._root.labels[label, CARDS] == cards:
                return self._laid(hand, int(label))
        return None

    def _reach(self, place: _Place, beta: int, depth: int, watch: Watch | None) -> tuple[int, Laid, bool]:
        """A bound of the value on the side of beta where it lies, the move that made it, and whether it is exact."""
        root, state = self._root, self._state
        self._enter(place)
        self._frames[0, kernels.BETA], self._frames[0, kernels.DEPTH] = beta, depth
        rest = self._frames, self._sets, root.labels, root.words, self._history, self._moves
        kernels.begin(state, *rest, self._merged, self._twins)
        while not kernels.go_on(state, *rest, self._table, self._merged, self._twins, NODES_AT_ONCE):
            if watch is not None and not watch(self.nodes):
                raise Stopped
        laid = self._laid(int(state[kernels.CARDS_BEST]), int(state[kernels.LABEL_BEST]))
        return int(state[kernels.VALUE]), laid, not self._frames[0, kernels.BEST_OPEN]

    def _laid(self, cards: int, label: int) -> Laid:
        return Laid(LEADING if label < 0 else int(self._root.chosen[label]), unpack(cards, self._ranks))

    def _after(self, place: _Place, move: Laid) -> _Place:
        """The position after a move."""
        if move.label == LEADING:
            return _Place(place.other, place.own, -1)
        return _Place(
            place.other, place.own - pack(move.cards), int(np.flatnonzero(self._root.chosen == move.label)[0])
        )


def _entries(cards: int, megabytes: int) -> int:
    """Places in the table: what so many cards can use, small enough for the cache while they are few."""
    wanted = max(14, cards // 2 + 4 if cards <= 28 else cards - 10)
    bound = max(10, (megabytes << 16).bit_length() - 1)
    return 1 << min(wanted, bound, 24)


def solve(tables: SearchTables, race: Race, watch: Watch | None = None, megabytes: int = 256) -> Solution:
    """The value of a position and the best line; raises Stopped, GameError."""
    begun = perf_counter()
    search = Search(tables, race, megabytes)
    found = search.best(watch=watch)
    line = search.line(found, watch)
    return Solution(found.value, line, search.nodes, perf_counter() - begun)
