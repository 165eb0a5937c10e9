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

from abl_cards.games.faults import TableError, blame, several, stop_where
from abl_cards.games.play.shown import Happen, lay_row, show
from abl_cards.games.play.state import EMPTY_PLAY, NO_TURN, OVER, State, close, entry_at, finish, hand_on
from abl_cards.games.play.view import act_column, fill_laying
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD, Indices, MoveLists, Moves
from abl_cards.games.telling.counted import Laid
from abl_cards.games.telling.writer import Fill, columns_of, lazily, rows_of
from abl_cards.parallel import LIGHT, each_share

if TYPE_CHECKING:
    from abl_cards.games.play.choices import Choices
    from abl_cards.games.play.decisions import Decisions


_OF_STATE = 2
"""From this column on, what is said of acts lies on the table."""


@dataclass(frozen=True)
class Trick:
    """What lies in n tricks, as ``takes/1`` is told of it."""

    rules: Rules
    lies: NDArray[np.uint8]  # [any, seats, kinds]
    rows: Indices  # [n] where those of each trick are
    leader: NDArray[np.int8]  # [n]
    acted: NDArray[np.int8]  # [n] who has laid the last cards
    owner: NDArray[np.int8]  # [n] whose trick it was before
    form: NDArray[np.int16]  # [n] what was laid last
    state: State
    which: Indices  # [n] the tables

    def fills(self) -> dict[str, Fill]:
        """What fills each group of columns."""
        state, which, context = self.state, self.which, self.state.context[self.which]
        return {
            "lies": Laid(self.rules.cells, self.lies, self.rows, lambda: context),
            "laying": fill_laying(self.lies, self.rows),
            "leader": lazily(lambda _: self.leader),
            "act": lazily(self._act_column),
            "move": columns_of([self.form, self.rules.forms.label_of[self.form]]),
            "fluents": rows_of(state.fluents, which),
        }

    def _act_column(self, column: int) -> NDArray[np.integer]:
        if column < _OF_STATE:
            return self.owner if column else self.acted
        return act_column(self.state, self.which, column)

    def answers(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """[seats, n] who takes each trick, and [n] whether the seat lays another card to its play."""
        told, n = self.rules.taking, len(self.which)
        assert told is not None
        takes, more = np.zeros((self.rules.table.seats, n), np.uint8), np.zeros(n, np.uint8)
        for (name, arguments), truth in zip(told.circuit.outputs, told.ask(n, self.fills()), strict=True):
            if name == "more":
                more = truth
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
    passing, seats, turns = rules.forms.passing, state.seat[which], rules.turns
    each_share(len(which), lambda lo, hi: _lay(state, passing, which, lo, hi, *moves), least=LIGHT)
    owner = state.owner[which] if happen else None
    whole = _settle(rules, state, which, seats, moves)
    if rules.composing:
        which = which[whole]
        moves, laid = _whole(rules, state, which, moves.form[whole])
        if tell and which.size:
            tell(which, moves)
        if happen and owner is not None:
            back = show(rules, state, which, moves, laid, happen)
            if back.size:
                state.owner[which[back]] = owner[whole][back]
                settle(rules, state, which[back])
    stuck = each_share(len(which), lambda lo, hi: _act(state, turns, passing, which, lo, hi, *moves), least=LIGHT)
    return which, stuck


def _whole(rules: Rules, state: State, which: Indices, form: NDArray[np.int16]) -> tuple[Moves, NDArray[np.int16]]:
    """Plays with all the cards that their seats have laid, and how many; what ends one of open length is no pass."""
    moves, laid = Moves(form, np.empty((len(which), rules.widest), np.uint8)), np.empty(len(which), np.int16)
    passing = rules.forms.passing
    each_share(len(which), lambda lo, hi: _gather(state, passing, which, lo, hi, *moves, laid), least=LIGHT)
    stop_where(laid > rules.widest, which, lambda row: _too_wide(rules, int(laid[row])))
    return moves, laid


def _too_wide(rules: Rules, cards: int) -> str:
    """That a play of several parts has more cards than any may have."""
    where = blame(rules.kb, "composes/1", "more/0")
    return f"a play of {cards} cards was laid card by card, and `composes/1` allows {rules.widest}{where}"


def settle(rules: Rules, state: State, which: Indices) -> None:
    """Say whose the tricks at these tables are as they lie, and so what there is to beat; raises TableError."""
    some = which[(state.lies_form[which] >= 0).any(axis=1)]
    takes, _ = _trick_at(rules, state, some, state.acted[some], state.lies_form[some, state.acted[some]]).answers()
    every, n = np.ones(len(some), np.bool_), len(some)
    found = each_share(n, lambda lo, hi: _take(state, some, takes, every, lo, hi), least=LIGHT)
    _stop_unclear(rules, some, takes, found)


def unclear(rules: Rules, state: State, which: Indices) -> Indices:
    """Those of these tables whose tricks, as they lie, nobody takes who has laid a card, or several do."""
    some = which[(state.lies_form[which] >= 0).any(axis=1)]
    takes, _ = _trick_at(rules, state, some, state.acted[some], state.lies_form[some, state.acted[some]]).answers()
    one = (takes.sum(axis=0) == 1) & (state.lies_form[some, takes.argmax(axis=0)] >= 0)
    return some[~one]


def _settle(rules: Rules, state: State, which: Indices, seats: NDArray[np.int8], moves: Moves) -> NDArray[np.bool_]:
    """The same after seats [n] have laid cards; [n] whether their plays are whole now."""
    takes, more = _trick_at(rules, state, which, seats, moves.form).answers()
    whole, forms = np.empty(len(which), np.bool_), rules.forms

    def end(lo: int, hi: int) -> int:
        _end_plays(state, forms.passing, forms.cards_of, which, seats, more, lo, hi, *moves, whole)
        return int(_take(state, which, takes, whole, lo, hi))

    _stop_unclear(rules, which, takes, each_share(len(which), end, least=LIGHT))
    return whole


def _trick_at(rules: Rules, state: State, which: Indices, acted: NDArray[np.int8], form: NDArray[np.int16]) -> Trick:
    return Trick(rules, state.lies, which, state.leader[which], acted, state.owner[which], form, state, which)


def _stop_unclear(rules: Rules, which: Indices, takes: NDArray[np.uint8], found: list[int]) -> None:
    """Raise TableError where nobody takes a trick, or several do: found is such a place by share, or -1."""
    for wrong in found:
        if wrong >= 0:
            raise TableError(int(which[wrong]), _nobody(rules, takes[:, wrong]))


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
    form, rows = np.maximum(moves.form, 0), np.arange(len(which))
    return Trick(rules, lies, rows, leader, seats, state.owner[which], form, state, which)


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
                if card == NO_CARD:
                    break
                hands[table, seat, card] -= 1
                played[table, seat, card] += 1
                lies[table, seat, card] += 1


@njit(cache=True, nogil=True)
def _act(state, turns, passing, which, lo, hi, form, cards):
    """Take note of whole plays, and passes, at the tables which[lo:hi], and of whose turn it is then.

    Returns the first table where that is nobody, EMPTY_PLAY less the first one where a play has no cards, or -1.
    """
    recent, recent_seat, hands, acts = state.recent, state.recent_seat, state.hands, state.acts
    seats, acted, laid, plays = state.seat, state.acted, state.laid, state.plays
    passed, gone_by, owner, out = state.passed, state.gone_by, state.owner, state.out
    leader, to_beat = state.leader, state.to_beat
    entries, strides, classes = turns.table, turns.strides, turns.laid_class
    depth, width = np.uint64(recent.shape[1]), np.uint64(recent.shape[2])
    most = min(np.uint64(cards.shape[1]), width)
    for i in range(lo, hi):
        table, seat = which[i], np.int64(seats[which[i]])
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
                return EMPTY_PLAY - table
            plays[table, seat] += 1
            left = np.uint8(0)
            for card in range(hands.shape[2]):
                left |= hands[table, seat, card]
            if left == 0:
                finish(state, table, seat)
        if len(entries) == 0:
            continue  # as in lay_down
        entry = entry_at(
            entries, strides, seat, owner[table], passed[table], gone_by[table], out[table], classes[index],
            leader[table],
        )  # fmt: skip
        if entry == NO_TURN:
            return table
        if entry & OVER:
            close(state, turns.leftover, table)
        hand_on(entry, table, seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def _end_plays(state, passing, cards_of, which, seats, more, lo, hi, form, cards, whole):
    """Whether plays are whole, for which[lo:hi]: all but those whose seats are to lay more [n], have it, and lay cards.

    A play that comes whole is whole.
    """
    hands, picking = state.hands, state.picking
    for i in range(lo, hi):
        whole[i] = True
        if more[i] and form[i] != passing:
            laid, left = 0, np.uint8(0)
            for at in range(cards.shape[1]):
                laid += cards[i, at] != NO_CARD
            for kind in range(hands.shape[2]):
                left |= hands[which[i], seats[i], kind]
            whole[i] = left == 0 or laid != cards_of[form[i]]
        picking[which[i]] = not whole[i]


@njit(cache=True, nogil=True)
def _gather(state, passing, which, lo, hi, form, cards, laid):
    """Write all the cards that seats at tables which[lo:hi] have laid in the trick, their forms, and how many."""
    lies, seats, lies_form = state.lies, state.seat, state.lies_form
    for i in range(lo, hi):
        table, seat = which[i], np.int64(seats[which[i]])
        laid[i] = filled = lay_row(lies[table, seat], cards[i])
        if form[i] == passing and filled > 0:
            form[i] = lies_form[table, seat]


@njit(cache=True, nogil=True)
def _take(state, which, takes, settled, lo, hi):
    """The tricks at tables which[lo:hi] that are settled, and have cards, are those of whom takes [seats, n] says.

    Returns the place of one where that is nobody who has laid a card, or several, or -1.
    """
    lies, top_cards, lies_form, owner, to_beat = (
        state.lies, state.top_cards, state.lies_form, state.owner, state.to_beat,
    )  # fmt: skip
    for i in range(lo, hi):
        table, taker, takers, there = which[i], 0, 0, False
        for seat in range(takes.shape[0]):
            there |= lies_form[table, seat] >= 0
            if takes[seat, i]:
                taker, takers = seat, takers + 1
        if not settled[i] or not there:
            continue
        if takers != 1 or lies_form[table, taker] < 0:
            return i
        owner[table], to_beat[table] = taker, lies_form[table, taker]
        lay_row(lies[table, taker], top_cards[table])
    return -1
