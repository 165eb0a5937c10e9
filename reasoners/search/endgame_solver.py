"""The exact worth of open hands of two parties near the end of an episode, move by move, and a line of best play.

A search asks whether a position is worth at least so much until no question is left. Its table of positions serves all
moves of a position. It is bounded by positions looked at: what is not solved within them is said to be unsolved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.endgame import EndgamePosition, build_positions
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Moves
from abl_cards.reasoners.search import endgame_kernels as kernels
from abl_cards.reasoners.search.endgame_static import static_outcomes, static_position

NODES_PER_CHECK = 1 << 14
"""Between two looks at the clock: some milliseconds."""

EndgameCallback = Callable[[int], bool]
"""Told the positions so far now and then; whether to go on."""


class EndgameUnsolved(Exception):
    """The search was told to stop before it had an answer."""


_ERROR_TEXTS = {
    kernels.NO_SEAT: "`turn/1` names no seat, or several, after a play",
    kernels.NO_MOVE: "a seat has nothing that it may do",
    kernels.TOO_DEEP: "there are too many moves to look through",
}


class EndgameSolver:
    """Solves one position and what comes of it."""

    def __init__(
        self,
        position: EndgamePosition,
        max_nodes: int | None = None,
        should_continue: EndgameCallback | None = None,
        table_bits: int = 16,
    ) -> None:
        """With a table of 2 ** bits places, looking at so many positions at most."""
        self.position, self._max_nodes, self._should_continue = position, max_nodes, should_continue
        self._static = static_position(position.moves, static_outcomes(position.outcomes, position.turns))
        self._frames = np.zeros((kernels.MAX_PLIES, kernels.FRAME_SIZE), np.int64)
        self._moves = np.zeros((kernels.MAX_MOVES, 2), np.int64)
        self._history = np.zeros(len(position.moves.cards), np.int64)
        self._table = np.zeros((1 << table_bits, 4), np.uint64)
        self._state = np.zeros(kernels.STATE_SIZE, np.int64)
        start, worth = position.start, position.outcomes
        plays = sum(int(count) << (4 * seat) for seat, count in enumerate(worth.plays) if worth.strides[2 + seat])
        told = [start.seat, start.trick, start.owner, start.passed, start.gone_by]
        self.start = np.array([int(position.moves.hands), *told, 0, 0, plays, -1], np.int64)

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self._state[kernels.NODES])

    def apply_move(self, position: NDArray[np.int64], move: int) -> NDArray[np.int64]:
        """The place after a move."""
        following = position.copy()
        if not kernels.apply_move(self._static, following, move):
            raise GameError(_ERROR_TEXTS[kernels.NO_SEAT])
        return following

    def value(self, position: NDArray[np.int64]) -> int:
        """What a place is worth to the party of seat 0, as a place among the values.

        Raises EndgameUnsolved, GameError.
        """
        if position[kernels.OUTCOME] >= 0:
            return int(position[kernels.OUTCOME])
        worth = self.position.outcomes
        lower, upper = (
            int(each[position[kernels.FINISH], position[kernels.FLUENTS]])
            for each in (worth.min_value, worth.max_value)
        )
        while lower < upper:
            beta = (lower + upper + 1) // 2
            found = self._prove_bound(position, beta)
            if found >= beta:
                lower = found
            else:
                upper = found
        return lower

    def _prove_bound(self, position: NDArray[np.int64], beta: int) -> int:
        """A bound of what a place is worth, on the side of beta where it lies."""
        state = self._state
        kernels.start_search(state, self._frames, position)
        told = state, self._frames, self._moves, self._history, self._table, self._static, beta
        while not kernels.continue_search(
            *told, NODES_PER_CHECK if self._max_nodes is None else min(NODES_PER_CHECK, self._max_nodes)
        ):
            if (self._max_nodes is not None and self.nodes >= self._max_nodes) or (
                self._should_continue and not self._should_continue(self.nodes)
            ):
                raise EndgameUnsolved(f"{self.nodes:,} positions were not enough")
        if state[kernels.ERROR]:
            raise GameError(_ERROR_TEXTS[int(state[kernels.ERROR])])
        return int(state[kernels.VALUE])


# --- a position of the engine -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndgameMove:
    """A move of a line."""

    seat: int
    move: Moves  # one
    context: int


@dataclass(frozen=True)
class EndgameSolution:
    """A position solved."""

    value: float  # points of the seat to move, and of each of its side
    move_points: NDArray[np.float64]  # [moves] the same after each of its moves, in the order of lists
    best_line: tuple[EndgameMove, ...]  # best play of all, to the end
    nodes: int
    seconds: float


def open_hand_tables(engine: Engine, decisions: Decisions) -> Tables:
    """The table of one decision as it lies, with every hand; raises GameError where a state does not say enough."""
    first = np.zeros(1, np.int64)
    tables = engine.determinize(decisions, first, decisions.view.hidden_hands)
    if decisions.view.play_counts is not None:
        try:
            tables.state.num_plays[:] = decisions.view.play_counts()
        except GameError:
            build_positions(tables, first)  # what is no position at all is said first
            raise
    return tables


def solve_endgame(
    tables: Tables, max_nodes: int | None = None, should_continue: EndgameCallback | None = None, table_bits: int = 18
) -> EndgameSolution:
    """Solve the only position of some tables, which are played to their end; raises EndgameUnsolved, GameError."""
    begun, first = perf_counter(), np.zeros(1, np.int64)
    (position,) = build_positions(tables, first)
    solver, seat = EndgameSolver(position, max_nodes, should_continue, table_bits), int(tables.seat[0])
    place, value, points = solver.start, -1, np.zeros(0)
    line: list[EndgameMove] = []
    while tables.rows_to_play().size:
        decisions = tables.decisions(first)
        lists, mover = decisions.moves(), int(tables.seat[0])
        each = [position.find(mover, int(form), cards) for form, cards in zip(lists.form, lists.cards, strict=True)]
        if not line:
            worth = {move: solver.value(solver.apply_move(place, move)) for move in dict.fromkeys(each)}
            points = np.array([position.outcomes.points(worth[move], seat) for move in each])
            value = max(worth.values()) if position.outcomes.party[seat] == 0 else min(worth.values())
        row = next(row for row, move in enumerate(each) if solver.value(solver.apply_move(place, move)) == value)
        moves = lists.select(np.array([row]))
        line.append(EndgameMove(mover, moves, int(decisions.context[0])))
        place = solver.apply_move(place, each[row])
        tables.play(first, moves)
    return EndgameSolution(
        position.outcomes.points(value, seat), points, tuple(line), solver.nodes, perf_counter() - begun
    )
