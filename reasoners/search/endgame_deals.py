"""Solve the endgames of many deals of a table with open hands, and compute the points of each move.

Deals are tables that differ in the hands alone. The deals of a group are solved in order, until a bound on the
positions of the group is reached. A deal that exceeds its own bound is left unsolved.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError, device_function, kernel, map_ranges
from abl_cards.games.endgame import EndgameTables, OutcomeTable, build_endgame_tables, check_applicable, pack_moves
from abl_cards.games.tables import Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.search import endgame_kernels as kernels
from abl_cards.reasoners.search.endgame_static import static_position

TABLE_BITS = 14
"""Logarithm of the size of the table of positions."""
DEAL_SHARE_DIVISOR = 4
"""Bound on the positions of a group, divided by that of one deal."""
UNSOLVED = -1
"""Value of the moves of a deal that is not solved; an index, for which the last of the points is NaN."""


class EndgameScratch(NamedTuple):
    """Buffers of a search, which the searches of a thread share."""

    state: NDArray[np.int64]  # [STATE]
    frames: NDArray[np.int64]  # [MOST_PLIES, FRAME]
    moves: NDArray[np.int64]  # [MOST_MOVES, 2]
    table: NDArray[np.uint64]  # [a power of two, 4] positions

    @classmethod
    def empty(cls) -> EndgameScratch:
        """Make empty buffers."""
        return cls(
            np.zeros(kernels.STATE_SIZE, np.int64), np.zeros((kernels.MAX_PLIES, kernels.FRAME_SIZE), np.int64),
            np.zeros((kernels.MAX_MOVES, 2), np.int64), np.zeros((1 << TABLE_BITS, 4), np.uint64),
        )  # fmt: skip


def solve_deals(tables: Tables, group: Indices, moves: Sequence[Moves], max_nodes: int) -> list[NDArray[np.float64]]:
    """Solve the deals of groups.

    Args:
        tables: n tables, one for each deal.
        group: int[n] Group of each table, ascending from 0.
        moves: The moves of each group.
        max_nodes: Most positions to search for a group.

    Returns:
        For each group float64[deals, moves] the points of the seat to move, NaN for deals that are not solved.

    Raises:
        GameError: The solver does not support the game.
    """
    check_applicable(tables.rules)
    if not len(group):
        return []
    endgame_tables = build_endgame_tables(tables, np.arange(len(tables)), group)
    start = np.searchsorted(group, np.arange(len(moves) + 1))
    shares = map_ranges(
        len(moves), lambda lo, hi: list(_solve_groups(endgame_tables, start, moves, max_nodes, lo, hi)), min_size=4
    )
    return [group_values for share in shares for group_values in share]


def _solve_groups(
    endgame: EndgameTables, start: Indices, moves: Sequence[Moves], max_nodes: int, lo: int, hi: int
) -> Iterator[NDArray[np.float64]]:
    scratch = EndgameScratch.empty()
    for group_index in range(lo, hi):
        yield _solve_group(
            endgame,
            group_index,
            range(int(start[group_index]), int(start[group_index + 1])),
            moves[group_index],
            max_nodes,
            scratch,
        )


def _solve_group(
    endgame: EndgameTables, group_index: int, rows: range, moves: Moves, max_nodes: int, scratch: EndgameScratch
) -> NDArray[np.float64]:
    """Return [deals, moves] the points of one group."""
    seat, hand = int(endgame.tables.seat[rows[0]]), endgame.move_table.hand_id[group_index]
    sets = [endgame.move_table.find(int(hand[seat]), int(form), cards) for form, cards in zip(*moves, strict=True)]
    solved = np.full((len(rows), len(sets)), np.nan)
    if not endgame.move_table.is_encodable[hand].all() or min(sets) < 0:
        return solved
    num_moves = endgame.move_table.start[hand[:seat] + 1] - endgame.move_table.start[hand[:seat]]
    move_ids = np.array(sets, np.int64) + int(num_moves.sum())
    deal_nodes = max_nodes // DEAL_SHARE_DIVISOR
    for run_rows, outcomes in _runs_with_equal_outcomes(endgame, rows):
        points = [outcomes.points(value, seat) for value in range(len(outcomes.values))]
        values, max_nodes = _solve_run(endgame, run_rows, outcomes, move_ids, (max_nodes, deal_nodes), scratch)
        solved[run_rows.start - rows.start : run_rows.stop - rows.start] = np.array([*points, np.nan])[values]
    return solved


def _runs_with_equal_outcomes(endgame: EndgameTables, rows: range) -> Iterator[tuple[range, OutcomeTable]]:
    """Yield runs of deals with equal outcome tables, up to a deal that the solver does not support."""
    run_start, outcomes = rows.start, None
    for row in rows:
        try:
            row_outcomes = endgame.outcomes.of_row(row)
        except GameError:  # about these hands; the game was checked before
            rows = range(rows.start, row)
            break
        if outcomes is not None and row_outcomes is not outcomes:
            yield range(run_start, row), outcomes
            run_start = row
        outcomes = row_outcomes
    if outcomes is not None and run_start < rows.stop:
        yield range(run_start, rows.stop), outcomes


def _solve_run(
    endgame: EndgameTables,
    rows: range,
    outcomes: OutcomeTable,
    queried: Indices,
    max_nodes: tuple[int, int],
    scratch: EndgameScratch,
) -> tuple[NDArray[np.int64], int]:
    """Return [deals, moves] indices of values, or UNSOLVED, and the remaining positions of the group."""
    context, turns = endgame.table_context(rows.start, outcomes), endgame.tables.rules.turn_table
    turn_state, hands = endgame.turn_state(rows.start, 0), endgame.tables.state.hands[rows.start : rows.stop]
    plays = sum(int(count) << (4 * seat) for seat, count in enumerate(outcomes.plays) if outcomes.strides[2 + seat])
    position = np.array(
        [0, turn_state.seat, 0, turn_state.owner, turn_state.passed, turn_state.gone_by, 0, 0, plays, -1], np.int64
    )
    values = np.full((len(rows), len(queried)), UNSOLVED, np.int64)
    nodes_left = _solve_deal_rows(
        endgame.move_arrays, context, outcomes, turns, hands, position, queried, *max_nodes, scratch, values
    )
    return values, nodes_left


@device_function
def _move_values(static, scratch, position, moves, max_nodes, values):
    """Write the indices of the values of a position after each move.

    Return whether the bound on positions sufficed and no error occurred.
    """
    state, history = scratch.state, kernels.empty_history(static)
    stamp = state[kernels.STAMP] + 1
    if stamp == 1 << 15:
        scratch.table[:] = 0
        stamp = 0
    state[:] = 0
    state[kernels.STAMP] = stamp
    for index in range(len(moves)):
        values[index] = -1
        for other in range(index):
            if moves[other] == moves[index]:
                values[index] = values[other]
        if values[index] >= 0:
            continue
        following = position.copy()
        if not kernels.apply_move(static, following, moves[index]):
            return False
        lower = following[kernels.OUTCOME]
        upper = lower
        if lower < 0:
            lower = np.int64(static.min_value[following[kernels.FINISH], following[kernels.FLUENTS]])
            upper = np.int64(static.max_value[following[kernels.FINISH], following[kernels.FLUENTS]])
        while lower < upper:
            beta = (lower + upper + 1) // 2
            kernels.start_search(state, scratch.frames, following)
            left = max_nodes - state[kernels.NODES]
            if left <= 0 or not kernels.continue_search(
                state, scratch.frames, scratch.moves, history, scratch.table, static, beta, left
            ):
                return False
            if state[kernels.ERROR]:
                return False
            if state[kernels.VALUE] >= beta:
                lower = state[kernels.VALUE]
            else:
                upper = state[kernels.VALUE]
        values[index] = lower
    return True


@kernel
def _solve_deal_rows(
    move_arrays, context, outcomes, turns, hands, position, move_ids, max_nodes, deal_nodes, scratch, values
):
    """Write the values of moves, [deals, moves], for hands [deals, seats, kinds], one deal after the other.

    Return the remaining positions.
    """
    for deal in range(len(hands)):
        if max_nodes <= 0:
            return max_nodes
        arranged = pack_moves(move_arrays, context, hands[deal])
        if not arranged.fits:
            continue
        static = static_position(arranged, outcomes, turns)
        deal_position, moves = position.copy(), arranged.move_index[move_ids]
        deal_position[kernels.HANDS], deal_position[kernels.TRICK] = np.int64(arranged.hands), arranged.trick
        if not _move_values(static, scratch, deal_position, moves, min(max_nodes, deal_nodes), values[deal]):
            values[deal] = UNSOLVED
        max_nodes -= scratch.state[kernels.NODES]
    return max_nodes
