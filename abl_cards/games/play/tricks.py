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

from abl_cards.games.faults import blame, several, stop_where
from abl_cards.games.play.shown import Happen, show, spread
from abl_cards.games.play.state import NEXT_SEAT, NO_TURN, OVER, TRICK_OVER, State, close, finish
from abl_cards.games.play.view import fill_laying
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD, Indices, MoveLists, Moves
from abl_cards.games.telling.writer import Fill, columns_of, lazily, rows_of
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
    form: NDArray[np.int16]  # [n] what was laid last
    state: State
    which: Indices  # [n] the tables

    def fills(self) -> dict[str, Fill]:
        """What fills each group of columns."""
        state, which, context = self.state, self.which, self.state.context[self.which]
        rows = np.arange(len(which))
        acts: list[NDArray[np.integer]] = [
            self.acted,
            self.owner,
            state.passed[which],
            state.gone_by[which],
            state.out[which],
        ]
        return {
            "lies": lambda lo, hi, columns, used: self.rules.cells.fold_seats(
                self.lies, rows, context, used, lo, hi, columns
            ),
            "laying": fill_laying(self.lies, rows),
            "leader": lazily(lambda _: self.leader),
            "act": columns_of(acts),
            "move": columns_of([self.form, self.rules.forms.label_of[self.form]]),
            "fluents": rows_of(state.fluents, which),
        }

    def answers(self) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """[seats, n] who takes each trick, and [n] whether the seat lays another card to its play."""
        told, n = self.rules.taking, len(self.which)
        assert told is not None
        takes, more = np.zeros((self.rules.table.seats, n), np.uint8), np.zeros(n, np.bool_)
        for (name, arguments), truth in zip(told.circuit.outputs, told.ask(n, self.fills()), strict=True):
            if name == "more":
                more = truth == 1
            else:
                takes[int(arguments[0])] = truth
        return takes, more


# --- laying cards -----------------------------------------------------------------------------------------------------


Tell = Callable[[Indices, Moves], None]
"""Told of the tables where a composed play is whole, and of all its cards, before anything comes of it."""


def lay(
    rules: Rules, state: State, which: Indices, moves: Moves, tell: Tell | None, happen: Happen | None = None
) -> tuple[Indices, list[int]]:
    """Apply a play or a pass at each of these tables; happen, where plays are shown before they lie.

    Returns those where it is whole, and tables whose turn nobody has, by share, or -1. Raises TableError where nobody
    takes the trick, or several do.
    """
    passing = rules.forms.passing
    each_share(len(which), lambda lo, hi: _lay(state, passing, which, lo, hi, *moves))
    owner = state.owner[which]
    more = _settle(rules, state, which, state.seat[which], moves)
    if rules.composing:
        state.picking[which] = more
        which, moves = which[~more], _whole(rules, state, which[~more], moves.form[~more])
        if tell and which.size:
            tell(which, moves)
        if happen:
            back = show(rules, state, which, moves, happen)
            if back.size:
                state.owner[which[back]] = owner[~more][back]
                settle(rules, state, which[back])
    seats, turns = state.seat[which], rules.turns
    each_share(len(which), lambda lo, hi: _act(state, passing, which, lo, hi, *moves))
    return which, each_share(len(which), lambda lo, hi: _turn(state, turns, which, seats, lo, hi))


def _whole(rules: Rules, state: State, which: Indices, form: NDArray[np.int16]) -> Moves:
    """Plays with all the cards that their seats have laid; what ends one of open length is no pass."""
    laid = state.lies[which, state.seat[which]]
    cards = np.full((len(which), rules.widest), NO_CARD, np.uint8)
    spread(laid, cards, np.arange(len(which)))
    ended = (form == rules.forms.passing) & laid.any(axis=1)
    return Moves(np.where(ended, state.lies_form[which, state.seat[which]], form).astype(np.int16), cards)


def settle(rules: Rules, state: State, which: Indices) -> None:
    """Say whose the tricks at these tables are as they lie, and so what there is to beat; raises TableError."""
    some = which[(state.lies_form[which] >= 0).any(axis=1)]
    takes, _ = _trick_at(rules, state, some, state.acted[some], state.lies_form[some, state.acted[some]]).answers()
    _decide(rules, state, some, takes)


def _settle(rules: Rules, state: State, which: Indices, seats: NDArray[np.int8], moves: Moves) -> NDArray[np.bool_]:
    """The same after seats [n] have laid cards; [n] whether they lay another one to the same play."""
    takes, more = _trick_at(rules, state, which, seats, moves.form).answers()
    cards = (moves.cards != NO_CARD).sum(axis=1)
    more &= cards == rules.forms.cards_of[moves.form]  # a play that comes whole is whole
    if more.any():
        more &= (moves.form != rules.forms.passing) & state.hands[which, seats].any(axis=1)
    done = ~more & (state.lies_form[which] >= 0).any(axis=1)
    _decide(rules, state, which[done], takes[:, done])
    return more


def _trick_at(rules: Rules, state: State, which: Indices, acted: NDArray[np.int8], form: NDArray[np.int16]) -> Trick:
    return Trick(rules, state.lies[which], state.leader[which], acted, state.owner[which], form, state, which)


def _decide(rules: Rules, state: State, which: Indices, takes: NDArray[np.uint8]) -> None:
    takers = takes.argmax(axis=0).astype(np.int8)
    wrong = (takes.sum(axis=0) != 1) | (state.lies_form[which, takers] < 0)
    stop_where(wrong, which, lambda row: _nobody(rules, takes[:, row]))
    _take(state, which, takers)


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
    decision = lists.decision
    seats = view.seats[decision]
    found, _ = after(rules, view.state, view.which[decision], seats, Moves(lists.form, lists.cards)).answers()
    mine: NDArray[np.uint8] = found[seats, np.arange(len(seats))]
    return mine


def after(rules: Rules, state: State, which: Indices, seats: NDArray[np.int8], moves: Moves) -> Trick:
    """The tricks at tables which [n] as they will lie when seats [n] have made these moves."""
    lies = state.lies[which]
    _add(lies, seats, moves.cards)
    leader = np.where(state.to_beat[which] == LEADING, seats, state.leader[which]).astype(np.int8)
    return Trick(rules, lies, leader, seats, state.owner[which], np.maximum(moves.form, 0), state, which)


@njit(cache=True, nogil=True)
def _add(lies, seats, cards):
    """Add cards [n, most] to those of seats [n] in lies [n, seats, kinds]."""
    for i in range(len(seats)):
        for card in cards[i]:
            if card != NO_CARD:
                lies[i, seats[i], card] += 1


@njit(cache=True, nogil=True)
def _lay(state, passing, which, lo, hi, form, cards):
    """Move cards from a hand into the trick at each of the tables which[lo:hi]."""
    hands, played, lies, lies_form = state.hands, state.played, state.lies, state.lies_form
    seats, clock, idle, to_beat, leader = state.seat, state.clock, state.idle, state.to_beat, state.leader
    for i in range(lo, hi):
        table, seat = which[i], np.int64(seats[which[i]])
        clock[table] += 1
        idle[table] += 1
        if to_beat[table] == LEADING:
            leader[table] = seat
        if form[i] != passing:
            idle[table] = 0
            lies_form[table, seat] = form[i]
            for at in range(cards.shape[1]):
                card = cards[i, at]
                if card != NO_CARD:
                    hands[table, seat, card] -= 1
                    played[table, seat, card] += 1
                    lies[table, seat, card] += 1


@njit(cache=True, nogil=True)
def _act(state, passing, which, lo, hi, form, cards):
    """Take note of the whole play, or pass, at each of the tables which[lo:hi]."""
    recent, recent_seat, hands, acts = state.recent, state.recent_seat, state.hands, state.acts
    seats, acted, laid, plays = state.seat, state.acted, state.laid, state.plays
    passed, gone_by, most = state.passed, state.gone_by, cards.shape[1]
    for i in range(lo, hi):
        table, seat = which[i], np.int64(seats[which[i]])
        place = np.int64(acts[table]) % recent.shape[1]
        acts[table] += 1
        acted[table], laid[table], recent_seat[table, place] = seat, form[i], seat
        for at in range(recent.shape[2]):
            recent[table, place, at] = cards[i, at] if at < most else NO_CARD
        if form[i] == passing:
            passed[table] |= np.uint16(1 << seat)
            gone_by[table] |= np.uint16(1 << seat)
            continue
        plays[table, seat] += 1
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
