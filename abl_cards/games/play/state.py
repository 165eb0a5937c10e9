"""What lies on the tables of a game, in arrays; and the kernels that change it.

No rule is decided here. Legality comes from circuits; who plays next, and whether a trick or the episode is over, comes
from a table that the circuit of ``turn/1, trick_over, over`` filled in advance, or from that circuit itself.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.tables import LEADING, NO_CARD
from abl_cards.streams import below, mix

PLAY, CHOICE, EPISODE_OVER, MATCH_OVER, DRAWING = range(5)
"""Stages of a table; which choice is asked for is a number of its own. Nobody is asked where cards are drawn."""

NOTHING = LEADING - 1
"""What there is to beat when a seat does not play at all."""

NOBODY = -1


class State(NamedTuple):
    """The state of many tables, one row a table; see the module."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds] cards that are nobody's: the kitty
    played: NDArray[np.uint8]  # [n, seats, kinds] cards laid down in the episode, by seat
    stage: NDArray[np.int8]  # [n]
    choice: NDArray[np.int8]  # [n] the number of the choice that is asked for, -1 for none
    chosen: NDArray[np.int16]  # [n] the number of the option chosen last, -1 for none
    seat: NDArray[np.int8]  # [n] the seat to decide
    to_beat: NDArray[np.int16]  # [n] form, or LEADING
    top_cards: NDArray[np.uint8]  # [n, most] the cards of the play to beat, as in Moves
    owner: NDArray[np.int8]  # [n] whose play it is
    acted: NDArray[np.int8]  # [n] who acted last
    laid: NDArray[np.int16]  # [n] the form of the last act, the pass among them; -1 for none
    passed: NDArray[np.uint16]  # [n] seats as bits, since the play to beat
    gone_by: NDArray[np.uint16]  # [n] seats that have passed in the trick
    out: NDArray[np.uint16]  # [n] seats without cards
    order: NDArray[np.int8]  # [n, seats] seats by finish, NOBODY where open
    clock: NDArray[np.int32]  # [n] decisions so far in the match
    acts: NDArray[np.int32]  # [n] plays and passes so far in the episode
    idle: NDArray[np.int32]  # [n] decisions since a card was laid
    plays: NDArray[np.int16]  # [n, seats] how often each seat has laid down cards
    recent: NDArray[np.uint8]  # [n, recent, most] the cards of act k at k % recent, as in Moves
    recent_seat: NDArray[np.int8]  # [n, recent] who acted
    context: NDArray[np.int16]  # [n] see reading/contexts.py
    fluents: NDArray[np.int16]  # [n, slots] see reading/fluents.py
    lots: NDArray[np.int16]  # [n, lots] random numbers of the match
    habits: NDArray[
        np.uint64
    ]  # [n, seats, 3, kinds] what seats have shown, see play/habits.py; no kinds where nobody asks
    leader: NDArray[np.int8]  # [n] who leads the trick, or led it
    lies: NDArray[np.uint8]  # [n, seats, kinds] cards laid in the trick, see play/tricks.py; no kinds without tricks
    lies_form: NDArray[np.int16]  # [n, seats] the form that each seat has laid in the trick, -1 for none
    picking: NDArray[np.bool_]  # [n] the seat to decide lays another card to its play
    stock: NDArray[np.uint8]  # [n, cards] the cards in the order in which they are drawn, see play/stock.py; or none
    drawn: NDArray[np.int16]  # [n] how many of them have been drawn
    drew: NDArray[np.int8]  # [n] who drew the last one
    fresh: NDArray[np.bool_]  # [n] nothing has been chosen since


def empty_state(
    n: int, seats: int, kinds: int, recent: int, most: int, slots: int, lots: int, habits: int = 0,
    tricks: bool = False, stock: int = 0,
) -> State:  # fmt: skip
    """Tables with nothing on them."""
    return State(
        hands=np.zeros((n, seats, kinds), np.uint8), aside=np.zeros((n, kinds), np.uint8),
        played=np.zeros((n, seats, kinds), np.uint8), stage=np.full(n, MATCH_OVER, np.int8),
        choice=np.full(n, -1, np.int8), chosen=np.full(n, -1, np.int16), seat=np.zeros(n, np.int8),
        to_beat=np.full(n, LEADING, np.int16),
        top_cards=np.full((n, most), NO_CARD, np.uint8), owner=np.zeros(n, np.int8), acted=np.zeros(n, np.int8),
        laid=np.full(n, -1, np.int16),
        passed=np.zeros(n, np.uint16), gone_by=np.zeros(n, np.uint16), out=np.zeros(n, np.uint16),
        order=np.full((n, seats), NOBODY, np.int8), clock=np.zeros(n, np.int32), acts=np.zeros(n, np.int32),
        idle=np.zeros(n, np.int32), plays=np.zeros((n, seats), np.int16),
        recent=np.full((n, recent, most), NO_CARD, np.uint8),
        recent_seat=np.full((n, recent), NOBODY, np.int8), context=np.zeros(n, np.int16),
        fluents=np.zeros((n, slots), np.int16), lots=np.zeros((n, lots), np.int16),
        habits=np.zeros((n, seats, 3, habits), np.uint64), leader=np.full(n, NOBODY, np.int8),
        lies=np.zeros((n, seats, kinds if tricks else 0), np.uint8), lies_form=np.full((n, seats), -1, np.int16),
        picking=np.zeros(n, np.bool_), stock=np.zeros((n, stock), np.uint8), drawn=np.zeros(n, np.int16),
        drew=np.full(n, NOBODY, np.int8), fresh=np.zeros(n, np.bool_),
    )  # fmt: skip


class Strides(NamedTuple):
    """Of what the rules' answer who is next depends on; 0 where it does not."""

    acted: int
    owner: int
    passed: int
    gone_by: int
    out: int
    laid: int
    leader: int


class Turns(NamedTuple):
    """Who is next, by what that depends on: the entry is at the sum of each value times its stride."""

    table: NDArray[np.uint8]  # [entries] the next seat, and TRICK_OVER, OVER; NO_TURN where nobody is named; or none
    strides: Strides
    laid_class: NDArray[np.int32]  # [forms] what the answer tells of the form that was laid down
    leftover: NDArray[np.int8]  # [seats] in which order those who still hold cards take the last places


NEXT_SEAT, TRICK_OVER, OVER = 31, 32, 64
NO_TURN = 255


class Turn(NamedTuple):
    """What the rules say after an act."""

    seat: int
    trick_over: bool
    over: bool


def next_turn(turns: Turns, acted: int, owner: int, passed: int, gone_by: int, out: int, form: int) -> Turn:
    """Who is next after an act, for a trick that lies on no table; whoever passed, and is out, as bits.

    Nobody where the rules name no seat, or several.
    """
    laid = turns.laid_class[form]
    entry = int(entry_at(turns.table, turns.strides, acted, owner, passed, gone_by, out, laid, 0))
    if entry == NO_TURN:
        return Turn(NOBODY, False, False)
    return Turn(entry & NEXT_SEAT, bool(entry & TRICK_OVER), bool(entry & OVER))


@njit(cache=True, nogil=True)
def deal(keys, which, deck, sizes, hands, aside):
    """Shuffle the pack with each key; sizes [seats] cards to each seat of tables which[:], the rest aside; keys [n]."""
    cards, shuffled = len(deck), np.empty(len(deck), np.uint8)
    for i in range(len(which)):
        shuffled[:] = deck
        for place in range(cards - 1, 0, -1):
            other = np.int64(below(mix(keys[i], np.uint64(place)), np.uint64(place + 1)))
            shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
        hands[which[i]] = 0
        aside[which[i]] = 0
        at = 0
        for seat in range(len(sizes)):
            for _ in range(sizes[seat]):
                hands[which[i], seat, shuffled[at]] += 1
                at += 1
        for place in range(at, cards):
            aside[which[i], shuffled[place]] += 1


@njit(cache=True, nogil=True)
def count_cards(cards):
    """[n] how many cards there are in all in cards [n, kinds]."""
    flat, kinds, found = cards.reshape(cards.size), np.uint64(cards.shape[1]), np.empty(len(cards), np.int16)
    for i in range(np.uint64(len(cards))):
        count = np.uint64(0)
        for kind in range(kinds):
            count += flat[i * kinds + kind]
        found[i] = count
    return found


# Arrays are taken out of the tuples once: where that happens in a loop, each costs a counted reference.


@njit(cache=True, nogil=True)
def entry_at(entries, strides, acted, owner, passed, gone_by, out, laid, leader):
    """What the table of turns says after an act; laid is the class of the form, leader 0 where nobody takes tricks."""
    return entries[
        np.int64(acted) * strides.acted + np.int64(owner) * strides.owner + np.int64(passed) * strides.passed
        + np.int64(gone_by) * strides.gone_by + np.int64(out) * strides.out + np.int64(laid) * strides.laid
        + np.int64(leader) * strides.leader
    ]  # fmt: skip


@njit(cache=True, nogil=True)
def hand_on(entry, table, seats, to_beat, owner, passed, gone_by):
    """Hand the turn on at a table as an entry says, which is not NO_TURN; the others are arrays of the state."""
    seats[table] = entry & NEXT_SEAT
    if entry & TRICK_OVER:
        to_beat[table], owner[table] = LEADING, seats[table]
        passed[table], gone_by[table] = 0, 0


AHEAD = np.uint64(256)
"""Tables whose hands are touched one after the other before they are changed: so they are fetched side by side."""


EMPTY_PLAY = -2
"""Less the number of a table: a play without cards is made there, and no pass."""


@njit(cache=True, nogil=True)
def lay_down(state, turns, passing, which, lo, hi, form, cards):
    """Apply one play or pass at each of the tables which[lo:hi].

    Returns the first one whose turn nobody has, EMPTY_PLAY less the first one where a play has no cards, or -1.
    """
    seats, acts, clock, idle, acted, laid = state.seat, state.acts, state.clock, state.idle, state.acted, state.laid
    recent, recent_seat, passed, gone_by = state.recent, state.recent_seat, state.passed, state.gone_by
    to_beat, owner, out = state.to_beat, state.owner, state.out
    plays, top_cards, entries, classes = state.plays, state.top_cards, turns.table, turns.laid_class
    hands, played, strides = state.hands, state.played, turns.strides
    depth, width, kinds = np.uint64(recent.shape[1]), np.uint64(recent.shape[2]), np.uint64(hands.shape[2])
    most = min(np.uint64(cards.shape[1]), width)
    sides, one, touched = np.uint64(hands.shape[1]), np.uint64(1), np.zeros(1, np.uint8)
    holding, gone = hands.reshape(hands.size), played.reshape(played.size)
    acting, top, given = recent.reshape(recent.size), top_cards.reshape(top_cards.size), cards.reshape(cards.size)
    for i in range(np.uint64(lo), np.uint64(hi)):
        if (i - np.uint64(lo)) % AHEAD == 0:
            some = np.uint8(0)
            for ahead in range(i, min(i + AHEAD, np.uint64(hi))):
                table = np.uint64(which[ahead])
                first = (table * sides + np.uint64(seats[table])) * kinds
                some |= holding[first] | gone[first] | holding[first + kinds - one] | gone[first + kinds - one]
                some |= acting[table * depth * width]
            touched[0] |= some
        table, index = np.uint64(which[i]), form[i]
        seat = np.uint64(seats[table])
        place, at = np.uint64(acts[table]) % depth, i * np.uint64(cards.shape[1])
        clock[table] += 1
        acts[table] += 1
        acted[table], laid[table] = seat, index
        recent_seat[table, place] = seat
        to = (table * depth + place) * width
        for k in range(most):
            acting[to + k] = given[at + k]
        for k in range(most, width):
            acting[to + k] = NO_CARD
        if index == passing:
            idle[table] += 1
            passed[table] |= np.uint16(1 << seat)
            gone_by[table] |= np.uint16(1 << seat)
        else:
            if given[at] == NO_CARD:
                return EMPTY_PLAY - np.int64(table)
            to = table * width
            for k in range(most):
                top[to + k] = given[at + k]
            for k in range(most, width):
                top[to + k] = NO_CARD
            first = (table * sides + seat) * kinds
            for k in range(most):
                card = np.uint64(given[at + k])
                if card == NO_CARD:
                    break
                holding[first + card] -= np.uint8(1)
                gone[first + card] += np.uint8(1)
            plays[table, seat] += 1
            idle[table] = 0
            to_beat[table], owner[table], passed[table] = index, seat, 0
            left = np.uint8(0)
            for k in range(kinds):
                left |= holding[first + k]
            if left == 0:
                finish(state, np.int64(table), np.int64(seat))
        if len(entries) == 0:
            continue  # the turn is handed on when what the act changes is remembered
        entry = entry_at(
            entries, strides, seat, owner[table], passed[table], gone_by[table], out[table], classes[index], 0
        )
        if entry == NO_TURN:
            return np.int64(table)
        if entry & OVER:
            close(state, turns.leftover, np.int64(table))
        hand_on(entry, table, seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def hand_on_all(state, leftover, which, entries, lo, hi):
    """Hand the turn on at the tables which[lo:hi] as entries [n] say; returns the first one of nobody's turn, or -1."""
    seats, to_beat, owner, passed, gone_by = state.seat, state.to_beat, state.owner, state.passed, state.gone_by
    for i in range(lo, hi):
        if entries[i] == NO_TURN:
            return which[i]
        if entries[i] & OVER:
            close(state, leftover, which[i])
        hand_on(entries[i], which[i], seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def close_all(state, leftover, which):
    """These episodes are over."""
    for table in which:
        close(state, leftover, table)


@njit(cache=True, nogil=True)
def close(state, leftover, table):
    """The episode is over: who still holds cards takes the last places."""
    for seat in leftover:
        if not (state.out[table] >> np.uint16(seat)) & np.uint16(1):
            finish(state, table, np.int64(seat))
    state.stage[table] = EPISODE_OVER


@njit(cache=True, nogil=True)
def finish(state, table, seat):
    """Give the seat the next place, unless it has one: a seat that got cards again keeps its place."""
    if (state.out[table] >> np.uint16(seat)) & np.uint16(1):
        return
    place = 0
    while state.order[table, place] >= 0:
        place += 1
    state.order[table, place] = seat
    state.out[table] |= np.uint16(1 << seat)


@njit(cache=True, nogil=True)
def forget(state, which):
    """Cards are dealt at tables which[:]: forget the episode before, who acted last and what was chosen among it."""
    seats, kinds, most = state.hands.shape[1], state.hands.shape[2], state.top_cards.shape[1]
    order, played, plays, habits = state.order, state.played, state.plays, state.habits
    lies, lies_form = state.lies, state.lies_form
    recent, recent_seat, top_cards = state.recent, state.recent_seat, state.top_cards
    for table in which:
        state.passed[table] = state.gone_by[table] = state.out[table] = 0
        state.acts[table] = state.idle[table] = 0
        state.laid[table], state.to_beat[table] = -1, LEADING
        state.seat[table], state.owner[table], state.acted[table] = 0, NOBODY, NOBODY
        state.choice[table] = state.chosen[table] = -1
        state.leader[table], state.picking[table] = NOBODY, False
        state.drawn[table], state.drew[table], state.fresh[table] = 0, NOBODY, False
        for seat in range(seats):
            lies_form[table, seat] = -1
            for kind in range(lies.shape[2]):
                lies[table, seat, kind] = 0
            order[table, seat], plays[table, seat] = NOBODY, 0
            for kind in range(kinds):
                played[table, seat, kind] = 0
            for block in range(habits.shape[2]):
                for kind in range(habits.shape[3]):
                    habits[table, seat, block, kind] = 0
        for act in range(recent.shape[1]):
            recent_seat[table, act] = NOBODY
            for at in range(most):
                recent[table, act, at] = NO_CARD
        for at in range(most):
            top_cards[table, at] = NO_CARD


AGAIN, ASKS, LEADS, DRAWS = range(4)
"""What an output of the question who is asked says."""


@njit(cache=True, nogil=True)
def control(answers, asking):
    """[n] whether to deal again, the choice asked for or -1, who is asked, leads, draws; how many are asked, and lead.

    answers [outputs, n]; asking [outputs, 3] is what each of them says, of which choice, and of which seat.
    """
    n = answers.shape[1]
    again, stage, leaders = np.zeros(n, np.bool_), np.full(n, -1, np.int8), np.zeros(n, np.int8)
    seat, leader, askings = np.zeros(n, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int8)
    drawer, drawers = np.full(n, NOBODY, np.int8), np.zeros(n, np.int8)
    for output in range(len(asking)):
        what, choice, who = asking[output]
        for i in range(n):
            if answers[output, i]:
                if what == AGAIN:
                    again[i] = True
                elif what == ASKS:
                    stage[i], seat[i] = choice, who
                    askings[i] += 1
                elif what == DRAWS:
                    drawer[i] = who
                    drawers[i] += 1
                else:
                    leader[i] = who
                    leaders[i] += 1
    return again, stage, seat, leader, drawer, askings, leaders, drawers


@njit(cache=True, nogil=True)
def add_points(answers, worth, points):
    """Add up points [n, seats] by answers [outputs, n]; worth [m, 3] is an output, its seat and its points."""
    for row in range(len(worth)):
        output, seat, count = worth[row, 0], worth[row, 1], worth[row, 2]
        for i in range(answers.shape[1]):
            if answers[output, i]:
                points[i, seat] += count


@njit(cache=True, nogil=True)
def best(sides, total, drawn):
    """[n] the side of most points, drawn where several have as many; sides [n, seats], total [n, seats]."""
    n, seats = sides.shape
    found = np.empty(n, np.int8)
    for i in range(n):
        most, shared = np.int64(0), False
        for seat in range(seats):
            points, first = np.int64(0), True
            for other in range(seats):
                if sides[i, other] == sides[i, seat]:
                    points += total[i, other]
                    first &= other >= seat
            if first and (seat == 0 or points > most):
                most, found[i], shared = points, sides[i, seat], False
            elif first and points == most:
                shared = True
        if shared:
            found[i] = drawn
    return found
