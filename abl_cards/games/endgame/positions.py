"""Positions with open hands as a search needs them: numbers, and tables filled by the engine's own circuits and lists.

What a hand can lay down is listed once, leading and following; which of it may be laid on what is asked of the circuit
of every decision for every play that can come up. What is left of a hand later can lay down what is still there of
that: ``applicability.py`` says in which games that is so. Plays that the same moves may be laid on are one, and so are
cards of a hand with which the same can be done: of two neighbours with nobody's card between them it does not matter
which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.endgame.applicability import check_applicable
from abl_cards.games.endgame.move_table import HandMoveTable, build_move_table
from abl_cards.games.endgame.outcomes import OutcomeTable, TableOutcomes
from abl_cards.games.endgame.packing import MoveTableArrays, PackedMoves, TableContext, move_table_arrays, pack_moves
from abl_cards.games.state import PLAY, TurnTable
from abl_cards.games.tables import Tables
from abl_cards.games.types import Indices

TOO_MANY_CARDS = "too many cards: they do not fit into a word"


@dataclass(frozen=True)
class TurnState:
    """Where play goes on."""

    seat: int
    trick: int  # the class of what is to beat, 0 when leading
    owner: int
    passed: int
    gone_by: int


@dataclass(frozen=True)
class EndgamePosition:
    """Open hands, and all that can be done with them."""

    outcomes: OutcomeTable
    turns: TurnTable
    start: TurnState
    moves: PackedMoves
    move_table: HandMoveTable
    hand_id: NDArray[np.int64]  # [seats] the numbers of the hands in the listing

    def find(self, seat: int, form: int, cards: NDArray[np.uint8]) -> int:
        """The move that lays down cards, as in Moves; raises GameError where there is none."""
        start, place = self.move_table.start, self.move_table.find(int(self.hand_id[seat]), form, cards)
        before = int((start[self.hand_id[:seat] + 1] - start[self.hand_id[:seat]]).sum())
        move = int(self.moves.move_index[before + place]) if place >= 0 else -1
        if move < 0:
            raise GameError(f"seat {seat} cannot lay down these cards")
        return move


@dataclass(frozen=True)
class EndgameTables:
    """Tables [n] near their end, of which some are alike but for the hands: deals."""

    tables: Tables
    rows: Indices
    group: Indices  # [n] which of them are alike: 0, 0, 1, …
    move_table: HandMoveTable  # of all that the seats hold in any deal of a group
    move_arrays: MoveTableArrays
    outcomes: TableOutcomes

    def table_context(self, row: int, outcomes: OutcomeTable) -> TableContext:
        """What lies on one of the tables."""
        state, table, group = self.tables.state, self.rows[row], self.group[row]
        return TableContext(
            self.move_table.hand_id[group], self.move_table.reachable_forms[group], outcomes.effect.astype(np.int64),
            int(state.to_beat[table]), int(state.owner[table]), int(state.context[table]),
        )  # fmt: skip

    def turn_state(self, row: int, trick: int) -> TurnState:
        """Where play goes on."""
        state, table = self.tables.state, self.rows[row]
        told = state.owner, state.passed, state.passed_in_trick
        return TurnState(int(state.seat[table]), trick, *(int(each[table]) for each in told))

    def position(self, row: int) -> EndgamePosition:
        """One of the tables as a position; raises GameError."""
        worth, hand = self.outcomes.of_row(row), self.move_table.hand_id[self.group[row]]
        moves = pack_moves(self.move_arrays, self.table_context(row, worth), self.tables.state.hands[self.rows[row]])
        if not (moves.fits and self.move_table.is_encodable[hand].all()):
            raise GameError("too many cards: they do not fit into a word")
        return EndgamePosition(
            worth, self.tables.rules.turn_table, self.turn_state(row, int(moves.trick)), moves, self.move_table, hand
        )


def build_endgame_tables(tables: Tables, rows: Indices, group: Indices) -> EndgameTables:
    """What can be done at tables [n] of groups [n], 0, 0, 1, …; raises GameError where there is nothing to play."""
    rules, state = tables.rules, tables.state
    if (state.stage[rows] != PLAY).any():
        raise GameError("there is nothing to play here")
    first = np.searchsorted(group, np.arange(int(group[-1]) + 1))
    together = np.maximum.reduceat(state.hands[rows], first, axis=0)
    found = build_move_table(rules, state, rows[first], together)
    return EndgameTables(tables, rows, group, found, move_table_arrays(rules, found), TableOutcomes(rules, state, rows))


def build_positions(tables: Tables, rows: Indices) -> list[EndgamePosition]:
    """The positions at tables where a seat is to play; raises GameError for games and hands that are none."""
    check_applicable(tables.rules)
    if not len(rows):
        return []
    found = build_endgame_tables(tables, rows, np.arange(len(rows)))
    return [found.position(row) for row in range(len(rows))]
