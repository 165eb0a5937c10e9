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

from abl_cards.core import scale_to_range, splitmix64
from abl_cards.games.types import LEADING, NO_CARD

PLAY, CHOICE, EPISODE_OVER, MATCH_OVER, DRAWING = range(5)
"""Stages of a table; which choice is asked for is a number of its own. Nobody is asked where cards are drawn."""

NOT_PLAYING = LEADING - 1
"""What there is to beat when a seat does not play at all."""

NO_SEAT = -1


class TableState(NamedTuple):
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
    last_actor: NDArray[np.int8]  # [n] who acted last
    last_form: NDArray[np.int16]  # [n] the form of the last act, the pass among them; -1 for none
    passed: NDArray[np.uint16]  # [n] seats as bits, since the play to beat
    passed_in_trick: NDArray[np.uint16]  # [n] seats that have passed in the trick
    seats_out: NDArray[np.uint16]  # [n] seats without cards
    finish_order: NDArray[np.int8]  # [n, seats] seats by finish, NO_SEAT where open
    num_decisions: NDArray[np.int32]  # [n] decisions so far in the match
    num_acts: NDArray[np.int32]  # [n] plays and passes so far in the episode
    idle_decisions: NDArray[np.int32]  # [n] decisions since a card was laid
    num_plays: NDArray[np.int16]  # [n, seats] how often each seat has laid down cards
    recent_cards: NDArray[np.uint8]  # [n, recent, most] the cards of act k at k % recent, as in Moves
    recent_seat: NDArray[np.int8]  # [n, recent] who acted
    context: NDArray[np.int16]  # [n] see description/order_contexts.py
    fluents: NDArray[np.int16]  # [n, slots] see description/fluents.py
    lots: NDArray[np.int16]  # [n, lots] random numbers of the match
    play_stats: NDArray[
        np.uint64
    ]  # [n, seats, 3, kinds] what seats have shown, see tables/play_stats.py; no kinds where nobody asks
    leader: NDArray[np.int8]  # [n] who leads the trick, or led it
    trick_cards: NDArray[
        np.uint8
    ]  # [n, seats, kinds] cards laid in the trick, see tables/tricks.py; no kinds without tricks
    trick_forms: NDArray[np.int16]  # [n, seats] the form that each seat has laid in the trick, -1 for none
    is_composing: NDArray[np.bool_]  # [n] the seat to decide lays another card to its play
    stock: NDArray[np.uint8]  # [n, cards] the cards in the order in which they are drawn, see tables/stock.py; or none
    num_drawn: NDArray[np.int16]  # [n] how many of them have been drawn
    last_drawer: NDArray[np.int8]  # [n] who drew the last one
    is_just_drawn: NDArray[np.bool_]  # [n] nothing has been chosen since


def empty_state(
    n: int, num_seats: int, num_kinds: int, num_recent: int, max_cards: int, num_fluents: int, num_lots: int,
    num_play_kinds: int = 0, has_tricks: bool = False, stock_size: int = 0,
) -> TableState:  # fmt: skip
    """Tables with nothing on them."""
    return TableState(
        hands=np.zeros((n, num_seats, num_kinds), np.uint8), aside=np.zeros((n, num_kinds), np.uint8),
        played=np.zeros((n, num_seats, num_kinds), np.uint8), stage=np.full(n, MATCH_OVER, np.int8),
        choice=np.full(n, -1, np.int8), chosen=np.full(n, -1, np.int16), seat=np.zeros(n, np.int8),
        to_beat=np.full(n, LEADING, np.int16), top_cards=np.full((n, max_cards), NO_CARD, np.uint8),
        owner=np.zeros(n, np.int8), last_actor=np.zeros(n, np.int8), last_form=np.full(n, -1, np.int16),
        passed=np.zeros(n, np.uint16), passed_in_trick=np.zeros(n, np.uint16), seats_out=np.zeros(n, np.uint16),
        finish_order=np.full((n, num_seats), NO_SEAT, np.int8), num_decisions=np.zeros(n, np.int32),
        num_acts=np.zeros(n, np.int32), idle_decisions=np.zeros(n, np.int32),
        num_plays=np.zeros((n, num_seats), np.int16),
        recent_cards=np.full((n, num_recent, max_cards), NO_CARD, np.uint8),
        recent_seat=np.full((n, num_recent), NO_SEAT, np.int8), context=np.zeros(n, np.int16),
        fluents=np.zeros((n, num_fluents), np.int16), lots=np.zeros((n, num_lots), np.int16),
        play_stats=np.zeros((n, num_seats, 3, num_play_kinds), np.uint64), leader=np.full(n, NO_SEAT, np.int8),
        trick_cards=np.zeros((n, num_seats, num_kinds if has_tricks else 0), np.uint8),
        trick_forms=np.full((n, num_seats), -1, np.int16), is_composing=np.zeros(n, np.bool_),
        stock=np.zeros((n, stock_size), np.uint8), num_drawn=np.zeros(n, np.int16),
        last_drawer=np.full(n, NO_SEAT, np.int8), is_just_drawn=np.zeros(n, np.bool_),
    )  # fmt: skip


class Strides(NamedTuple):
    """Of what the rules' answer who is next depends on; 0 where it does not."""

    last_actor: int
    owner: int
    passed: int
    passed_in_trick: int
    seats_out: int
    last_form: int
    leader: int


class TurnTable(NamedTuple):
    """Who is next, by what that depends on: the entry is at the sum of each value times its stride."""

    # [entries] the next seat, and TRICK_OVER_BIT, EPISODE_OVER_BIT; NO_NEXT_SEAT where nobody is named; or none
    entries: NDArray[np.uint8]
    strides: Strides
    form_class: NDArray[np.int32]  # [forms] what the answer tells of the form that was laid down
    leftover_order: NDArray[np.int8]  # [seats] in which order those who still hold cards take the last places


SEAT_MASK, TRICK_OVER_BIT, EPISODE_OVER_BIT = 31, 32, 64
NO_NEXT_SEAT = 255


class NextTurn(NamedTuple):
    """What the rules say after an act."""

    seat: int
    is_trick_over: bool
    is_episode_over: bool


def next_turn(
    turn_table: TurnTable, last_actor: int, owner: int, passed: int, passed_in_trick: int, seats_out: int, form: int
) -> NextTurn:
    """Who is next after an act, for a trick that lies on no table; whoever passed, and is out, as bits.

    Nobody where the rules name no seat, or several.
    """
    laid = turn_table.form_class[form]
    entry = int(
        turn_entry(
            turn_table.entries, turn_table.strides, last_actor, owner, passed, passed_in_trick, seats_out, laid, 0
        )
    )
    if entry == NO_NEXT_SEAT:
        return NextTurn(NO_SEAT, False, False)
    return NextTurn(entry & SEAT_MASK, bool(entry & TRICK_OVER_BIT), bool(entry & EPISODE_OVER_BIT))


@njit(cache=True, nogil=True)
def deal_cards(keys, rows, deck, sizes, hands, aside):
    """Shuffle the pack with each key; sizes [seats] cards to each seat of tables rows[:], the rest aside; keys [n]."""
    cards, shuffled = len(deck), np.empty(len(deck), np.uint8)
    for i in range(len(rows)):
        shuffled[:] = deck
        for place in range(cards - 1, 0, -1):
            other = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(place)), np.uint64(place + 1)))
            shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
        hands[rows[i]] = 0
        aside[rows[i]] = 0
        at = 0
        for seat in range(len(sizes)):
            for _ in range(sizes[seat]):
                hands[rows[i], seat, shuffled[at]] += 1
                at += 1
        for place in range(at, cards):
            aside[rows[i], shuffled[place]] += 1


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
def turn_entry(entries, strides, last_actor, owner, passed, passed_in_trick, seats_out, form_class, leader):
    """What the table of turns says after an act; laid is the class of the form, leader 0 where nobody takes tricks."""
    return entries[
        np.int64(last_actor) * strides.last_actor + np.int64(owner) * strides.owner + np.int64(passed) * strides.passed
        + np.int64(passed_in_trick) * strides.passed_in_trick + np.int64(seats_out) * strides.seats_out
        + np.int64(form_class) * strides.last_form + np.int64(leader) * strides.leader
    ]  # fmt: skip


@njit(cache=True, nogil=True)
def advance_turn(entry, table, seats, to_beat, owner, passed, passed_in_trick):
    """Hand the turn on at a table as an entry says, which is not NO_NEXT_SEAT; the others are arrays of the state."""
    seats[table] = entry & SEAT_MASK
    if entry & TRICK_OVER_BIT:
        to_beat[table], owner[table] = LEADING, seats[table]
        passed[table], passed_in_trick[table] = 0, 0


PREFETCH_TABLES = np.uint64(256)
"""Tables whose hands are touched one after the other before they are changed: so they are fetched side by side."""


EMPTY_PLAY_CODE = -2
"""Less the number of a table: a play without cards is made there, and no pass."""


@njit(cache=True, nogil=True)
def apply_plays(state, turn_table, passing, rows, lo, hi, form, cards):
    """Apply one play or pass at each of the tables rows[lo:hi].

    Returns the first one whose turn nobody has, EMPTY_PLAY_CODE less the first one where a play has no cards, or -1.
    """
    seats, acts, clock, idle, acted, laid = (
        state.seat,
        state.num_acts,
        state.num_decisions,
        state.idle_decisions,
        state.last_actor,
        state.last_form,
    )
    recent, recent_seat, passed, gone_by = state.recent_cards, state.recent_seat, state.passed, state.passed_in_trick
    to_beat, owner, out = state.to_beat, state.owner, state.seats_out
    plays, top_cards, entries, classes = state.num_plays, state.top_cards, turn_table.entries, turn_table.form_class
    hands, played, strides = state.hands, state.played, turn_table.strides
    depth, width, kinds = np.uint64(recent.shape[1]), np.uint64(recent.shape[2]), np.uint64(hands.shape[2])
    most = min(np.uint64(cards.shape[1]), width)
    sides, one, touched = np.uint64(hands.shape[1]), np.uint64(1), np.zeros(1, np.uint8)
    holding, gone = hands.reshape(hands.size), played.reshape(played.size)
    acting, top, given = recent.reshape(recent.size), top_cards.reshape(top_cards.size), cards.reshape(cards.size)
    for i in range(np.uint64(lo), np.uint64(hi)):
        if (i - np.uint64(lo)) % PREFETCH_TABLES == 0:
            some = np.uint8(0)
            for ahead in range(i, min(i + PREFETCH_TABLES, np.uint64(hi))):
                table = np.uint64(rows[ahead])
                first = (table * sides + np.uint64(seats[table])) * kinds
                some |= holding[first] | gone[first] | holding[first + kinds - one] | gone[first + kinds - one]
                some |= acting[table * depth * width]
            touched[0] |= some
        table, index = np.uint64(rows[i]), form[i]
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
                return EMPTY_PLAY_CODE - np.int64(table)
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
                record_finish(state, np.int64(table), np.int64(seat))
        if len(entries) == 0:
            continue  # the turn is handed on when what the act changes is remembered
        entry = turn_entry(
            entries, strides, seat, owner[table], passed[table], gone_by[table], out[table], classes[index], 0
        )
        if entry == NO_NEXT_SEAT:
            return np.int64(table)
        if entry & EPISODE_OVER_BIT:
            close_episode(state, turn_table.leftover_order, np.int64(table))
        advance_turn(entry, table, seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def advance_turns(state, leftover_order, rows, entries, lo, hi):
    """Hand the turn on at the tables rows[lo:hi] as entries [n] say; returns the first one of nobody's turn, or -1."""
    seats, to_beat, owner, passed, gone_by = state.seat, state.to_beat, state.owner, state.passed, state.passed_in_trick
    for i in range(lo, hi):
        if entries[i] == NO_NEXT_SEAT:
            return rows[i]
        if entries[i] & EPISODE_OVER_BIT:
            close_episode(state, leftover_order, rows[i])
        advance_turn(entries[i], rows[i], seats, to_beat, owner, passed, gone_by)
    return -1


@njit(cache=True, nogil=True)
def close_episodes(state, leftover_order, rows):
    """These episodes are over."""
    for table in rows:
        close_episode(state, leftover_order, table)


@njit(cache=True, nogil=True)
def close_episode(state, leftover_order, table):
    """The episode is over: who still holds cards takes the last places."""
    for seat in leftover_order:
        if not (state.seats_out[table] >> np.uint16(seat)) & np.uint16(1):
            record_finish(state, table, np.int64(seat))
    state.stage[table] = EPISODE_OVER


@njit(cache=True, nogil=True)
def record_finish(state, table, seat):
    """Give the seat the next place, unless it has one: a seat that got cards again keeps its place."""
    if (state.seats_out[table] >> np.uint16(seat)) & np.uint16(1):
        return
    place = 0
    while state.finish_order[table, place] >= 0:
        place += 1
    state.finish_order[table, place] = seat
    state.seats_out[table] |= np.uint16(1 << seat)


@njit(cache=True, nogil=True)
def reset_episodes(state, rows):
    """Cards are dealt at tables rows[:]: forget the episode before, who acted last and what was chosen among it."""
    seats, kinds, most = state.hands.shape[1], state.hands.shape[2], state.top_cards.shape[1]
    order, played, plays, habits = state.finish_order, state.played, state.num_plays, state.play_stats
    lies, lies_form = state.trick_cards, state.trick_forms
    recent, recent_seat, top_cards = state.recent_cards, state.recent_seat, state.top_cards
    for table in rows:
        state.passed[table] = state.passed_in_trick[table] = state.seats_out[table] = 0
        state.num_acts[table] = state.idle_decisions[table] = 0
        state.last_form[table], state.to_beat[table] = -1, LEADING
        state.seat[table], state.owner[table], state.last_actor[table] = 0, NO_SEAT, NO_SEAT
        state.choice[table] = state.chosen[table] = -1
        state.leader[table], state.is_composing[table] = NO_SEAT, False
        state.num_drawn[table], state.last_drawer[table], state.is_just_drawn[table] = 0, NO_SEAT, False
        for seat in range(seats):
            lies_form[table, seat] = -1
            for kind in range(lies.shape[2]):
                lies[table, seat, kind] = 0
            order[table, seat], plays[table, seat] = NO_SEAT, 0
            for kind in range(kinds):
                played[table, seat, kind] = 0
            for block in range(habits.shape[2]):
                for kind in range(habits.shape[3]):
                    habits[table, seat, block, kind] = 0
        for act in range(recent.shape[1]):
            recent_seat[table, act] = NO_SEAT
            for at in range(most):
                recent[table, act, at] = NO_CARD
        for at in range(most):
            top_cards[table, at] = NO_CARD


REDEAL, ASKS, LEADS, DRAWS = range(4)
"""What an output of the question who is asked says."""


@njit(cache=True, nogil=True)
def decode_control(answers, control_outputs):
    """[n] whether to deal again, the choice asked for or -1, who is asked, leads, draws; how many are asked, and lead.

    answers [outputs, n]; control_outputs [outputs, 3] is what each of them says, of which choice, and of which seat.
    """
    n = answers.shape[1]
    again, stage, leaders = np.zeros(n, np.bool_), np.full(n, -1, np.int8), np.zeros(n, np.int8)
    seat, leader, askings = np.zeros(n, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int8)
    drawer, drawers = np.full(n, NO_SEAT, np.int8), np.zeros(n, np.int8)
    for output in range(len(control_outputs)):
        what, choice, who = control_outputs[output]
        for i in range(n):
            if answers[output, i]:
                if what == REDEAL:
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
def add_points(answers, point_outputs, points):
    """Add up points [n, seats] by answers [outputs, n]; point_outputs [m, 3] is an output, its seat and its points."""
    for row in range(len(point_outputs)):
        output, seat, count = point_outputs[row, 0], point_outputs[row, 1], point_outputs[row, 2]
        for i in range(answers.shape[1]):
            if answers[output, i]:
                points[i, seat] += count


@njit(cache=True, nogil=True)
def best_sides(sides, total, draw_value):
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
            found[i] = draw_value
    return found
