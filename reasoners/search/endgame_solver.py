"""Solve endgames of two parties with open hands exactly: the value of each move, and a line of best play.

Null-window searches bound the value of a position until the bounds meet. All moves of a position share one table. The
number of searched positions is bounded; beyond the bound the position counts as unsolved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.endgame import EndgamePosition, build_positions
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Moves
from abl_cards.reasoners.search import endgame_kernels as kernels
from abl_cards.reasoners.search.endgame_static import static_position

NODES_PER_CHECK = 1 << 14
"""Positions between two calls of the callback, which take some milliseconds."""

EndgameCallback = Callable[[int], bool]
"""Called with the number of positions searched so far; returns whether to go on."""


class EndgameUnsolved(Exception):
    """Error for a search that stopped at its bound, or by its callback, before it found the value."""


_ERROR_TEXTS = {
    kernels.NO_SEAT: "`turn/1` names no seat, or several, after a play",
    kernels.NO_MOVE: "a seat has nothing that it may do",
    kernels.TOO_DEEP: "there are too many moves to look through",
}


class EndgameSolver:
    """Solves one position and its successors.

    Attributes:
        position: The position.
        start: int64[…] The position as the kernels represent it.
    """

    def __init__(
        self,
        position: EndgamePosition,
        max_nodes: int | None = None,
        should_continue: EndgameCallback | None = None,
        table_bits: int = 16,
    ) -> None:
        """Prepare to solve a position.

        Args:
            position: Position with open hands.
            max_nodes: Most positions to search; None for no bound.
            should_continue: Called at intervals.
            table_bits: Binary logarithm of the size of the table of positions.
        """
        self.position, self._max_nodes, self._should_continue = position, max_nodes, should_continue
        static = static_position(position.moves, position.outcomes, position.turns)
        self._static = static._replace(guard_bits=np.uint64(static.guard_bits))  # Python's int would be an int64
        self._frames = np.zeros((kernels.MAX_PLIES, kernels.FRAME_SIZE), np.int64)
        self._moves = np.zeros((kernels.MAX_MOVES, 2), np.int64)
        self._history = kernels.empty_history(self._static)
        self._table = np.zeros((1 << table_bits, 4), np.uint64)
        self._state = np.zeros(kernels.STATE_SIZE, np.int64)
        start, outcomes = position.start, position.outcomes
        plays = sum(int(count) << (4 * seat) for seat, count in enumerate(outcomes.plays) if outcomes.strides[2 + seat])
        fields = [start.seat, start.trick, start.owner, start.passed, start.gone_by]
        self.start = np.array([int(position.moves.hands), *fields, 0, 0, plays, -1], np.int64)

    @property
    def nodes(self) -> int:
        """Positions searched so far."""
        return int(self._state[kernels.NODES])

    def apply_move(self, position: NDArray[np.int64], move: int) -> NDArray[np.int64]:
        """Return the position after a move.

        Args:
            position: Position as the kernels represent it.
            move: Index of a move.

        Returns:
            The successor.

        Raises:
            GameError: The rules name no next seat.
        """
        following = position.copy()
        if not kernels.apply_move(self._static, following, move):
            raise GameError(_ERROR_TEXTS[kernels.NO_SEAT], ErrorCode.RULES_STUCK)
        return following

    def value(self, position: NDArray[np.int64]) -> int:
        """Solve a position.

        Args:
            position: Position as the kernels represent it.

        Returns:
            Index of its value for the party of seat 0.

        Raises:
            EndgameUnsolved: The search stopped before it found the value.
            GameError: The rules do not allow play to go on.
        """
        if position[kernels.OUTCOME] >= 0:
            return int(position[kernels.OUTCOME])
        outcomes = self.position.outcomes
        lower, upper = (
            int(bounds[position[kernels.FINISH], position[kernels.FLUENTS]])
            for bounds in (outcomes.min_value, outcomes.max_value)
        )
        while lower < upper:
            beta = (lower + upper + 1) // 2
            bound = self._prove_bound(position, beta)
            if bound >= beta:
                lower = bound
            else:
                upper = bound
        return lower

    def _prove_bound(self, position: NDArray[np.int64], beta: int) -> int:
        """Return a bound of the value of a position, on the side of beta where the value lies."""
        state = self._state
        kernels.start_search(state, self._frames, position)
        buffers = state, self._frames, self._moves, self._history, self._table, self._static, beta
        while not kernels.continue_search(
            *buffers, NODES_PER_CHECK if self._max_nodes is None else min(NODES_PER_CHECK, self._max_nodes)
        ):
            if (self._max_nodes is not None and self.nodes >= self._max_nodes) or (
                self._should_continue and not self._should_continue(self.nodes)
            ):
                raise EndgameUnsolved(f"not solved within {self.nodes:,} positions")
        if state[kernels.ERROR]:
            error = int(state[kernels.ERROR])
            code = ErrorCode.TOO_LARGE if error == kernels.TOO_DEEP else ErrorCode.RULES_STUCK
            raise GameError(_ERROR_TEXTS[error], code)
        return int(state[kernels.VALUE])


# --- a position of the engine -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndgameMove:
    """Move of a line of play.

    Attributes:
        seat: Seat that makes it.
        move: The move, a batch of one.
        context: Context of the decision.
    """

    seat: int
    move: Moves
    context: int


@dataclass(frozen=True)
class EndgameSolution:
    """Solution of a position.

    Attributes:
        value: Points of the seat to move, and of its party.
        move_points: float64[moves] Points after each of its moves, in the order of the move list.
        best_line: Best play of all seats, to the end.
        nodes: Positions searched.
        seconds: Wall time, in seconds.
    """

    value: float
    move_points: NDArray[np.float64]
    best_line: tuple[EndgameMove, ...]
    nodes: int
    seconds: float


def open_hand_tables(decisions: Decisions) -> Tables:
    """Make tables with the position of one decision, with open hands.

    Args:
        decisions: One decision.

    Returns:
        The tables.

    Raises:
        GameError: The state lacks data, or is not an endgame that the solver supports.
    """
    first = np.zeros(1, np.int64)
    tables = Tables.determinize(decisions, first, decisions.view.hidden_hands)
    if decisions.view.play_counts is not None:
        try:
            tables.state.num_plays[:] = decisions.view.play_counts()
        except GameError:
            build_positions(tables, first)  # raises the more specific error first
            raise
    return tables


def solve_endgame(
    tables: Tables, max_nodes: int | None = None, should_continue: EndgameCallback | None = None, table_bits: int = 18
) -> EndgameSolution:
    """Solve the position of one table; the table is played to its end.

    Args:
        tables: Tables with one position.
        max_nodes: Most positions to search; None for no bound.
        should_continue: Called at intervals.
        table_bits: Binary logarithm of the size of the table of positions.

    Returns:
        The solution.

    Raises:
        EndgameUnsolved: The search stopped before it found the value.
        GameError: The solver does not support the position.
    """
    start_seconds, first = perf_counter(), np.zeros(1, np.int64)
    (position,) = build_positions(tables, first)
    solver, seat = EndgameSolver(position, max_nodes, should_continue, table_bits), int(tables.seat[0])
    current, value, points = solver.start, -1, np.zeros(0)
    best_line: list[EndgameMove] = []
    while tables.rows_to_play().size:
        decisions = tables.decisions(first)
        lists, seat_to_move = decisions.moves(), int(tables.seat[0])
        move_ids = [
            position.find(seat_to_move, int(form), cards) for form, cards in zip(lists.form, lists.cards, strict=True)
        ]
        if not best_line:
            move_values = {move: solver.value(solver.apply_move(current, move)) for move in dict.fromkeys(move_ids)}
            points = np.array([position.outcomes.points(move_values[move], seat) for move in move_ids])
            value = max(move_values.values()) if position.outcomes.party[seat] == 0 else min(move_values.values())
        row = next(row for row, move in enumerate(move_ids) if solver.value(solver.apply_move(current, move)) == value)
        moves = lists.select(np.array([row]))
        best_line.append(EndgameMove(seat_to_move, moves, int(decisions.context[0])))
        current = solver.apply_move(current, move_ids[row])
        tables.play(first, moves)
    return EndgameSolution(
        position.outcomes.points(value, seat), points, tuple(best_line), solver.nodes, perf_counter() - start_seconds
    )
