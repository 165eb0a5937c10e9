"""Endgame positions with open hands, as numbers and tables filled by the circuits and move lists of the engine.

The moves of each hand are listed once, leading and following. The circuit of legality is evaluated for every play that
can occur. Later in the episode, a hand has those of these moves for which it has the cards; ``applicability.py`` tests
in which games that holds. Plays that the same moves beat are merged, and so are interchangeable cards of a hand, such
as neighbours with no card of another seat between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.endgame.applicability import check_applicable
from abl_cards.games.endgame.move_table import HandMoveTable, build_move_table
from abl_cards.games.endgame.outcomes import OutcomeTable, TableOutcomes
from abl_cards.games.endgame.packing import MoveTableArrays, PackedMoves, TableContext, move_table_arrays, pack_moves
from abl_cards.games.state import PLAY, TurnTable
from abl_cards.games.tables import Tables
from abl_cards.games.types import Indices


@dataclass(frozen=True)
class TurnState:
    """State of the turn at the start of a search."""

    seat: int  # seat to move
    trick: int  # class of the play to beat, 0 when leading
    owner: int  # seat of the play to beat
    passed: int  # seats that have passed since, as bits
    gone_by: int  # seats that have passed in the trick, as bits


@dataclass(frozen=True)
class EndgamePosition:
    """Position with open hands, encoded for search."""

    outcomes: OutcomeTable
    turns: TurnTable
    start: TurnState
    moves: PackedMoves
    move_table: HandMoveTable
    hand_id: NDArray[np.int64]  # [seats] index of each hand in the move table

    def find(self, seat: int, form: int, cards: NDArray[np.uint8]) -> int:
        """Find the move of a seat with a form and cards.

        Args:
            seat: Seat.
            form: Form.
            cards: uint8 [max cards], cards as in ``Moves``.

        Returns:
            Index of the move in ``moves``.

        Raises:
            GameError: If the hand has no such move.
        """
        start, set_index = self.move_table.start, self.move_table.find(int(self.hand_id[seat]), form, cards)
        before = int((start[self.hand_id[:seat] + 1] - start[self.hand_id[:seat]]).sum())
        move = int(self.moves.move_index[before + set_index]) if set_index >= 0 else -1
        if move < 0:
            raise GameError(f"seat {seat} cannot play these cards", ErrorCode.ILLEGAL_MOVE)
        return move


@dataclass(frozen=True)
class EndgameTables:
    """Tables near the end of an episode, in groups that differ only in the hands (deals)."""

    tables: Tables
    rows: Indices  # [n] tables
    group: Indices  # [n] group of each: 0, 0, 1, ...
    move_table: HandMoveTable  # of the union of a seat's hands in a group
    move_arrays: MoveTableArrays
    outcomes: TableOutcomes

    def table_context(self, row: int, outcomes: OutcomeTable) -> TableContext:
        """Return the state of a table besides the hands.

        Args:
            row: Index of the table in ``rows``.
            outcomes: Outcome table of the position.

        Returns:
            State for ``pack_moves``.
        """
        state, table, group = self.tables.state, self.rows[row], self.group[row]
        return TableContext(
            self.move_table.hand_id[group], self.move_table.reachable_forms[group], outcomes.effect.astype(np.int64),
            int(state.to_beat[table]), int(state.owner[table]), int(state.context[table]),
        )  # fmt: skip

    def turn_state(self, row: int, trick: int) -> TurnState:
        """Return the state of the turn at a table.

        Args:
            row: Index of the table in ``rows``.
            trick: Class of the play to beat, 0 when leading.

        Returns:
            State at the start of a search.
        """
        state, table = self.tables.state, self.rows[row]
        fields = state.owner, state.passed, state.passed_in_trick
        return TurnState(int(state.seat[table]), trick, *(int(field[table]) for field in fields))

    def position(self, row: int) -> EndgamePosition:
        """Encode a table as a position.

        Args:
            row: Index of the table in ``rows``.

        Returns:
            The position.

        Raises:
            GameError: If the hands do not fit in a word, or the outcomes cannot be represented.
        """
        outcomes, hand = self.outcomes.of_row(row), self.move_table.hand_id[self.group[row]]
        moves = pack_moves(self.move_arrays, self.table_context(row, outcomes), self.tables.state.hands[self.rows[row]])
        if not (moves.fits and self.move_table.is_encodable[hand].all()):
            number = int(self.tables.state.hands[self.rows[row]].sum())
            problem = f"{number} cards in all hands are too many to solve: about 20 are solved"
            raise GameError(problem, ErrorCode.UNSUPPORTED_POSITION)
        moves = moves._replace(hands=np.uint64(moves.hands), guard_bits=np.uint64(moves.guard_bits))  # not Python's int
        return EndgamePosition(
            outcomes, self.tables.rules.turn_table, self.turn_state(row, int(moves.trick)), moves, self.move_table, hand
        )


def build_endgame_tables(tables: Tables, rows: Indices, group: Indices) -> EndgameTables:
    """List the moves of the hands at some tables.

    Args:
        tables: Tables of the game.
        rows: int64 [n], tables where a seat is to play.
        group: int64 [n], ascending group of each table from 0 on; tables of a group differ only in the hands.

    Returns:
        Tables with move lists.

    Raises:
        GameError: If no seat is to play at one of the tables.
    """
    rules, state = tables.rules, tables.state
    if (state.stage[rows] != PLAY).any():
        raise GameError("there is nothing to play here", ErrorCode.UNSUPPORTED_POSITION)
    first = np.searchsorted(group, np.arange(int(group[-1]) + 1))
    unions = np.maximum.reduceat(state.hands[rows], first, axis=0)
    move_table = build_move_table(rules, state, rows[first], unions)
    return EndgameTables(
        tables, rows, group, move_table, move_table_arrays(rules, move_table), TableOutcomes(rules, state, rows)
    )


def build_positions(tables: Tables, rows: Indices) -> list[EndgamePosition]:
    """Encode tables as positions.

    Args:
        tables: Tables of the game.
        rows: int64 [n], tables where a seat is to play.

    Returns:
        n positions.

    Raises:
        GameError: If the game or a position cannot be solved.
    """
    check_applicable(tables.rules)
    if not len(rows):
        return []
    endgames = build_endgame_tables(tables, rows, np.arange(len(rows)))
    return [endgames.position(row) for row in range(len(rows))]
