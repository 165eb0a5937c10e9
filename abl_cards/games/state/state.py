"""State of many tables as arrays, and the kernels that update it.

No rule is decided here. Circuits decide legality. The next seat, and the end of a trick or an episode, come from the
circuit of ``turn/1, trick_over, over``, or from a table that this circuit fills in advance.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import copy_values, kernel, scale_to_range, splitmix64
from abl_cards.games.types import LEADING, NO_CARD

PLAY, CHOICE, EPISODE_OVER, MATCH_OVER, DRAWING = range(5)
"""Stages of a table. In CHOICE, ``TableState.choice`` is the index of the choice; in DRAWING no seat decides."""
NOT_PLAYING = LEADING - 1
"""Value of ``to_beat`` for a seat that does not play."""
NO_SEAT = -1
"""Index that stands for no seat."""


class TableState(NamedTuple):
    """State of n tables, one row for each table."""

    hands: NDArray[np.uint8]  # [n, seats, kinds] copies of each card in each hand
    aside: NDArray[np.uint8]  # [n, kinds] cards that belong to no seat: the kitty
    played: NDArray[np.uint8]  # [n, seats, kinds] cards that each seat has played in the episode
    stage: NDArray[np.int8]  # [n] PLAY, CHOICE, EPISODE_OVER, MATCH_OVER or DRAWING
    choice: NDArray[np.int8]  # [n] index of the stage of choices, -1 for none
    chosen: NDArray[np.int16]  # [n] index of the option chosen last, -1 for none
    seat: NDArray[np.int8]  # [n] seat to decide
    to_beat: NDArray[np.int16]  # [n] form to beat, or LEADING
    top_cards: NDArray[np.uint8]  # [n, max_cards] cards of the play to beat, as in Moves
    owner: NDArray[np.int8]  # [n] seat that made the play to beat
    last_actor: NDArray[np.int8]  # [n] seat that acted last
    last_form: NDArray[np.int16]  # [n] form of the last act, passes included; -1 for none
    passed: NDArray[np.uint16]  # [n] bits of the seats that have passed since the play to beat
    passed_in_trick: NDArray[np.uint16]  # [n] bits of the seats that have passed in the trick
    seats_out: NDArray[np.uint16]  # [n] bits of the seats that have finished
    finish_order: NDArray[np.int8]  # [n, seats] seats in the order of finishing, then NO_SEAT
    num_decisions: NDArray[np.int32]  # [n] decisions so far in the match
    num_acts: NDArray[np.int32]  # [n] plays and passes so far in the episode
    idle_decisions: NDArray[np.int32]  # [n] decisions since a card was played
    num_plays: NDArray[np.int16]  # [n, seats] plays of each seat in the episode, passes not counted
    recent_cards: NDArray[np.uint8]  # [n, recent, max_cards] cards of act k at k % recent, as in Moves
    recent_seat: NDArray[np.int8]  # [n, recent] seat of act k at k % recent
    context: NDArray[np.int16]  # [n] index of the context, see description/order_contexts.py
    fluents: NDArray[np.int16]  # [n, slots] values of fluents, see description/fluents.py
    lots: NDArray[np.int16]  # [n, lots] random numbers of the match
    # [n, seats, 3, kinds] statistics of play, see tables/play_stats.py; 0 kinds if the rules do not read them
    play_stats: NDArray[np.uint64]
    leader: NDArray[np.int8]  # [n] seat that leads or led the trick
    # [n, seats, kinds] cards in the trick, see tables/tricks.py; 0 kinds in games without tricks
    trick_cards: NDArray[np.uint8]
    trick_forms: NDArray[np.int16]  # [n, seats] form that each seat has played in the trick, -1 for none
    is_composing: NDArray[np.bool_]  # [n] the seat to decide adds another card to its play
    stock: NDArray[np.uint8]  # [n, cards] cards in the order of drawing, see tables/stock.py; 0 cards without a stock
    num_drawn: NDArray[np.int16]  # [n] cards of the stock that have been drawn
    last_drawer: NDArray[np.int8]  # [n] seat that drew the last card
    is_just_drawn: NDArray[np.bool_]  # [n] no option has been chosen since the last card was drawn


def empty_state(
    n: int, num_seats: int, num_kinds: int, num_recent: int, max_cards: int, num_fluents: int, num_lots: int,
    num_play_kinds: int = 0, has_tricks: bool = False, stock_size: int = 0,
) -> TableState:  # fmt: skip
    """Create the state of n tables before the first deal.

    Args:
        n: Number of tables.
        num_seats: Seats at a table.
        num_kinds: Kinds of cards in the pack.
        num_recent: Number of recent acts that a table stores.
        max_cards: Maximum number of cards in a play.
        num_fluents: Number of fluent slots.
        num_lots: Number of random numbers of a match.
        num_play_kinds: Kinds of plays with play statistics; 0 to store none.
        has_tricks: Store the cards of tricks.
        stock_size: Number of cards in the stock; 0 if all cards are dealt at once.

    Returns:
        State in the stage MATCH_OVER.
    """
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


@kernel
def deal_cards(keys, rows, deck, sizes, hands, aside):
    """Shuffle the deck and deal it at some tables; the cards left over are put aside.

    Args:
        keys: uint64 [n], random keys, one for each table.
        rows: int64 [n], indices of tables.
        deck: uint8 [cards], kind of each card.
        sizes: [seats], number of cards dealt to each seat.
        hands: uint8 [tables, seats, kinds], overwritten at the rows.
        aside: uint8 [tables, kinds], overwritten at the rows.
    """
    cards, shuffled = len(deck), np.empty(len(deck), np.uint8)
    for i in range(len(rows)):
        copy_values(deck, shuffled, cards)
        for position in range(cards - 1, 0, -1):
            other = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(position)), np.uint64(position + 1)))
            shuffled[position], shuffled[other] = shuffled[other], shuffled[position]
        hands[rows[i]] = 0
        aside[rows[i]] = 0
        next_card = 0
        for seat in range(len(sizes)):
            for _ in range(sizes[seat]):
                hands[rows[i], seat, shuffled[next_card]] += 1
                next_card += 1
        for position in range(next_card, cards):
            aside[rows[i], shuffled[position]] += 1


@kernel
def count_cards(cards):
    """Count the cards of each row.

    Args:
        cards: uint8 [n, kinds], copies of each card.

    Returns:
        int16 [n].
    """
    flat, kinds, totals = cards.reshape(cards.size), np.uint64(cards.shape[1]), np.empty(len(cards), np.int16)
    for i in range(np.uint64(len(cards))):
        count = np.uint64(0)
        for kind in range(kinds):
            count += flat[i * kinds + kind]
        totals[i] = count
    return totals


# Fields of named tuples are read once, outside of loops: numba counts a reference for each access to an array.


@kernel
def reset_episodes(state, rows):
    """Reset everything that belongs to an episode at some tables, before cards are dealt.

    Args:
        state: TableState that is modified.
        rows: int64 [n], indices of tables.
    """
    seats, kinds, max_cards = state.hands.shape[1], state.hands.shape[2], state.top_cards.shape[1]
    finish_order, played, num_plays, play_stats = state.finish_order, state.played, state.num_plays, state.play_stats
    trick_cards, trick_forms = state.trick_cards, state.trick_forms
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
            trick_forms[table, seat] = -1
            for kind in range(trick_cards.shape[2]):
                trick_cards[table, seat, kind] = 0
            finish_order[table, seat], num_plays[table, seat] = NO_SEAT, 0
            for kind in range(kinds):
                played[table, seat, kind] = 0
            for block in range(play_stats.shape[2]):
                for kind in range(play_stats.shape[3]):
                    play_stats[table, seat, block, kind] = 0
        for act in range(recent.shape[1]):
            recent_seat[table, act] = NO_SEAT
            for position in range(max_cards):
                recent[table, act, position] = NO_CARD
        for position in range(max_cards):
            top_cards[table, position] = NO_CARD


REDEAL, ASKS, LEADS, DRAWS = range(4)
"""Kinds of outputs of the query "control": deal again, a seat chooses, a seat leads, a seat draws."""


@kernel
def decode_control(answers, control_outputs):
    """Decode the outputs of the query "control".

    Args:
        answers: uint8 [outputs, n], truth of each output.
        control_outputs: [outputs, 3], kind of the output (REDEAL, ASKS, LEADS or DRAWS), index of the choice, seat.

    Returns:
        Eight arrays [n]: deal again; index of the choice or -1; seat that chooses; seat that leads; seat that draws or
        NO_SEAT; number of outputs ASKS, LEADS and DRAWS that hold.
    """
    n = answers.shape[1]
    redeal, stage, num_leaders = np.zeros(n, np.bool_), np.full(n, -1, np.int8), np.zeros(n, np.int8)
    asked_seat, leader, num_asks = np.zeros(n, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int8)
    drawer, num_drawers = np.full(n, NO_SEAT, np.int8), np.zeros(n, np.int8)
    for output in range(len(control_outputs)):
        output_kind, choice, output_seat = control_outputs[output]
        for i in range(n):
            if answers[output, i]:
                if output_kind == REDEAL:
                    redeal[i] = True
                elif output_kind == ASKS:
                    stage[i], asked_seat[i] = choice, output_seat
                    num_asks[i] += 1
                elif output_kind == DRAWS:
                    drawer[i] = output_seat
                    num_drawers[i] += 1
                else:
                    leader[i] = output_seat
                    num_leaders[i] += 1
    return redeal, stage, asked_seat, leader, drawer, num_asks, num_leaders, num_drawers


@kernel
def add_points(answers, point_outputs, points):
    """Add the points that hold to the points of seats.

    Args:
        answers: uint8 [outputs, n], truth of each output.
        point_outputs: [m, 3], index of the output, seat, points.
        points: [n, seats], modified.
    """
    for row in range(len(point_outputs)):
        output, seat, count = point_outputs[row, 0], point_outputs[row, 1], point_outputs[row, 2]
        for i in range(answers.shape[1]):
            if answers[output, i]:
                points[i, seat] += count


@kernel
def best_sides(sides, total, draw_value):
    """Find the side with the most points.

    Args:
        sides: int8 [n, seats], side of each seat.
        total: int64 [n, seats], points of each seat; those of a side are added.
        draw_value: Result where several sides have the most points.

    Returns:
        int8 [n].
    """
    n, seats = sides.shape
    winners = np.empty(n, np.int8)
    for i in range(n):
        max_points, is_tied = np.int64(0), False
        for seat in range(seats):
            points, is_first = np.int64(0), True
            for other in range(seats):
                if sides[i, other] == sides[i, seat]:
                    points += total[i, other]
                    is_first &= other >= seat
            if is_first and (seat == 0 or points > max_points):
                max_points, winners[i], is_tied = points, sides[i, seat], False
            elif is_first and points == max_points:
                is_tied = True
        if is_tied:
            winners[i] = draw_value
    return winners
