"""Solve races of two open hands exactly, with a line of best play, or search them to a limited depth.

Null-window searches prove bounds until they meet. The table holds bounds, so that an interrupted search leaves valid
entries. Searches of limited depth share the table: bounds that no depth limit affected are valid for all depths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, count
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.endgame import RacePosition
from abl_cards.games.types import LEADING
from abl_cards.reasoners.search import kernels as kernels
from abl_cards.reasoners.search.dominated_moves import DOMINANCE_ROWS
from abl_cards.reasoners.search.tables import BEATERS, CARDS, MAX_CARDS, MAX_RANKS, SearchTables, pack_hand, unpack_hand

UNLIMITED_DEPTH = 1000
"""Depth that no game reaches."""

NODES_PER_CHECK = 4096
"""Nodes between two calls of the callback, which take one or two milliseconds."""

RaceCallback = Callable[[int], bool]
"""Called with the number of nodes so far; returns whether to go on."""


class SearchStopped(Exception):
    """Error for a search that its callback stopped before it found the value."""


@dataclass(frozen=True)
class RaceMove:
    """Move of a race.

    Attributes:
        label: Label of the combinations; LEADING for a pass.
        cards: int64[ranks] Copies of each rank.
    """

    label: int
    cards: NDArray[np.int64]


@dataclass(frozen=True)
class RaceSearchResult:
    """Result of a search.

    Attributes:
        value: Value for the seat to move.
        move: Move with this value.
        is_exact: Whether the depth limit did not affect the value.
    """

    value: int
    move: RaceMove
    is_exact: bool


@dataclass(frozen=True)
class RaceSolution:
    """Solution of a race.

    Attributes:
        value: Value for the seat to move.
        best_line: Best play of both sides, to the end.
        nodes: Nodes searched.
        seconds: Wall time, in seconds.
    """

    value: int
    best_line: tuple[RaceMove, ...]
    nodes: int
    seconds: float


@dataclass(frozen=True)
class _RacePosition:
    """Position in the encoding of a root."""

    own: int
    other: int
    to_beat: int  # label of the root, -1 when leading


class RaceSearch:
    """Searches one race and its successors, with a transposition table of bounded size."""

    def __init__(self, tables: SearchTables, race: RacePosition, megabytes: int = 256) -> None:
        """Prepare to search.

        Args:
            tables: Tables of the game.
            race: Position with two open hands.
            megabytes: Largest size of the transposition table, in MiB.

        Raises:
            GameError: A hand is empty or too large.
        """
        cards = sum(race.own_hand), sum(race.other_hand)
        if min(cards) < 1 or max(cards) > MAX_CARDS:
            message = f"hands of {cards[0]} and {cards[1]} cards: each must have 1 to {MAX_CARDS}"
            raise GameError(message, ErrorCode.UNSUPPORTED_POSITION)
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
        label_to_beat = -1 if race.to_beat == LEADING else int(np.flatnonzero(self._root.label_ids == race.to_beat)[0])
        self._start = _RacePosition(
            pack_hand(np.array(race.own_hand)), pack_hand(np.array(race.other_hand)), label_to_beat
        )

    @property
    def nodes(self) -> int:
        """Moves searched so far."""
        return int(self._state[kernels.NODES])

    def best(
        self, depth: int = UNLIMITED_DEPTH, guess: int = 1, should_continue: RaceCallback | None = None
    ) -> RaceSearchResult:
        """Find the best move.

        Args:
            depth: Most moves to look ahead.
            guess: Estimate of the value, for the first window.
            should_continue: Called at intervals.

        Returns:
            The value, and a move with this value.

        Raises:
            SearchStopped: The callback stopped the search.
        """
        return self._best(self._start, depth, guess, should_continue)

    def deepen(self, first: int, should_continue: RaceCallback) -> RaceSearchResult:
        """Search with increasing depth: 1, then every second depth below ``first``, then each depth.

        Args:
            first: Depth from which each depth is searched.
            should_continue: Called at intervals.

        Returns:
            The result of the last complete search; exact where no depth limit affected it.
        """
        result = self.best(1)
        for depth in chain(range(2, first, 2), count(first)):
            if result.is_exact:
                break
            try:
                result = self.best(depth, result.value, should_continue)
            except SearchStopped:
                break
        return result

    def best_line(self, result: RaceSearchResult, should_continue: RaceCallback | None = None) -> tuple[RaceMove, ...]:
        """Compute a line of best play to the end.

        Args:
            result: Exact result of this race.
            should_continue: Called at intervals.

        Returns:
            The moves of both sides.

        Raises:
            SearchStopped: The callback stopped the search.
        """
        position, value, moves = self._start, result.value, [result.move]
        while True:
            following = self._next_position(position, moves[-1])
            if following.other == 0:
                return tuple(moves)
            position, value = following, -value
            moves.append(self._best(position, UNLIMITED_DEPTH, value, should_continue).move)

    # --- one position ------------------------------------------------------------------------------------------------

    def _best(
        self, position: _RacePosition, depth: int, guess: int, should_continue: RaceCallback | None
    ) -> RaceSearchResult:
        own, other = self._load_position(position)
        is_lead = self._frames[0, kernels.REPLY] == kernels.LEAD
        if position.to_beat >= 0 and is_lead:  # no move beats it
            passed = self._best(_RacePosition(position.other, position.own, -1), depth, -guess, should_continue)
            return RaceSearchResult(-passed.value, self._race_move(0, -1), passed.is_exact)
        if (finishing_move := self._finishing_move(position.own, own)) is not None:
            return RaceSearchResult(other, finishing_move, True)
        lower, upper, move, exact = -own, other, None, True
        beta = min(max(guess, lower + 1), upper)
        while lower < upper:
            value, found_move, is_exact = self._prove_bound(position, beta, depth, should_continue)
            exact = exact and is_exact
            if value >= beta:
                lower, move = value, found_move
            else:
                upper = value
                move = found_move if move is None else move
            if depth >= UNLIMITED_DEPTH:  # one side wins, so the value is not 0
                lower, upper = lower + (lower == 0), upper - (upper == 0)
            beta = lower + 1 if value >= beta else upper
        assert move is not None
        return RaceSearchResult(lower, move, exact)

    def _load_position(self, position: _RacePosition) -> tuple[int, int]:
        """Write a position to the first frame; return the number of cards of both hands."""
        frame, sets, root = self._frames[0], self._sets[0], self._root
        for set_index, hand in ((kernels.OWN_SET, position.own), (kernels.OTHER_SET, position.other)):
            kernels.fill_playable(np.uint64(hand), root.labels, root.label_sets, self._sets, 0, set_index)
        sets[kernels.LEGAL_SET] = sets[kernels.OWN_SET]
        frame[kernels.REPLY] = kernels.LEAD
        if position.to_beat >= 0:
            sets[kernels.LEGAL_SET] &= root.label_sets[BEATERS + position.to_beat]
            replies = self._unpack_labels(sets[kernels.LEGAL_SET])
            frame[kernels.REPLY] = replies[0] if len(replies) else kernels.LEAD
        own, other = (int(unpack_hand(hand, self._ranks).sum()) for hand in (position.own, position.other))
        frame[kernels.OWN], frame[kernels.OTHER] = position.own, position.other
        frame[kernels.OWN_CARDS], frame[kernels.OTHER_CARDS] = own, other
        return own, other

    def _unpack_labels(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))

    def _finishing_move(self, hand: int, cards: int) -> RaceMove | None:
        """Return a move with all cards of the hand, or None."""
        for label in self._unpack_labels(self._sets[0, kernels.LEGAL_SET]):
            if self._root.labels[label, CARDS] == cards:
                return self._race_move(hand, int(label))
        return None

    def _prove_bound(
        self, position: _RacePosition, beta: int, depth: int, should_continue: RaceCallback | None
    ) -> tuple[int, RaceMove, bool]:
        """Return a bound of the value on the side of beta where it lies, its move, and whether it is exact."""
        root, state = self._root, self._state
        self._load_position(position)
        self._frames[0, kernels.BETA], self._frames[0, kernels.DEPTH] = beta, depth
        arrays = self._frames, self._sets, root.labels, root.label_sets, self._history, self._moves
        kernels.start_search(state, *arrays, self._merged, self._dominance)
        while not kernels.continue_search(state, *arrays, self._table, self._merged, self._dominance, NODES_PER_CHECK):
            if should_continue is not None and not should_continue(self.nodes):
                raise SearchStopped
        move = self._race_move(int(state[kernels.BEST_CARDS]), int(state[kernels.BEST_LABEL]))
        return int(state[kernels.VALUE]), move, not self._frames[0, kernels.BEST_HORIZON_REACHED]

    def _race_move(self, cards: int, label: int) -> RaceMove:
        return RaceMove(LEADING if label < 0 else int(self._root.label_ids[label]), unpack_hand(cards, self._ranks))

    def _next_position(self, position: _RacePosition, move: RaceMove) -> _RacePosition:
        """Return the position after a move."""
        if move.label == LEADING:
            return _RacePosition(position.other, position.own, -1)
        return _RacePosition(
            position.other,
            position.own - pack_hand(move.cards),
            int(np.flatnonzero(self._root.label_ids == move.label)[0]),
        )


def _table_size(cards: int, megabytes: int) -> int:
    """Return the entries of the table: enough for a number of cards, and few enough for the CPU cache at first."""
    size_bits = max(14, cards // 2 + 4 if cards <= 28 else cards - 10)
    max_bits = max(10, (megabytes << 16).bit_length() - 1)
    return 1 << min(size_bits, max_bits, 24)


def solve_race(
    tables: SearchTables, race: RacePosition, should_continue: RaceCallback | None = None, megabytes: int = 256
) -> RaceSolution:
    """Solve a race.

    Args:
        tables: Tables of the game.
        race: Position with two open hands.
        should_continue: Called at intervals.
        megabytes: Largest size of the transposition table, in MiB.

    Returns:
        The solution.

    Raises:
        SearchStopped: The callback stopped the search.
        GameError: A hand is empty or too large.
    """
    start_seconds = perf_counter()
    search = RaceSearch(tables, race, megabytes)
    result = search.best(should_continue=should_continue)
    line = search.best_line(result, should_continue)
    return RaceSolution(result.value, line, search.nodes, perf_counter() - start_seconds)
