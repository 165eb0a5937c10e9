"""Tricks, for games whose rules derive ``takes/1``.

The cards of the current trick are stored by seat. After every play the circuit of ``takes/1`` decides which seat would
take the trick, and the play of that seat is the one to beat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import MIN_LIGHT_ITEMS_PER_THREAD, map_ranges
from abl_cards.games.binding import TrickCardCounts, make_array_writer, make_gather_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame, TableError, join_names, raise_where, source_hint
from abl_cards.games.description import ColumnWriter
from abl_cards.games.state import TableState
from abl_cards.games.tables.retraction import OnShown, apply_retractions
from abl_cards.games.tables.trick_kernels import (
    add_cards,
    assign_tricks,
    gather_plays,
    mark_complete_plays,
    move_cards,
    record_plays,
)
from abl_cards.games.tables.view import trick_count_columns
from abl_cards.games.types import LEADING, Indices, MoveLists, Moves

if TYPE_CHECKING:
    from abl_cards.games.tables.choices import Choices
    from abl_cards.games.tables.decisions import Decisions

_FIRST_STATE_COLUMN = 2
"""First column of the input group ``act`` that is read from the state instead of ``TrickState``."""


@dataclass(frozen=True)
class TrickState:
    """Inputs of ``takes/1`` for n tricks, on tables or after hypothetical moves."""

    rules: CompiledGame
    trick_cards: NDArray[np.uint8]  # [any, seats, kinds]
    trick_rows: Indices  # [n] row of trick_cards of each trick
    leader: NDArray[np.int8]  # [n]
    last_actor: NDArray[np.int8]  # [n] seat that played last
    owner: NDArray[np.int8]  # [n] seat that would have taken the trick before
    form: NDArray[np.int16]  # [n] form played last
    state: TableState
    rows: Indices  # [n] tables

    def column_writers(self) -> dict[str, ColumnWriter]:
        """Return writers of circuit inputs by input group."""
        state, rows, context = self.state, self.rows, self.state.context[self.rows]
        return {
            "lies": TrickCardCounts(self.rules.cells, self.trick_cards, self.trick_rows, lambda: context),
            "laying": trick_count_columns(self.trick_cards, self.trick_rows),
            "leader": make_lazy_writer(lambda _: self.leader),
            "act": make_lazy_writer(self._act_column),
            "move": make_array_writer([self.form, self.rules.forms.label_of[self.form]]),
            "fluents": make_gather_writer(state.fluents, rows),
        }

    def _act_column(self, column: int) -> NDArray[np.integer]:
        """Return a column of the input group ``act``."""
        if column < _FIRST_STATE_COLUMN:
            return self.owner if column else self.last_actor
        state = self.state
        field: NDArray[np.integer] = (state.passed, state.passed_in_trick, state.seats_out)[column - 2]
        return field[self.rows]

    def evaluate(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Evaluate ``takes/1`` and ``more/0``.

        Returns:
            uint8 [seats, n], 1 for the seat that takes the trick; uint8 [n], 1 if the last actor is to play another
            part.
        """
        query, n = self.rules.trick_query, len(self.rows)
        assert query is not None
        takes, more = np.zeros((self.rules.seating.seats, n), np.uint8), np.zeros(n, np.uint8)
        for (name, arguments), truth in zip(
            query.circuit.outputs, query.evaluate(n, self.column_writers()), strict=True
        ):
            if name == "more":
                more = truth
            else:
                takes[int(arguments[0])] = truth
        return takes, more


OnComposed = Callable[[Indices, Moves], None]
"""Function of tables and moves, called when composed plays are complete, before they take effect."""


def apply_trick_plays(
    rules: CompiledGame,
    state: TableState,
    rows: Indices,
    moves: Moves,
    on_composed: OnComposed | None,
    on_shown: OnShown | None = None,
    on_retracted: OnComposed | None = None,
) -> tuple[Indices, list[int]]:
    """Apply a play or a pass at some tables of a game with tricks.

    Args:
        rules: Compiled rules.
        state: State of all tables; changed in place.
        rows: int64 [n], tables.
        moves: n moves.
        on_composed: Called with complete composed plays, None to skip.
        on_shown: Applies the updates of ``event(shown)``, None if there are none.
        on_retracted: Called with the composed plays that lost cards, as they count; None to skip.

    Returns:
        Tables whose play is complete, and a list with the first table without next seat, or -1, of each thread.

    Raises:
        TableError: If no seat or several seats would take a trick, or a composed play has too many cards.
    """
    passing, seats, turns = rules.forms.pass_form, state.seat[rows], rules.turn_table
    map_ranges(
        len(rows), lambda lo, hi: move_cards(state, passing, rows, lo, hi, *moves), min_size=MIN_LIGHT_ITEMS_PER_THREAD
    )
    owner = state.owner[rows] if on_shown else None
    is_complete = _settle_plays(rules, state, rows, seats, moves)
    if rules.has_composed_plays:
        rows = rows[is_complete]
        moves, num_laid = _composed_moves(rules, state, rows, moves.form[is_complete])
        if on_composed and rows.size:
            on_composed(rows, moves)
        if on_shown and owner is not None:
            changed = apply_retractions(rules, state, rows, moves, num_laid, on_shown)
            if changed.size:
                state.owner[rows[changed]] = owner[is_complete][changed]
                settle_tricks(rules, state, rows[changed])
                if on_retracted:
                    on_retracted(rows[changed], Moves(moves.form[changed], moves.cards[changed]))
    stuck = map_ranges(
        len(rows),
        lambda lo, hi: record_plays(state, turns, passing, rows, lo, hi, *moves),
        min_size=MIN_LIGHT_ITEMS_PER_THREAD,
    )
    return rows, stuck


def _composed_moves(
    rules: CompiledGame, state: TableState, rows: Indices, form: NDArray[np.int16]
) -> tuple[Moves, NDArray[np.int16]]:
    """Return complete plays with all their cards, and the number of cards [n]; a pass that ends one has its form."""
    moves, num_laid = Moves(form, np.empty((len(rows), rules.max_play_cards), np.uint8)), np.empty(len(rows), np.int16)
    passing = rules.forms.pass_form
    map_ranges(
        len(rows),
        lambda lo, hi: gather_plays(state, passing, rows, lo, hi, *moves, num_laid),
        min_size=MIN_LIGHT_ITEMS_PER_THREAD,
    )
    raise_where(num_laid > rules.max_play_cards, rows, lambda row: _too_many_cards_text(rules, int(num_laid[row])))
    return moves, num_laid


def _too_many_cards_text(rules: CompiledGame, cards: int) -> str:
    """Describe a composed play with too many cards."""
    hint = source_hint(rules.kb, "composes/1", "more/0")
    return f"a play of {cards} cards was laid card by card, and `composes/1` allows {rules.max_play_cards}{hint}"


def settle_tricks(rules: CompiledGame, state: TableState, rows: Indices) -> None:
    """Set the owner and the play to beat of tricks in their present state.

    Args:
        rules: Compiled rules.
        state: State of all tables; changed in place.
        rows: int64 [n], tables.

    Raises:
        TableError: If no seat that has played a card, or several seats, would take a trick.
    """
    nonempty = rows[(state.trick_forms[rows] >= 0).any(axis=1)]
    takes, _ = _trick_state(
        rules, state, nonempty, state.last_actor[nonempty], state.trick_forms[nonempty, state.last_actor[nonempty]]
    ).evaluate()
    all_settled, n = np.ones(len(nonempty), np.bool_), len(nonempty)
    ambiguous = map_ranges(
        n,
        lambda lo, hi: assign_tricks(state, nonempty, takes, all_settled, lo, hi),
        min_size=MIN_LIGHT_ITEMS_PER_THREAD,
    )
    _raise_ambiguous(rules, nonempty, takes, ambiguous)


def find_ambiguous_tricks(rules: CompiledGame, state: TableState, rows: Indices) -> Indices:
    """Find tricks without a unique taker.

    Args:
        rules: Compiled rules.
        state: State of all tables.
        rows: int64 [n], tables.

    Returns:
        The tables where no seat that has played a card, or several seats, would take the trick.
    """
    nonempty = rows[(state.trick_forms[rows] >= 0).any(axis=1)]
    takes, _ = _trick_state(
        rules, state, nonempty, state.last_actor[nonempty], state.trick_forms[nonempty, state.last_actor[nonempty]]
    ).evaluate()
    is_unique = (takes.sum(axis=0) == 1) & (state.trick_forms[nonempty, takes.argmax(axis=0)] >= 0)
    return nonempty[~is_unique]


def _settle_plays(
    rules: CompiledGame, state: TableState, rows: Indices, seats: NDArray[np.int8], moves: Moves
) -> NDArray[np.bool_]:
    """Set owner and play to beat after seats [n] have played; return which plays are complete [n]."""
    takes, more = _trick_state(rules, state, rows, seats, moves.form).evaluate()
    is_complete, forms = np.empty(len(rows), np.bool_), rules.forms

    def end(lo: int, hi: int) -> int:
        mark_complete_plays(state, forms.pass_form, forms.num_cards, rows, seats, more, lo, hi, *moves, is_complete)
        return int(assign_tricks(state, rows, takes, is_complete, lo, hi))

    _raise_ambiguous(rules, rows, takes, map_ranges(len(rows), end, min_size=MIN_LIGHT_ITEMS_PER_THREAD))
    return is_complete


def _trick_state(
    rules: CompiledGame, state: TableState, rows: Indices, acted: NDArray[np.int8], form: NDArray[np.int16]
) -> TrickState:
    """Make the trick state of tables rows [n] after seats acted [n] have played forms [n]."""
    return TrickState(rules, state.trick_cards, rows, state.leader[rows], acted, state.owner[rows], form, state, rows)


def _raise_ambiguous(rules: CompiledGame, rows: Indices, takes: NDArray[np.uint8], columns: list[int]) -> None:
    """Raise TableError for the first column without a unique taker; ``found`` has a column or -1 of each thread."""
    for column in columns:
        if column >= 0:
            raise TableError(int(rows[column]), _ambiguous_taker_text(rules, takes[:, column]))


def _ambiguous_taker_text(rules: CompiledGame, answers: NDArray[np.uint8]) -> str:
    """Describe a trick with takers answers [seats]."""
    seats = [f"seat {seat}" for seat in np.flatnonzero(answers).tolist()]
    return (
        f"who takes the trick is not clear: `takes/1` must name one seat that has laid a card, and names "
        f"{join_names(seats)}{source_hint(rules.kb, 'takes/1')}"
    )


def clear_tricks(state: TableState, rows: Indices) -> None:
    """Clear finished tricks; the seat to decide leads the next one.

    Args:
        state: State of all tables; changed in place.
        rows: int64 [n], tables whose trick is over.
    """
    state.trick_cards[rows] = 0
    state.trick_forms[rows] = -1
    state.leader[rows] = state.seat[rows]


def clear_ended_tricks(rules: CompiledGame, state: TableState, rows: Indices) -> None:
    """Clear the tricks that acts have ended, if tables store their cards.

    Args:
        rules: Compiled rules.
        state: State of all tables; changed in place.
        rows: int64 [n], tables where a seat has acted.
    """
    if rules.has_trick_cards:
        clear_tricks(state, rows[state.to_beat[rows] == LEADING])


def takes_trick(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """Return the moves that would take the trick in its present state.

    Args:
        decisions: n decisions or choices.
        lists: Moves of the decisions.

    Returns:
        uint8 [moves], 1 where the seat to decide would take the trick; all 0 for choices and in games without tricks.
    """
    view, rules = decisions.view, decisions.rules
    if rules.trick_query is None or hasattr(decisions, "options"):
        return np.zeros(len(lists.form), np.uint8)
    decision = lists.decision_index
    seats = view.seats[decision]
    takes, _ = tricks_after_moves(
        rules, view.state, view.rows[decision], seats, Moves(lists.form, lists.cards)
    ).evaluate()
    own_takes: NDArray[np.uint8] = takes[seats, np.arange(len(seats))]
    return own_takes


def tricks_after_moves(
    rules: CompiledGame, state: TableState, table_rows: Indices, seats: NDArray[np.int8], moves: Moves
) -> TrickState:
    """Return the tricks after hypothetical moves.

    Args:
        rules: Compiled rules.
        state: State of all tables; not changed.
        table_rows: int64 [n], tables.
        seats: int8 [n], seats that play.
        moves: n moves.

    Returns:
        Trick states, to be evaluated.
    """
    trick_cards, rows = state.trick_cards[table_rows], np.arange(len(table_rows))
    add_cards(trick_cards, rows, seats, moves.cards)
    leader = np.where(state.to_beat[table_rows] == LEADING, seats, state.leader[table_rows]).astype(np.int8)
    form = np.maximum(moves.form, 0)
    return TrickState(rules, trick_cards, rows, leader, seats, state.owner[table_rows], form, state, table_rows)


def add_to_tricks(rules: CompiledGame, state: TableState, rows: Indices, moves: Moves) -> None:
    """Add plays to the cards of tricks, if seats play higher or pass, and the rules read these cards.

    Args:
        rules: Compiled rules.
        state: State of all tables before the plays; changed in place.
        rows: int64 [n], tables.
        moves: n moves of the seats to decide.
    """
    if rules.keeps_trick_cards:
        add_cards(state.trick_cards, rows, state.seat, moves.cards)
