"""Tricks: cards that seats lay side by side until the rules say that a trick is over, and who takes it.

Where no rule derives ``takes/1`` nothing here is called. The cards of a trick lie apart from those laid down before;
after every play the circuit of ``takes/1`` is asked whose the trick would be, and that seat's play is the one to beat.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.faults import blame, several, stop_where
from abl_cards.games.play.state import LEADING, NEXT_SEAT, NO_TURN, OVER, TRICK_OVER, State, close, finish
from abl_cards.games.play.view import fill_seats
from abl_cards.games.play.walk import NO_CARD
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, MoveLists, Moves
from abl_cards.games.telling.writer import Fill, Told, columns_of, lazily, rows_of
from abl_cards.parallel import each_share

if TYPE_CHECKING:
    from abl_cards.games.play.choices import Choices
    from abl_cards.games.play.decisions import Decisions


@dataclass(frozen=True)
class Trick:
    """What lies in n tricks, as ``takes/1`` is told of it."""

    rules: Rules
    lies: NDArray[np.uint8]  # [n, seats, kinds]
    leader: NDArray[np.int8]  # [n]
    acted: NDArray[np.int8]  # [n] who has laid the last cards
    owner: NDArray[np.int8]  # [n] whose trick it was before
    state: State
    which: Indices  # [n] the tables

    def fills(self) -> dict[str, Fill]:
        """What fills each group of columns."""
        state, which, context = self.state, self.which, self.state.context[self.which]
        acts: list[NDArray[np.integer]] = [
            self.acted,
            self.owner,
            state.passed[which],
            state.gone_by[which],
            state.out[which],
        ]
        return {
            "lies": lambda lo, hi, columns, used: fill_seats(
                self.rules, lambda seat: self.lies[:, seat], context, lo, hi, columns, used
            ),
            "leader": lazily(lambda _: self.leader),
            "act": columns_of(acts),
            "fluents": rows_of(state.fluents, which),
        }

    def takers(self) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
        """[n] the seat that takes each trick, and the answers [seats, n]: all that take it are there."""
        told, seats = _told(self.rules), self.rules.table.seats
        found = np.zeros((seats, len(self.which)), np.uint8)
        for (_, (seat,)), truth in zip(told.circuit.outputs, told.ask(len(self.which), self.fills()), strict=True):
            found[int(seat)] = truth
        return found.argmax(axis=0).astype(np.int8), found


def _told(rules: Rules) -> Told:
    assert rules.taking is not None
    return rules.taking


# --- laying cards -----------------------------------------------------------------------------------------------------


def lay(rules: Rules, state: State, which: Indices, moves: Moves) -> list[int]:
    """Apply a play or a pass at each of these tables; returns tables whose turn nobody has, by share, or -1.

    Raises TableError where nobody takes the trick, or several do.
    """
    passing, seats = rules.forms.passing, state.seat[which]
    each_share(len(which), lambda lo, hi: _lay(state, passing, which, lo, hi, *moves))
    settle(rules, state, which)
    turns = rules.turns
    return each_share(len(which), lambda lo, hi: _turn(state, turns, which, seats, lo, hi))


def settle(rules: Rules, state: State, which: Indices) -> None:
    """Say whose the tricks at these tables are as they lie, and so what there is to beat; raises TableError."""
    some = which[(state.lies_form[which] >= 0).any(axis=1)]
    if not some.size:
        return
    trick = Trick(rules, state.lies[some], state.leader[some], state.acted[some], state.owner[some], state, some)
    takers, answers = trick.takers()
    wrong = (answers.sum(axis=0) != 1) | (state.lies_form[some, takers] < 0)
    stop_where(wrong, some, lambda row: _nobody(rules, answers[:, row]))
    _take(state, some, takers)


def _nobody(rules: Rules, answers: NDArray[np.uint8]) -> str:
    seats = [f"seat {seat}" for seat in np.flatnonzero(answers).tolist()]
    return (
        f"who takes the trick is not clear: `takes/1` must name one seat that has laid a card, and names "
        f"{several(seats)}{blame(rules.kb, 'takes/1')}"
    )


def clear(state: State, which: Indices) -> None:
    """Clear tricks away that are over, at these tables; whose turn it is leads the next one."""
    state.lies[which] = 0
    state.lies_form[which] = -1
    state.leader[which] = state.seat[which]


def taking(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves] whether the trick as it lies would be that of the seat to decide after each move."""
    view, rules = decisions.view, decisions.rules
    if rules.taking is None or hasattr(decisions, "options"):
        return np.zeros(len(lists.form), np.uint8)
    decision, state = lists.decision, view.state
    which, seats = view.which[decision], view.seats[decision]
    lies = state.lies[which]
    _add(lies, seats, lists.cards)
    leader = np.where(view.to_beat[decision] == LEADING, seats, state.leader[which]).astype(np.int8)
    found = Trick(rules, lies, leader, seats, state.owner[which], state, which).takers()[1]
    mine: NDArray[np.uint8] = found[seats, np.arange(len(seats))]
    return mine


@njit(cache=True, nogil=True)
def _add(lies, seats, cards):
    """Add cards [n, most] to those of seats [n] in lies [n, seats, kinds]."""
    for i in range(len(seats)):
        for card in cards[i]:
            if card != NO_CARD:
                lies[i, seats[i], card] += 1


@njit(cache=True, nogil=True)
def _lay(state, passing, which, lo, hi, form, cards):
    """Move the cards of a play from a hand into the trick at each of the tables which[lo:hi]."""
    hands, played, lies, lies_form = state.hands, state.played, state.lies, state.lies_form
    recent, recent_seat, most = state.recent, state.recent_seat, cards.shape[1]
    for i in range(lo, hi):
        table, index = which[i], np.int64(form[i])
        seat = np.int64(state.seat[table])
        place = np.int64(state.acts[table]) % recent.shape[1]
        state.clock[table] += 1
        state.acts[table] += 1
        state.idle[table] += 1
        state.acted[table], state.laid[table] = seat, index
        recent_seat[table, place] = seat
        if state.to_beat[table] == LEADING:
            state.leader[table] = seat
        for at in range(most):
            recent[table, place, at] = cards[i, at]
        if index == passing:
            state.passed[table] |= np.uint16(1 << seat)
            state.gone_by[table] |= np.uint16(1 << seat)
            continue
        for at in range(most):
            card = cards[i, at]
            if card != NO_CARD:
                hands[table, seat, card] -= 1
                played[table, seat, card] += 1
                lies[table, seat, card] += 1
        lies_form[table, seat] = index
        state.plays[table, seat] += 1
        state.idle[table] = 0
        left = 0
        for card in range(hands.shape[2]):
            left |= hands[table, seat, card]
        if left == 0:
            finish(state, table, seat)


@njit(cache=True, nogil=True)
def _take(state, which, takers):
    """The tricks at tables which[:] are those of takers [n], as they lie."""
    lies, top_cards = state.lies, state.top_cards
    for i in range(len(which)):
        table, seat = which[i], takers[i]
        state.owner[table], state.to_beat[table] = seat, state.lies_form[table, seat]
        filled = 0
        for card in range(lies.shape[2]):
            for _ in range(lies[table, seat, card]):
                top_cards[table, filled] = card
                filled += 1
        for place in range(filled, top_cards.shape[1]):
            top_cards[table, place] = NO_CARD


@njit(cache=True, nogil=True)
def _turn(state, turns, which, seats, lo, hi):
    """Whose turn it is at the tables which[lo:hi] after seats [n] have acted; returns the first without one, or -1."""
    entries, classes = turns.table, turns.laid_class
    for i in range(lo, hi):
        table = which[i]
        entry = entries[
            np.int64(seats[i]) * turns.acted + np.int64(state.owner[table]) * turns.owner
            + np.int64(state.passed[table]) * turns.passed + np.int64(state.gone_by[table]) * turns.gone_by
            + np.int64(state.out[table]) * turns.out + np.int64(classes[state.laid[table]]) * turns.laid
            + np.int64(state.context[table]) * turns.context + np.int64(state.leader[table]) * turns.leader
        ]  # fmt: skip
        if entry == NO_TURN:
            return table
        state.seat[table] = entry & NEXT_SEAT
        if entry & OVER:
            close(state, turns.leftover, table)
        if entry & TRICK_OVER:
            state.to_beat[table], state.owner[table] = LEADING, state.seat[table]
            state.passed[table], state.gone_by[table] = 0, 0
    return -1
