"""Kernels of ``tricks.py``: move played cards to the trick, record the plays, and assign the trick to a seat."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import kernel
from abl_cards.games.state import (
    EMPTY_PLAY_CODE,
    EPISODE_OVER_BIT,
    NO_NEXT_SEAT,
    advance_turn,
    close_episode,
    record_finish,
    turn_entry,
)
from abl_cards.games.tables.retraction import write_card_row
from abl_cards.games.types import LEADING, NO_CARD


@kernel
def add_cards(trick_cards, rows, seats, cards):
    """Add cards [n, max cards] to those of seats [tables] at tables rows [n] in trick_cards [tables, seats, kinds]."""
    for i in range(len(rows)):
        for card in cards[i]:
            if card != NO_CARD:
                trick_cards[rows[i], seats[rows[i]], card] += 1


@kernel
def move_cards(state, passing, rows, lo, hi, form, cards):
    """Move the cards of a play from the hand to the trick at tables rows[lo:hi]."""
    hands, played, trick_cards, trick_forms = state.hands, state.played, state.trick_cards, state.trick_forms
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
            trick_forms[table, seat] = form[i]
            for position in range(cards.shape[1]):
                card = cards[i, position]
                if card == NO_CARD:
                    break
                hands[table, seat, card] -= 1
                played[table, seat, card] += 1
                trick_cards[table, seat, card] += 1


@kernel
def record_plays(state, turns, passing, rows, lo, hi, form, cards):
    """Record complete plays and passes at tables rows[lo:hi], and advance the turn.

    Returns the first table without next seat, or ``EMPTY_PLAY_CODE`` minus the first table whose play has no cards, or
    -1.
    """
    recent, recent_seat, hands, acts = state.recent_cards, state.recent_seat, state.hands, state.num_acts
    seats, last_actor, last_form, num_plays = state.seat, state.last_actor, state.last_form, state.num_plays
    passed, passed_in_trick, owner, seats_out = state.passed, state.passed_in_trick, state.owner, state.seats_out
    leader, to_beat = state.leader, state.to_beat
    entries, strides, classes = turns.entries, turns.strides, turns.form_class
    depth, width = np.uint64(recent.shape[1]), np.uint64(recent.shape[2])
    num_copied = min(np.uint64(cards.shape[1]), width)
    for i in range(lo, hi):
        table, seat = rows[i], np.int64(seats[rows[i]])
        recent_index, index = np.uint64(acts[table]) % depth, np.int64(form[i])
        acts[table] += 1
        last_actor[table], last_form[table], recent_seat[table, recent_index] = seat, index, seat
        for position in range(num_copied):
            recent[table, recent_index, position] = cards[i, position]
        for position in range(num_copied, width):
            recent[table, recent_index, position] = NO_CARD
        if index == passing:
            passed[table] |= np.uint16(1 << seat)
            passed_in_trick[table] |= np.uint16(1 << seat)
        else:
            if cards[i, 0] == NO_CARD:
                return EMPTY_PLAY_CODE - table
            num_plays[table, seat] += 1
            any_left = np.uint8(0)
            for card in range(hands.shape[2]):
                any_left |= hands[table, seat, card]
            if any_left == 0:
                record_finish(state, table, seat)
        if len(entries) == 0:
            continue  # as in apply_plays
        entry = turn_entry(
            entries, strides, seat, owner[table], passed[table], passed_in_trick[table], seats_out[table],
            classes[index], leader[table],
        )  # fmt: skip
        if entry == NO_NEXT_SEAT:
            return table
        if entry & EPISODE_OVER_BIT:
            close_episode(state, turns.leftover_order, table)
        advance_turn(entry, table, seats, to_beat, owner, passed, passed_in_trick)
    return -1


@kernel
def mark_complete_plays(state, passing, form_sizes, rows, seats, more, lo, hi, form, cards, is_complete):
    """Fill is_complete [n] for rows[lo:hi] with whether plays are complete.

    A play is incomplete if the rules require another part (more [n]), the seat has cards, and the cards are those of a
    single form.
    """
    hands, is_composing = state.hands, state.is_composing
    for i in range(lo, hi):
        is_complete[i] = True
        if more[i] and form[i] != passing:
            num_played, any_left = 0, np.uint8(0)
            for position in range(cards.shape[1]):
                num_played += cards[i, position] != NO_CARD
            for kind in range(hands.shape[2]):
                any_left |= hands[rows[i], seats[i], kind]
            is_complete[i] = any_left == 0 or num_played != form_sizes[form[i]]
        is_composing[rows[i]] = not is_complete[i]


@kernel
def gather_plays(state, passing, rows, lo, hi, form, cards, num_laid):
    """Write all cards of the seats to decide in the trick at tables rows[lo:hi], their forms, and their number."""
    trick_cards, seats, trick_forms = state.trick_cards, state.seat, state.trick_forms
    for i in range(lo, hi):
        table, seat = rows[i], np.int64(seats[rows[i]])
        num_laid[i] = num_cards = write_card_row(trick_cards[table, seat], cards[i])
        if form[i] == passing and num_cards > 0:
            form[i] = trick_forms[table, seat]


@kernel
def assign_tricks(state, rows, takes, settled, lo, hi):
    """Set owner and play to beat of the settled, nonempty tricks at tables rows[lo:hi] by takes [seats, n].

    Returns the first column without a unique taker that has played a card, or -1.
    """
    trick_cards, top_cards, trick_forms, owner, to_beat = (
        state.trick_cards, state.top_cards, state.trick_forms, state.owner, state.to_beat,
    )  # fmt: skip
    for i in range(lo, hi):
        table, taker, num_takers, has_cards = rows[i], 0, 0, False
        for seat in range(takes.shape[0]):
            has_cards |= trick_forms[table, seat] >= 0
            if takes[seat, i]:
                taker, num_takers = seat, num_takers + 1
        if not settled[i] or not has_cards:
            continue
        if num_takers != 1 or trick_forms[table, taker] < 0:
            return i
        owner[table], to_beat[table] = taker, trick_forms[table, taker]
        write_card_row(trick_cards[table, taker], top_cards[table])
    return -1
