"""The compiled loop of rollouts: tables are played turn by turn, and sums of the first layer are updated."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import borrow_arrays, copy_values, device_function, kernel
from abl_cards.games.compiled import MAX_IDLE_DECISIONS
from abl_cards.games.rollouts import (
    count_table_cards,
    drop_stopped_turns,
    find_cheapest_sets,
    list_all_sets,
    list_count_changes,
    list_counts,
    list_playable_labels,
    list_seat_inputs,
    new_held_sets,
    new_position_counts,
    new_turns,
    play_card_sets,
    remove_card_set,
    update_turns,
)
from abl_cards.games.types import LEADING, Indices
from abl_cards.learners import (
    POSITIONS_AT_ONCE,
    add_inputs,
    apply_second_layers,
    change_inputs,
    choose_label,
    list_label_inputs,
)

_TABLES_AT_ONCE = 64  # at most, which bounds the memory


class _LayerSums(NamedTuple):
    """First layer of the network at n tables, as sums of the weights of inputs, and buffers."""

    unplayed: NDArray[np.float32]  # [n, width] of the cards that have not been played, and the bias
    hands: NDArray[np.float32]  # [n, seats, width] of each hand
    hidden: NDArray[np.float32]  # [positions at once, width]
    last: NDArray[np.float32]  # [positions at once, second width]
    waiting: Indices  # [positions at once] the turn or hand of each position
    active: Indices  # [inputs]
    changes: Indices  # [inputs, 2]
    labels: Indices  # [labels]
    no_values: NDArray[np.float32]  # [2, labels], zeros


@device_function
def _new_sums(weights, n, seats):
    inputs, labels, width = len(weights.first), len(weights.output_bias), len(weights.first_bias)
    return _LayerSums(
        np.zeros((n, width), np.float32), np.zeros((n, seats, width), np.float32),
        np.zeros((POSITIONS_AT_ONCE, width), np.float32),
        np.zeros((POSITIONS_AT_ONCE, len(weights.second_bias)), np.float32), np.zeros(POSITIONS_AT_ONCE, np.int64),
        np.zeros(inputs, np.int64), np.zeros((inputs, 2), np.int64), np.zeros(labels, np.int64),
        np.zeros((2, labels), np.float32),
    )  # fmt: skip


@kernel
def roll_out_tables(state, rows, rules, card_sets, hand_index, sides, shape, weights, num_choices, lo, hi):
    """Continue play at tables rows[lo:hi], to the end of their episodes or for a number of decisions with a choice.

    Args:
        state: TableState that is modified.
        rows: int64 [n], tables of one order context.
        rules: EpisodeRules of this context.
        card_sets: CardSets.
        hand_index: int64 [n, seats], index of each hand in ``card_sets``.
        sides: int8 [n, seats], the side of each seat.
        shape: PositionShape.
        weights: RolloutWeights.
        num_choices: int64 [n], decisions with a choice before each table stops at the next one.
        lo: First row.
        hi: Row after the last.

    Returns:
        -1, or a table for which no label can be played, no seat is next, or no card is played any more.
    """
    state, rules, card_sets, shape, weights = borrow_arrays((state, rules, card_sets, shape, weights))
    for first in range(lo, hi, _TABLES_AT_ONCE):
        end = min(first + _TABLES_AT_ONCE, hi)
        stuck = _play_together(
            state, rows[first:end], rules, card_sets, hand_index[first:end], sides[first:end], shape, weights,
            num_choices[first:end],
        )  # fmt: skip
        if stuck != -1:
            return stuck
    return np.int64(-1)


@device_function
def _play_together(state, rows, rules, card_sets, hand_index, sides, shape, weights, num_choices):
    """Play tables on, turn by turn; returns -1, or a table where no label can be played."""
    n, num_labels, seats = len(rows), len(weights.output_bias), shape.num_seats
    counts, sums = new_position_counts(shape, n), _new_sums(weights, n, seats)
    held = new_held_sets(card_sets, n, seats, num_labels)
    turns = new_turns(num_choices, num_labels, card_sets.cards.shape[1])
    is_listed = np.zeros(num_labels, np.bool_)
    _start_episodes(state, rows, rules.label_of, card_sets, hand_index, shape, weights, counts, held, sums)
    while True:
        n = update_turns(state, rows, turns, n)
        if n == 0:
            return np.int64(-1)
        list_playable_labels(card_sets, held, rules, turns, n, is_listed)
        n = drop_stopped_turns(turns, n)
        for i in range(n):
            if turns.num_labels[i] == 0 or state.idle_decisions[turns.table[i]] > MAX_IDLE_DECISIONS:
                return turns.table[i]
        _choose_labels(state, rules.label_of, shape, weights, counts, sides, sums, turns, n)
        find_cheapest_sets(card_sets, held, rules, turns, n)
        stuck = play_card_sets(state, rules, turns, n)
        if stuck != -1:
            return stuck
        _remove_played_cards(card_sets, rules.label_of, hand_index, shape, weights.first, counts, held, sums, turns, n)


@device_function
def _start_episodes(state, rows, label_of, card_sets, hand_index, shape, weights, counts, held, sums):
    """Count the cards of tables, list the card sets of their hands, and sum their inputs."""
    active, first = sums.active, weights.first
    for place in range(len(rows)):
        count_table_cards(shape, state, rows[place], counts, place)
        active[0] = state.context[rows[place]]
        n = list_counts(shape, counts.unplayed[place], counts.unplayed_ranks[place], shape.first_unplayed, active, 1)
        total = sums.unplayed[place]
        copy_values(weights.first_bias, total, len(total))
        add_inputs(first, active, n, total)
        for seat in range(shape.num_seats):
            cards, ranks = counts.held[place, seat], counts.held_ranks[place, seat]
            list_all_sets(card_sets, label_of, hand_index[place, seat], cards, held, place, seat)
            n = list_counts(shape, cards, ranks, shape.first_hand, active, 0)
            for label in range(held.label_runs.shape[2]):
                if held.label_runs[place, seat, label]:
                    active[n], n = shape.first_lead + label, n + 1
            add_inputs(first, active, n, sums.hands[place, seat])


@device_function
def _choose_labels(state, label_of, shape, weights, counts, sides, sums, turns, num_turns):
    """Choose one of the labels of each turn, and count the choices."""
    active, first, num_waiting = sums.active, weights.first, 0
    num_inputs, num_labels, width = len(first), len(weights.output_bias), len(weights.first_bias)
    for i in range(num_turns):
        turns.label[i] = turns.labels[i, 0]
        if turns.num_labels[i] > 1:
            place, table, seat = turns.place[i], turns.table[i], turns.seat[i]
            turns.choices_left[place] -= 1
            owner, beaten = seat, np.int64(-1)
            if turns.to_beat[i] != LEADING:
                owner, beaten = np.int64(state.owner[table]), np.int64(label_of[turns.to_beat[i]])
            passed, labels = np.int64(state.passed[table]), turns.labels[i]
            n = list_seat_inputs(shape, seat, owner, passed, counts.sizes[place], sides[place], active, 0)
            n = list_label_inputs(num_inputs, num_labels, beaten, labels, turns.num_labels[i], active, n)
            hidden = sums.hidden[num_waiting]
            for j in range(width):
                hidden[j] = sums.unplayed[place, j] + sums.hands[place, seat, j]
            add_inputs(first, active, n, hidden)
            sums.waiting[num_waiting], num_waiting = i, num_waiting + 1
            if num_waiting == POSITIONS_AT_ONCE:
                num_waiting = _choose_waiting_labels(weights, sums, turns, num_waiting)
    if num_waiting:
        _choose_waiting_labels(weights, sums, turns, num_waiting)


@device_function
def _choose_waiting_labels(weights, sums, turns, num_waiting):
    """Choose the labels of the turns that wait; returns how many wait then, 0."""
    apply_second_layers(weights, sums.hidden, sums.last)
    for k in range(num_waiting):
        i = sums.waiting[k]
        turns.label[i] = choose_label(weights, sums.last[k], turns.labels[i], turns.num_labels[i], sums.no_values)
    return 0


@device_function
def _remove_played_cards(card_sets, label_of, hand_index, shape, first, counts, held, sums, turns, num_turns):
    """Take the cards that were played off the counts, the lists and the sums."""
    changes = sums.changes
    for i in range(num_turns):
        card_set, place, seat = turns.card_set[i], turns.place[i], turns.seat[i]
        if card_set >= 0:
            cards, held_counts = turns.cards[i], counts.held[place, seat]
            unplayed, ranks = counts.unplayed[place], counts.unplayed_ranks[place]
            n = list_count_changes(shape, unplayed, ranks, cards, shape.first_unplayed, changes)
            change_inputs(first, changes, n, sums.unplayed[place])
            n = list_count_changes(shape, held_counts, counts.held_ranks[place, seat], cards, shape.first_hand, changes)
            counts.sizes[place, seat] = held_counts.sum()
            guard = card_sets.guard_bits[hand_index[place, seat]]
            for k in range(remove_card_set(card_sets, label_of, guard, held, place, seat, card_set, sums.labels)):
                changes[n, 0], changes[n, 1], n = shape.first_lead + sums.labels[k], -1, n + 1
            change_inputs(first, changes, n, sums.hands[place, seat])
