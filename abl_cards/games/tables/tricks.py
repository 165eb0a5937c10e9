"""Tricks: cards that seats lay side by side until the rules say that a trick is over, and who takes it.

Where no rule derives ``takes/1`` nothing here is called. The cards of a trick lie apart from those laid down before;
after every play the circuit of ``takes/1`` is asked whose the trick would be, and that seat's play is the one to beat.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import MIN_LIGHT_ITEMS_PER_THREAD, map_ranges
from abl_cards.games.binding import (
    ColumnWriter,
    TrickCardCounts,
    make_array_writer,
    make_gather_writer,
    make_lazy_writer,
)
from abl_cards.games.compiled import CompiledGame, TableError, join_names, raise_where, source_hint
from abl_cards.games.state import (
    EMPTY_PLAY_CODE,
    EPISODE_OVER_BIT,
    NO_NEXT_SEAT,
    TableState,
    advance_turn,
    close_episode,
    record_finish,
    turn_entry,
)
from abl_cards.games.tables.retraction import OnShown, apply_retractions, write_card_row
from abl_cards.games.tables.view import act_column, trick_count_columns
from abl_cards.games.types import LEADING, NO_CARD, Indices, MoveLists, Moves

if TYPE_CHECKING:
    from abl_cards.games.tables.choices import Choices
    from abl_cards.games.tables.decisions import Decisions


_FIRST_STATE_COLUMN = 2
"""From this column on, what is said of acts lies on the table."""


@dataclass(frozen=True)
class TrickState:
    """What lies in n tricks, as ``takes/1`` is told of it."""

    rules: CompiledGame
    trick_cards: NDArray[np.uint8]  # [any, seats, kinds]
    trick_rows: Indices  # [n] where those of each trick are
    leader: NDArray[np.int8]  # [n]
    last_actor: NDArray[np.int8]  # [n] who has laid the last cards
    owner: NDArray[np.int8]  # [n] whose trick it was before
    form: NDArray[np.int16]  # [n] what was laid last
    state: TableState
    rows: Indices  # [n] the tables

    def column_writers(self) -> dict[str, ColumnWriter]:
        """What fills each group of columns."""
        state, which, context = self.state, self.rows, self.state.context[self.rows]
        return {
            "lies": TrickCardCounts(self.rules.cells, self.trick_cards, self.trick_rows, lambda: context),
            "laying": trick_count_columns(self.trick_cards, self.trick_rows),
            "leader": make_lazy_writer(lambda _: self.leader),
            "act": make_lazy_writer(self._act_column),
            "move": make_array_writer([self.form, self.rules.forms.label_of[self.form]]),
            "fluents": make_gather_writer(state.fluents, which),
        }

    def _act_column(self, column: int) -> NDArray[np.integer]:
        if column < _FIRST_STATE_COLUMN:
            return self.owner if column else self.last_actor
        return act_column(self.state, self.rows, column)

    def evaluate(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """[seats, n] who takes each trick, and [n] whether the seat lays another card to its play."""
        told, n = self.rules.trick_query, len(self.rows)
        assert told is not None
        takes, more = np.zeros((self.rules.seating.seats, n), np.uint8), np.zeros(n, np.uint8)
        for (name, arguments), truth in zip(told.circuit.outputs, told.evaluate(n, self.column_writers()), strict=True):
            if name == "more":
                more = truth
            else:
                takes[int(arguments[0])] = truth
        return takes, more


# --- laying cards -----------------------------------------------------------------------------------------------------


OnComposed = Callable[[Indices, Moves], None]
"""Told of the tables where a composed play is whole, and of all its cards, before anything comes of it."""


def apply_trick_plays(
    rules: CompiledGame,
    state: TableState,
    rows: Indices,
    moves: Moves,
    on_composed: OnComposed | None,
    on_shown: OnShown | None = None,
) -> tuple[Indices, list[int]]:
    """Apply a play or a pass at each of these tables; happen, where plays are shown before they lie.

    Returns those where it is whole, and tables whose turn nobody has, by share, or -1. Raises TableError where nobody
    takes the trick, or several do.
    """
    passing, seats, turns = rules.forms.pass_form, state.seat[rows], rules.turn_table
    map_ranges(
        len(rows), lambda lo, hi: _move_cards(state, passing, rows, lo, hi, *moves), min_size=MIN_LIGHT_ITEMS_PER_THREAD
    )
    owner = state.owner[rows] if on_shown else None
    whole = _settle_plays(rules, state, rows, seats, moves)
    if rules.has_composed_plays:
        rows = rows[whole]
        moves, laid = _composed_moves(rules, state, rows, moves.form[whole])
        if on_composed and rows.size:
            on_composed(rows, moves)
        if on_shown and owner is not None:
            back = apply_retractions(rules, state, rows, moves, laid, on_shown)
            if back.size:
                state.owner[rows[back]] = owner[whole][back]
                settle_tricks(rules, state, rows[back])
    stuck = map_ranges(
        len(rows),
        lambda lo, hi: _record_plays(state, turns, passing, rows, lo, hi, *moves),
        min_size=MIN_LIGHT_ITEMS_PER_THREAD,
    )
    return rows, stuck


def _composed_moves(
    rules: CompiledGame, state: TableState, rows: Indices, form: NDArray[np.int16]
) -> tuple[Moves, NDArray[np.int16]]:
    """Plays with all the cards that their seats have laid, and how many; what ends one of open length is no pass."""
    moves, laid = Moves(form, np.empty((len(rows), rules.max_play_cards), np.uint8)), np.empty(len(rows), np.int16)
    passing = rules.forms.pass_form
    map_ranges(
        len(rows),
        lambda lo, hi: _gather_plays(state, passing, rows, lo, hi, *moves, laid),
        min_size=MIN_LIGHT_ITEMS_PER_THREAD,
    )
    raise_where(laid > rules.max_play_cards, rows, lambda row: _too_many_cards_text(rules, int(laid[row])))
    return moves, laid


def _too_many_cards_text(rules: CompiledGame, cards: int) -> str:
    """That a play of several parts has more cards than any may have."""
    where = source_hint(rules.kb, "composes/1", "more/0")
    return f"a play of {cards} cards was laid card by card, and `composes/1` allows {rules.max_play_cards}{where}"


def settle_tricks(rules: CompiledGame, state: TableState, rows: Indices) -> None:
    """Say whose the tricks at these tables are as they lie, and so what there is to beat; raises TableError."""
    some = rows[(state.trick_forms[rows] >= 0).any(axis=1)]
    takes, _ = _trick_state(
        rules, state, some, state.last_actor[some], state.trick_forms[some, state.last_actor[some]]
    ).evaluate()
    every, n = np.ones(len(some), np.bool_), len(some)
    found = map_ranges(
        n, lambda lo, hi: _assign_tricks(state, some, takes, every, lo, hi), min_size=MIN_LIGHT_ITEMS_PER_THREAD
    )
    _raise_ambiguous(rules, some, takes, found)


def find_ambiguous_tricks(rules: CompiledGame, state: TableState, rows: Indices) -> Indices:
    """Those of these tables whose tricks, as they lie, nobody takes who has laid a card, or several do."""
    some = rows[(state.trick_forms[rows] >= 0).any(axis=1)]
    takes, _ = _trick_state(
        rules, state, some, state.last_actor[some], state.trick_forms[some, state.last_actor[some]]
    ).evaluate()
    one = (takes.sum(axis=0) == 1) & (state.trick_forms[some, takes.argmax(axis=0)] >= 0)
    return some[~one]


def _settle_plays(
    rules: CompiledGame, state: TableState, rows: Indices, seats: NDArray[np.int8], moves: Moves
) -> NDArray[np.bool_]:
    """The same after seats [n] have laid cards; [n] whether their plays are whole now."""
    takes, more = _trick_state(rules, state, rows, seats, moves.form).evaluate()
    whole, forms = np.empty(len(rows), np.bool_), rules.forms

    def end(lo: int, hi: int) -> int:
        _mark_complete_plays(state, forms.pass_form, forms.num_cards, rows, seats, more, lo, hi, *moves, whole)
        return int(_assign_tricks(state, rows, takes, whole, lo, hi))

    _raise_ambiguous(rules, rows, takes, map_ranges(len(rows), end, min_size=MIN_LIGHT_ITEMS_PER_THREAD))
    return whole


def _trick_state(
    rules: CompiledGame, state: TableState, rows: Indices, acted: NDArray[np.int8], form: NDArray[np.int16]
) -> TrickState:
    return TrickState(rules, state.trick_cards, rows, state.leader[rows], acted, state.owner[rows], form, state, rows)


def _raise_ambiguous(rules: CompiledGame, rows: Indices, takes: NDArray[np.uint8], found: list[int]) -> None:
    """Raise TableError where nobody takes a trick, or several do: found is such a place by share, or -1."""
    for wrong in found:
        if wrong >= 0:
            raise TableError(int(rows[wrong]), _ambiguous_taker_text(rules, takes[:, wrong]))


def _ambiguous_taker_text(rules: CompiledGame, answers: NDArray[np.uint8]) -> str:
    seats = [f"seat {seat}" for seat in np.flatnonzero(answers).tolist()]
    return (
        f"who takes the trick is not clear: `takes/1` must name one seat that has laid a card, and names "
        f"{join_names(seats)}{source_hint(rules.kb, 'takes/1')}"
    )


def clear_tricks(state: TableState, rows: Indices) -> None:
    """Clear tricks away that are over, at these tables; whose turn it is leads the next one."""
    state.trick_cards[rows] = 0
    state.trick_forms[rows] = -1
    state.leader[rows] = state.seat[rows]


def takes_trick(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves] whether the trick as it lies would be that of the seat to decide after each move."""
    view, rules = decisions.view, decisions.rules
    if rules.trick_query is None or hasattr(decisions, "options"):
        return np.zeros(len(lists.form), np.uint8)
    decision = lists.decision_index
    seats = view.seats[decision]
    found, _ = tricks_after_moves(
        rules, view.state, view.rows[decision], seats, Moves(lists.form, lists.cards)
    ).evaluate()
    mine: NDArray[np.uint8] = found[seats, np.arange(len(seats))]
    return mine


def tricks_after_moves(
    rules: CompiledGame, state: TableState, table_rows: Indices, seats: NDArray[np.int8], moves: Moves
) -> TrickState:
    """The tricks at tables table_rows [n] as they will lie when seats [n] have made these moves."""
    lies = state.trick_cards[table_rows]
    _add_cards(lies, seats, moves.cards)
    leader = np.where(state.to_beat[table_rows] == LEADING, seats, state.leader[table_rows]).astype(np.int8)
    form, rows = np.maximum(moves.form, 0), np.arange(len(table_rows))
    return TrickState(rules, lies, rows, leader, seats, state.owner[table_rows], form, state, table_rows)


@njit(cache=True, nogil=True)
def _add_cards(trick_cards, seats, cards):
    """Add cards [n, most] to those of seats [n] in trick_cards [n, seats, kinds]."""
    for i in range(len(seats)):
        for card in cards[i]:
            if card != NO_CARD:
                trick_cards[i, seats[i], card] += 1


@njit(cache=True, nogil=True)
def _move_cards(state, passing, rows, lo, hi, form, cards):
    """Move cards from a hand into the trick at each of the tables rows[lo:hi]."""
    hands, played, lies, lies_form = state.hands, state.played, state.trick_cards, state.trick_forms
    seats, clock, idle, to_beat, leader = (
        state.seat,
        state.num_decisions,
        state.idle_decisions,
        state.to_beat,
        state.leader,
    )
    for i in range(lo, hi):
        table, seat = rows[i], np.int64(seats[rows[i]])
        clock[table] += 1
        idle[table] += 1
        if to_beat[table] == LEADING:
            leader[table] = seat
        if form[i] != passing:
            idle[table] = 0
            lies_form[table, seat] = form[i]
            for at in range(cards.shape[1]):
                card = cards[i, at]
                if card == NO_CARD:
                    break
                hands[table, seat, card] -= 1
                played[table, seat, card] += 1
                lies[table, seat, card] += 1


@njit(cache=True, nogil=True)
def _record_plays(state, turns, passing, rows, lo, hi, form, cards):
    """Take note of whole plays, and passes, at the tables rows[lo:hi], and of whose turn it is then.

    Returns the first table where that is nobody, EMPTY_PLAY_CODE less the first one where a play has no cards, or -1.
    """
    recent, recent_seat, hands, acts = state.recent_cards, state.recent_seat, state.hands, state.num_acts
    seats, acted, laid, plays = state.seat, state.last_actor, state.last_form, state.num_plays
    passed, gone_by, owner, out = state.passed, state.passed_in_trick, state.owner, state.seats_out
    leader, to_beat = state.leader, state.to_beat
    entries, strides, classes = turns.entries, turns.strides, turns.form_class
    depth, width = np.uint64(recent.shape[1]), np.uint64(recent.shape[2])
    most = min(np.uint64(cards.shape[1]), width)
    for i in range(lo, hi):
        table, seat = rows[i], np.int64(seats[rows[i]])
        place, index = np.uint64(acts[table]) % depth, np.int64(form[i])
        acts[table] += 1
        acted[table], laid[table], recent_seat[table, place] = seat, index, seat
        for at in range(most):
            recent[table, place, at] = cards[i, at]
        for at in range(most, width):
            recent[table, place, at] = NO_CARD
        if index == passing:
            passed[table] |= np.uint16(1 << seat)
            gone_by[table] |= np.uint16(1 << seat)
        else:
            if cards[i, 0] == NO_CARD:
                return EMPTY_PLAY_CODE - table
            plays[table, seat] += 1
            left = np.uint8(0)
            for card in range(hands.shape[2]):
                left |= hands[table, seat, card]
            if left == 0:
                record_finish(state, table, seat)
        if len(entries) == 0:
            continue  # as in apply_plays
        entry = turn_entry(
            entries, strides, seat, owner[table], passed[table], gone_by[table], out[table], classes[index],
            leader[table],
        )  # fmt: skip
        if entry == NO_NEXT_SEAT:
            return table
        if entry & EPISODE_OVER_BIT:
            close_episode(state, turns.leftover_order, table)
        advance_turn(entry, table, seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def _mark_complete_plays(state, passing, cards_of, rows, seats, more, lo, hi, form, cards, whole):
    """Whether plays are whole, for rows[lo:hi]: all but those whose seats are to lay more [n], have it, and lay cards.

    A play that comes whole is whole.
    """
    hands, picking = state.hands, state.is_composing
    for i in range(lo, hi):
        whole[i] = True
        if more[i] and form[i] != passing:
            laid, left = 0, np.uint8(0)
            for at in range(cards.shape[1]):
                laid += cards[i, at] != NO_CARD
            for kind in range(hands.shape[2]):
                left |= hands[rows[i], seats[i], kind]
            whole[i] = left == 0 or laid != cards_of[form[i]]
        picking[rows[i]] = not whole[i]


@njit(cache=True, nogil=True)
def _gather_plays(state, passing, rows, lo, hi, form, cards, laid):
    """Write all the cards that seats at tables rows[lo:hi] have laid in the trick, their forms, and how many."""
    lies, seats, lies_form = state.trick_cards, state.seat, state.trick_forms
    for i in range(lo, hi):
        table, seat = rows[i], np.int64(seats[rows[i]])
        laid[i] = filled = write_card_row(lies[table, seat], cards[i])
        if form[i] == passing and filled > 0:
            form[i] = lies_form[table, seat]


@njit(cache=True, nogil=True)
def _assign_tricks(state, rows, takes, settled, lo, hi):
    """The tricks at tables rows[lo:hi] that are settled, and have cards, are those of whom takes [seats, n] says.

    Returns the place of one where that is nobody who has laid a card, or several, or -1.
    """
    lies, top_cards, lies_form, owner, to_beat = (
        state.trick_cards, state.top_cards, state.trick_forms, state.owner, state.to_beat,
    )  # fmt: skip
    for i in range(lo, hi):
        table, taker, takers, there = rows[i], 0, 0, False
        for seat in range(takes.shape[0]):
            there |= lies_form[table, seat] >= 0
            if takes[seat, i]:
                taker, takers = seat, takers + 1
        if not settled[i] or not there:
            continue
        if takers != 1 or lies_form[table, taker] < 0:
            return i
        owner[table], to_beat[table] = taker, lies_form[table, taker]
        write_card_row(lies[table, taker], top_cards[table])
    return -1
