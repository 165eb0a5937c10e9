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

from abl_cards.core import GameError
from abl_cards.games.endgame import RacePosition
from abl_cards.games.types import LEADING
from abl_cards.reasoners.search import kernels as kernels
from abl_cards.reasoners.search.dominated_moves import DOMINANCE_ROWS
from abl_cards.reasoners.search.tables import BEATERS, CARDS, MAX_CARDS, MAX_RANKS, SearchTables, pack_hand, unpack_hand

UNLIMITED_DEPTH = 1000
"""A horizon that no game reaches."""

NODES_PER_CHECK = 4096
"""Between two looks at the clock: one or two milliseconds."""

RaceCallback = Callable[[int], bool]
"""Told the nodes so far now and then; whether to go on."""


class SearchStopped(Exception):
    """The search was told to stop before it had an answer."""


@dataclass(frozen=True)
class RaceMove:
    """A move: a label of the combinations, LEADING for a pass, and the copies of each rank."""

    label: int
    cards: NDArray[np.int64]  # [ranks]


@dataclass(frozen=True)
class RaceSearchResult:
    """What a search came to."""

    value: int  # for the seat to move
    move: RaceMove  # that makes it
    is_exact: bool  # no horizon was met


@dataclass(frozen=True)
class RaceSolution:
    """A position solved."""

    value: int
    best_line: tuple[RaceMove, ...]  # best play of both sides, from the seat to move on
    nodes: int
    seconds: float


@dataclass(frozen=True)
class _RacePosition:
    """A position in the numbers of a root."""

    own: int
    other: int
    to_beat: int  # label of the root, -1 when leading


class RaceSearch:
    """The positions that come of one race; what it learns is kept in a table of bounded size."""

    def __init__(self, tables: SearchTables, race: RacePosition, megabytes: int = 256) -> None:
        """Prepare to search; raises GameError for hands that are no position."""
        cards = sum(race.own_hand), sum(race.other_hand)
        if min(cards) < 1 or max(cards) > MAX_CARDS:
            raise GameError(f"hands of {cards[0]} and {cards[1]} cards: each must have 1 to {MAX_CARDS}")
        self._race, self._ranks = race, len(race.own_hand)
        self._root = tables.build_root(race)
        words, labels = self._root.label_sets.shape[1], len(self._root.labels)
        self._frames = np.zeros((kernels.MAX_PLIES, kernels.FRAME_SIZE), np.int64)
        self._sets = np.zeros((kernels.MAX_PLIES, 3, words), np.uint64)
        self._moves = np.empty((kernels.MAX_MOVES, 3), np.int64)
        self._history = np.zeros((2, labels + 1), np.int64)
        self._state = np.zeros(kernels.STATE_SIZE, np.int64)
        self._state[kernels.MERGE] = self._root.can_merge_ranks
        self._merged = np.zeros(3, np.int64)
        self._dominance = np.zeros((DOMINANCE_ROWS, MAX_RANKS), np.int64)
        self._table = np.zeros((_table_size(sum(cards), megabytes), 2), np.uint64)
        laid = -1 if race.to_beat == LEADING else int(np.flatnonzero(self._root.label_ids == race.to_beat)[0])
        self._start = _RacePosition(pack_hand(np.array(race.own_hand)), pack_hand(np.array(race.other_hand)), laid)

    @property
    def nodes(self) -> int:
        """Moves tried so far."""
        return int(self._state[kernels.NODES])

    def best(
        self, depth: int = UNLIMITED_DEPTH, guess: int = 1, should_continue: RaceCallback | None = None
    ) -> RaceSearchResult:
        """The value and a move that makes it, looking so many moves ahead; raises SearchStopped."""
        return self._best(self._start, depth, guess, should_continue)

    def deepen(self, first: int, should_continue: RaceCallback) -> RaceSearchResult:
        """Look one move ahead, more up to ``first``, then one more each time, until told to stop or all is known."""
        found = self.best(1)
        for depth in chain(range(2, first, 2), count(first)):
            if found.is_exact:
                break
            try:
                found = self.best(depth, found.value, should_continue)
            except SearchStopped:
                break
        return found

    def best_line(self, result: RaceSearchResult, should_continue: RaceCallback | None = None) -> tuple[RaceMove, ...]:
        """Best play of both sides to the end, from an exact answer on; raises SearchStopped."""
        place, value, moves = self._start, result.value, [result.move]
        while True:
            following = self._next_position(place, moves[-1])
            if following.other == 0:
                return tuple(moves)
            place, value = following, -value
            moves.append(self._best(place, UNLIMITED_DEPTH, value, should_continue).move)

    # --- one position ------------------------------------------------------------------------------------------------

    def _best(
        self, place: _RacePosition, depth: int, guess: int, should_continue: RaceCallback | None
    ) -> RaceSearchResult:
        own, other = self._load_position(place)
        lead = self._frames[0, kernels.REPLY] == kernels.LEAD
        if place.to_beat >= 0 and lead:  # nothing can be laid on it
            turned = self._best(_RacePosition(place.other, place.own, -1), depth, -guess, should_continue)
            return RaceSearchResult(-turned.value, self._race_move(0, -1), turned.is_exact)
        if (out := self._finishing_move(place.own, own)) is not None:
            return RaceSearchResult(other, out, True)
        lower, upper, move, exact = -own, other, None, True
        beta = min(max(guess, lower + 1), upper)
        while lower < upper:
            value, found, is_exact = self._prove_bound(place, beta, depth, should_continue)
            exact = exact and is_exact
            if value >= beta:
                lower, move = value, found
            else:
                upper = value
                move = found if move is None else move
            if depth >= UNLIMITED_DEPTH:  # somebody wins: it is never nought
                lower, upper = lower + (lower == 0), upper - (upper == 0)
            beta = lower + 1 if value >= beta else upper
        assert move is not None
        return RaceSearchResult(lower, move, exact)

    def _load_position(self, place: _RacePosition) -> tuple[int, int]:
        """Put a position on the first frame; returns the cards of both hands."""
        frame, sets, root = self._frames[0], self._sets[0], self._root
        for which, hand in ((kernels.OWN_SET, place.own), (kernels.OTHER_SET, place.other)):
            kernels.fill_playable(np.uint64(hand), root.labels, root.label_sets, self._sets, 0, which)
        sets[kernels.LEGAL_SET] = sets[kernels.OWN_SET]
        frame[kernels.REPLY] = kernels.LEAD
        if place.to_beat >= 0:
            sets[kernels.LEGAL_SET] &= root.label_sets[BEATERS + place.to_beat]
            replies = self._labels_in(sets[kernels.LEGAL_SET])
            frame[kernels.REPLY] = replies[0] if len(replies) else kernels.LEAD
        own, other = (int(unpack_hand(hand, self._ranks).sum()) for hand in (place.own, place.other))
        frame[kernels.OWN], frame[kernels.OTHER] = place.own, place.other
        frame[kernels.OWN_CARDS], frame[kernels.OTHER_CARDS] = own, other
        return own, other

    def _labels_in(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))

    def _finishing_move(self, hand: int, cards: int) -> RaceMove | None:
        """The move that lays down all cards, where there is one."""
        for label in self._labels_in(self._sets[0, kernels.LEGAL_SET]):
            if self._root.labels[label, CARDS] == cards:
                return self._race_move(hand, int(label))
        return None

    def _prove_bound(
        self, place: _RacePosition, beta: int, depth: int, should_continue: RaceCallback | None
    ) -> tuple[int, RaceMove, bool]:
        """A bound of the value on the side of beta where it lies, the move that made it, and whether it is exact."""
        root, state = self._root, self._state
        self._load_position(place)
        self._frames[0, kernels.BETA], self._frames[0, kernels.DEPTH] = beta, depth
        rest = self._frames, self._sets, root.labels, root.label_sets, self._history, self._moves
        kernels.start_search(state, *rest, self._merged, self._dominance)
        while not kernels.continue_search(state, *rest, self._table, self._merged, self._dominance, NODES_PER_CHECK):
            if should_continue is not None and not should_continue(self.nodes):
                raise SearchStopped
        laid = self._race_move(int(state[kernels.BEST_CARDS]), int(state[kernels.BEST_LABEL]))
        return int(state[kernels.VALUE]), laid, not self._frames[0, kernels.BEST_HORIZON_REACHED]

    def _race_move(self, cards: int, label: int) -> RaceMove:
        return RaceMove(LEADING if label < 0 else int(self._root.label_ids[label]), unpack_hand(cards, self._ranks))

    def _next_position(self, place: _RacePosition, move: RaceMove) -> _RacePosition:
        """The position after a move."""
        if move.label == LEADING:
            return _RacePosition(place.other, place.own, -1)
        return _RacePosition(
            place.other, place.own - pack_hand(move.cards), int(np.flatnonzero(self._root.label_ids == move.label)[0])
        )


def _table_size(cards: int, megabytes: int) -> int:
    """Places in the table: what so many cards can use, small enough for the cache while they are few."""
    wanted = max(14, cards // 2 + 4 if cards <= 28 else cards - 10)
    bound = max(10, (megabytes << 16).bit_length() - 1)
    return 1 << min(wanted, bound, 24)


def solve_race(
    tables: SearchTables, race: RacePosition, should_continue: RaceCallback | None = None, megabytes: int = 256
) -> RaceSolution:
    """The value of a position and the best line; raises SearchStopped, GameError."""
    begun = perf_counter()
    search = RaceSearch(tables, race, megabytes)
    found = search.best(should_continue=should_continue)
    line = search.best_line(found, should_continue)
    return RaceSolution(found.value, line, search.nodes, perf_counter() - begun)
