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

from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Moves, Tables
from abl_cards.games.ending.positions import Position, positions
from reasoners import ending_kernels as kernels
from reasoners.ending_ground import ground_of, stakes_of

NODES_AT_ONCE = 1 << 14
"""Between two looks at the clock: some milliseconds."""

Watch = Callable[[int], bool]
"""Told the positions so far now and then; whether to go on."""


class Unsolved(Exception):
    """The search was told to stop before it had an answer."""


_FAULTS = {
    kernels.NO_SEAT: "`turn/1` names no seat, or several, after a play",
    kernels.NO_MOVE: "a seat has nothing that it may do",
    kernels.TOO_DEEP: "there are too many moves to look through",
}


class Solver:
    """Solves one position and what comes of it."""

    def __init__(
        self, position: Position, nodes: int | None = None, watch: Watch | None = None, bits: int = 16
    ) -> None:
        """With a table of 2 ** bits places, looking at so many positions at most."""
        self.position, self._most, self._watch = position, nodes, watch
        self._ground = ground_of(position.moves, stakes_of(position.worth, position.turns))
        self._frames = np.zeros((kernels.MOST_PLIES, kernels.FRAME), np.int64)
        self._moves = np.zeros((kernels.MOST_MOVES, 2), np.int64)
        self._history = np.zeros(len(position.moves.need), np.int64)
        self._table = np.zeros((1 << bits, 4), np.uint64)
        self._state = np.zeros(kernels.STATE, np.int64)
        start, worth = position.start, position.worth
        plays = sum(int(count) << (4 * seat) for seat, count in enumerate(worth.plays) if worth.strides[2 + seat])
        told = [start.seat, start.trick, start.owner, start.passed, start.gone_by]
        self.start = np.array([int(position.moves.hands), *told, 0, 0, plays, -1], np.int64)

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self._state[kernels.NODES])

    def after(self, place: NDArray[np.int64], move: int) -> NDArray[np.int64]:
        """The place after a move."""
        following = place.copy()
        if not kernels.step(self._ground, following, move):
            raise GameError(_FAULTS[kernels.NO_SEAT])
        return following

    def value(self, place: NDArray[np.int64]) -> int:
        """What a place is worth to the party of seat 0, as a place among the values; raises Unsolved, GameError."""
        if place[kernels.WORTH] >= 0:
            return int(place[kernels.WORTH])
        worth = self.position.worth
        lower, upper = (int(each[place[kernels.ORDER], place[kernels.MEMORY]]) for each in (worth.low, worth.high))
        while lower < upper:
            beta = (lower + upper + 1) // 2
            found = self._reach(place, beta)
            if found >= beta:
                lower = found
            else:
                upper = found
        return lower

    def _reach(self, place: NDArray[np.int64], beta: int) -> int:
        """A bound of what a place is worth, on the side of beta where it lies."""
        state = self._state
        kernels.begin(state, self._frames, place)
        told = state, self._frames, self._moves, self._history, self._table, self._ground, beta
        while not kernels.go_on(*told, NODES_AT_ONCE if self._most is None else min(NODES_AT_ONCE, self._most)):
            if (self._most is not None and self.nodes >= self._most) or (self._watch and not self._watch(self.nodes)):
                raise Unsolved(f"{self.nodes:,} positions were not enough")
        if state[kernels.FAULT]:
            raise GameError(_FAULTS[int(state[kernels.FAULT])])
        return int(state[kernels.VALUE])


# --- a position of the engine -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Laid:
    """A move of a line."""

    seat: int
    moves: Moves  # one
    context: int


@dataclass(frozen=True)
class Ending:
    """A position solved."""

    value: float  # points of the seat to move, and of each of its side
    points: NDArray[np.float64]  # [moves] the same after each of its moves, in the order of lists
    line: tuple[Laid, ...]  # best play of all, to the end
    nodes: int
    seconds: float


def open_tables(engine: Engine, decisions: Decisions) -> Tables:
    """The table of one decision as it lies, with every hand; raises GameError where a state does not say enough."""
    first = np.zeros(1, np.int64)
    tables = engine.imagine(decisions, first, decisions.view.hidden_hands)
    if decisions.view.ending_plays is not None:
        try:
            tables.state.plays[:] = decisions.view.ending_plays()
        except GameError:
            positions(tables, first)  # what is no position at all is said first
            raise
    return tables


def solve(tables: Tables, nodes: int | None = None, watch: Watch | None = None, bits: int = 18) -> Ending:
    """Solve the only position of some tables, which are played to their end; raises Unsolved, GameError."""
    begun, first = perf_counter(), np.zeros(1, np.int64)
    (position,) = positions(tables, first)
    solver, seat = Solver(position, nodes, watch, bits), int(tables.seat[0])
    place, value, points = solver.start, -1, np.zeros(0)
    line: list[Laid] = []
    while tables.playing().size:
        decisions = tables.decisions(first)
        lists, mover = decisions.moves(), int(tables.seat[0])
        each = [position.find(mover, int(form), cards) for form, cards in zip(lists.form, lists.cards, strict=True)]
        if not line:
            worth = {move: solver.value(solver.after(place, move)) for move in dict.fromkeys(each)}
            points = np.array([position.worth.points(worth[move], seat) for move in each])
            value = max(worth.values()) if position.worth.side[seat] == 0 else min(worth.values())
        row = next(row for row, move in enumerate(each) if solver.value(solver.after(place, move)) == value)
        moves = lists.rows(np.array([row]))
        line.append(Laid(mover, moves, int(decisions.context[0])))
        place = solver.after(place, each[row])
        tables.play(first, moves)
    return Ending(position.worth.points(value, seat), points, tuple(line), solver.nodes, perf_counter() - begun)
