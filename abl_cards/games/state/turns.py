"""Turns: whose turn is next, and the kernels that apply plays, pass the turn on and end episodes."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel
from abl_cards.games.state.state import EPISODE_OVER, NO_SEAT
from abl_cards.games.types import LEADING, NO_CARD


class Strides(NamedTuple):
    """Strides of a turn table, one for each value that the next turn depends on; 0 for values that do not matter."""

    last_actor: int
    owner: int
    passed: int
    passed_in_trick: int
    seats_out: int
    last_form: int
    leader: int


class TurnTable(NamedTuple):
    """Precomputed next turns; the index of an entry is the sum of each value times its stride."""

    # [entries] next seat with TRICK_OVER_BIT and EPISODE_OVER_BIT, or NO_NEXT_SEAT; empty if a circuit decides instead
    entries: NDArray[np.uint8]
    strides: Strides
    form_class: NDArray[np.int32]  # [forms] class of forms that the rules of turns do not distinguish
    leftover_order: NDArray[np.int8]  # [seats] order in which seats that still hold cards take the last places


SEAT_MASK, TRICK_OVER_BIT, EPISODE_OVER_BIT = 31, 32, 64
"""Bits of an entry of a turn table: the next seat, the trick is over, the episode is over."""
NO_NEXT_SEAT = 255
"""Entry of a turn table where the rules name no next seat, or several."""


class NextTurn(NamedTuple):
    """Next seat after an act, and whether the act ends the trick or the episode."""

    seat: int
    is_trick_over: bool
    is_episode_over: bool


def next_turn(
    turn_table: TurnTable, last_actor: int, owner: int, passed: int, passed_in_trick: int, seats_out: int, form: int
) -> NextTurn:
    """Look up the next turn after an act, for a position that is not stored in a TableState.

    Args:
        turn_table: Table with entries.
        last_actor: Seat that acted.
        owner: Seat that made the play to beat.
        passed: Bits of the seats that have passed since the play to beat.
        passed_in_trick: Bits of the seats that have passed in the trick.
        seats_out: Bits of the seats that have finished.
        form: Form of the act.

    Returns:
        Next turn; its seat is NO_SEAT where the rules name no seat, or several.
    """
    form_class = turn_table.form_class[form]
    entry = int(
        turn_entry(
            turn_table.entries, turn_table.strides, last_actor, owner, passed, passed_in_trick, seats_out, form_class, 0
        )
    )
    if entry == NO_NEXT_SEAT:
        return NextTurn(NO_SEAT, False, False)
    return NextTurn(entry & SEAT_MASK, bool(entry & TRICK_OVER_BIT), bool(entry & EPISODE_OVER_BIT))


@kernel
def turn_entry(entries, strides, last_actor, owner, passed, passed_in_trick, seats_out, form_class, leader):
    """Return the entry of a turn table after an act.

    Args:
        entries: uint8 [entries], as in TurnTable.
        strides: Strides of the table.
        last_actor: Seat that acted.
        owner: Seat that made the play to beat.
        passed: Bits of the seats that have passed since the play to beat.
        passed_in_trick: Bits of the seats that have passed in the trick.
        seats_out: Bits of the seats that have finished.
        form_class: Class of the form of the act.
        leader: Seat that leads the trick; 0 in games without tricks.
    """
    return entries[
        np.int64(last_actor) * strides.last_actor + np.int64(owner) * strides.owner + np.int64(passed) * strides.passed
        + np.int64(passed_in_trick) * strides.passed_in_trick + np.int64(seats_out) * strides.seats_out
        + np.int64(form_class) * strides.last_form + np.int64(leader) * strides.leader
    ]  # fmt: skip


@device_function
def advance_turn(entry, table, seats, to_beat, owner, passed, passed_in_trick):
    """Set the next seat of a table, and start a new trick if the entry has TRICK_OVER_BIT.

    Args:
        entry: Entry of a turn table, not NO_NEXT_SEAT.
        table: Index of the table.
        seats: int8 [tables], the array ``seat`` of the state; this array and the following are modified.
        to_beat: int16 [tables], form to beat.
        owner: int8 [tables], seat that made the play to beat.
        passed: uint16 [tables], bits of the seats that have passed since the play to beat.
        passed_in_trick: uint16 [tables], bits of the seats that have passed in the trick.
    """
    seats[table] = entry & SEAT_MASK
    if entry & TRICK_OVER_BIT:
        to_beat[table], owner[table] = LEADING, seats[table]
        passed[table], passed_in_trick[table] = 0, 0


PREFETCH_TABLES = np.uint64(256)
"""Number of tables whose hands are read before they are modified, so that the memory accesses overlap."""
EMPTY_PLAY_CODE = -2
"""Result of apply_plays minus the index of a table, for a play without cards that is not a pass."""


@kernel
def apply_plays(state, turn_table, passing, rows, lo, hi, form, cards):
    """Apply one play or pass at each of the tables rows[lo:hi].

    Args:
        state: TableState that is modified.
        turn_table: TurnTable; if it has no entries, the turn does not advance.
        passing: Index of the form of a pass.
        rows: int64 [n], indices of tables.
        lo: First row.
        hi: End of the rows, exclusive.
        form: int16 [n], form of each play.
        cards: uint8 [n, max_cards], cards of each play, as in Moves.

    Returns:
        -1 on success; else the first table without a next seat, or EMPTY_PLAY_CODE minus the first table with a play
        without cards.
    """
    # Longer than other functions: parts of it as inlined functions make it 5 to 8 % slower.
    seats, num_acts, num_decisions, idle = state.seat, state.num_acts, state.num_decisions, state.idle_decisions
    last_actor, last_form, recent_seat = state.last_actor, state.last_form, state.recent_seat
    recent, passed, passed_in_trick = state.recent_cards, state.passed, state.passed_in_trick
    to_beat, owner, seats_out = state.to_beat, state.owner, state.seats_out
    num_plays, top_cards, entries, classes = state.num_plays, state.top_cards, turn_table.entries, turn_table.form_class
    hands, played, strides = state.hands, state.played, turn_table.strides
    depth, width, kinds = np.uint64(recent.shape[1]), np.uint64(recent.shape[2]), np.uint64(hands.shape[2])
    num_copied = min(np.uint64(cards.shape[1]), width)
    num_seats, one, touched = np.uint64(hands.shape[1]), np.uint64(1), np.zeros(1, np.uint8)
    flat_hands, flat_played = hands.reshape(hands.size), played.reshape(played.size)
    flat_recent, flat_top = recent.reshape(recent.size), top_cards.reshape(top_cards.size)
    flat_moves = cards.reshape(cards.size)
    for i in range(np.uint64(lo), np.uint64(hi)):
        if (i - np.uint64(lo)) % PREFETCH_TABLES == 0:
            touched_bytes = np.uint8(0)
            for ahead in range(i, min(i + PREFETCH_TABLES, np.uint64(hi))):
                table = np.uint64(rows[ahead])
                first = (table * num_seats + np.uint64(seats[table])) * kinds
                last = first + kinds - one
                touched_bytes |= flat_hands[first] | flat_played[first] | flat_hands[last] | flat_played[last]
                touched_bytes |= flat_recent[table * depth * width]
            touched[0] |= touched_bytes
        table, played_form = np.uint64(rows[i]), form[i]
        seat = np.uint64(seats[table])
        slot, move_start = np.uint64(num_acts[table]) % depth, i * np.uint64(cards.shape[1])
        num_decisions[table] += 1
        num_acts[table] += 1
        last_actor[table], last_form[table] = seat, played_form
        recent_seat[table, slot] = seat
        target = (table * depth + slot) * width
        for k in range(num_copied):
            flat_recent[target + k] = flat_moves[move_start + k]
        for k in range(num_copied, width):
            flat_recent[target + k] = NO_CARD
        if played_form == passing:
            idle[table] += 1
            passed[table] |= np.uint16(1 << seat)
            passed_in_trick[table] |= np.uint16(1 << seat)
        else:
            if flat_moves[move_start] == NO_CARD:
                return EMPTY_PLAY_CODE - np.int64(table)
            target = table * width
            for k in range(num_copied):
                flat_top[target + k] = flat_moves[move_start + k]
            for k in range(num_copied, width):
                flat_top[target + k] = NO_CARD
            first = (table * num_seats + seat) * kinds
            for k in range(num_copied):
                card = np.uint64(flat_moves[move_start + k])
                if card == NO_CARD:
                    break
                flat_hands[first + card] -= np.uint8(1)
                flat_played[first + card] += np.uint8(1)
            num_plays[table, seat] += 1
            idle[table] = 0
            to_beat[table], owner[table], passed[table] = played_form, seat, 0
            remaining = np.uint8(0)
            for k in range(kinds):
                remaining |= flat_hands[first + k]
            if remaining == 0:
                record_finish(state, np.int64(table), np.int64(seat))
        if len(entries) == 0:
            continue  # the turn depends on fluents, so it advances after they are updated
        entry = turn_entry(
            entries, strides, seat, owner[table], passed[table], passed_in_trick[table], seats_out[table],
            classes[played_form], 0,
        )  # fmt: skip
        if entry == NO_NEXT_SEAT:
            return np.int64(table)
        if entry & EPISODE_OVER_BIT:
            close_episode(state, turn_table.leftover_order, np.int64(table))
        advance_turn(entry, table, seats, to_beat, owner, passed, passed_in_trick)
    return -1


@kernel
def advance_turns(state, leftover_order, rows, entries, lo, hi):
    """Set the next seats of the tables rows[lo:hi], and close episodes that are over.

    Args:
        state: TableState that is modified.
        leftover_order: int8 [seats], as in TurnTable.
        rows: int64 [n], indices of tables.
        entries: uint8 [n], entries of a turn table.
        lo: First row.
        hi: End of the rows, exclusive.

    Returns:
        -1 on success, else the first table without a next seat.
    """
    seats, to_beat, owner, passed, passed_in_trick = (
        state.seat,
        state.to_beat,
        state.owner,
        state.passed,
        state.passed_in_trick,
    )
    for i in range(lo, hi):
        if entries[i] == NO_NEXT_SEAT:
            return rows[i]
        if entries[i] & EPISODE_OVER_BIT:
            close_episode(state, leftover_order, rows[i])
        advance_turn(entries[i], rows[i], seats, to_beat, owner, passed, passed_in_trick)
    return -1


@kernel
def close_episodes(state, leftover_order, rows):
    """Close the episodes of some tables: seats that still hold cards take the last places.

    Args:
        state: TableState that is modified.
        leftover_order: int8 [seats], order of the seats that take the last places.
        rows: int64 [n], indices of tables.
    """
    for table in rows:
        close_episode(state, leftover_order, table)


@device_function
def close_episode(state, leftover_order, table):
    """Close the episode of a table: seats that still hold cards take the last places.

    Args:
        state: TableState that is modified.
        leftover_order: int8 [seats], order of the seats that take the last places.
        table: Index of the table.
    """
    for seat in leftover_order:
        if not (state.seats_out[table] >> np.uint16(seat)) & np.uint16(1):
            record_finish(state, table, np.int64(seat))
    state.stage[table] = EPISODE_OVER


@kernel
def record_finish(state, table, seat):
    """Give a seat the next place in the finish order; a seat that already has a place keeps it.

    Args:
        state: TableState that is modified.
        table: Index of the table.
        seat: Seat that has finished.
    """
    if (state.seats_out[table] >> np.uint16(seat)) & np.uint16(1):
        return
    place = 0
    while state.finish_order[table, place] >= 0:
        place += 1
    state.finish_order[table, place] = seat
    state.seats_out[table] |= np.uint16(1 << seat)
