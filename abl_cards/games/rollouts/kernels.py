"""Kernels of compiled rollouts: the labels that hands may play, the card sets of labels, and their effect.

Each handles several tables: numba counts references to arrays at calls, which would take longer than one play.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import copy_values, device_function
from abl_cards.games.rollouts.card_sets import FOLLOWS, LEADS
from abl_cards.games.state import PLAY, apply_plays
from abl_cards.games.tables import apply_fluent_updates
from abl_cards.games.types import LEADING, NO_CARD, Indices


class HeldSets(NamedTuple):
    """Card sets that the hands of n tables still hold, run by run."""

    sets: NDArray[np.int32]  # [n, seats, sets] of ``CardSets``
    runs: NDArray[np.int32]  # [n, seats, runs] of ``CardSets``
    first: NDArray[np.int32]  # [n, seats, runs + 1] where the sets of each run begin
    num_runs: Indices  # [n, seats]
    packed: NDArray[np.uint64]  # [n, seats] the cards, with the free bits set
    label_runs: NDArray[np.int32]  # [n, seats, labels] how many runs of each label may be led


class Turns(NamedTuple):
    """Turns of tables at which a play is due; the tables that have one come first."""

    choices_left: Indices  # [n] decisions with a choice that are made at each place before it stops at the next one
    place: Indices  # [n] index of the table in ``HeldSets``
    table: Indices  # [n] index in ``TableState``
    seat: Indices  # [n]
    to_beat: Indices  # [n] form to beat, or LEADING
    num_labels: Indices  # [n] how many labels may be played
    labels: Indices  # [n, labels]
    label: Indices  # [n] the label that is played
    form: NDArray[np.int16]  # [n] its form
    card_set: Indices  # [n] its card set, -1 for a pass
    cards: NDArray[np.uint8]  # [n, max_cards] as in Moves


@device_function
def new_held_sets(card_sets, n, seats, num_labels):
    """Return empty lists for the hands of n tables."""
    max_sets, max_runs = 0, 0
    for hand in range(len(card_sets.guard_bits)):
        first, last = card_sets.run_start[hand], card_sets.run_start[hand + 1]
        max_runs = max(max_runs, last - first)
        max_sets = max(max_sets, card_sets.set_start[last] - card_sets.set_start[first])
    return HeldSets(
        np.zeros((n, seats, max_sets), np.int32), np.zeros((n, seats, max_runs), np.int32),
        np.zeros((n, seats, max_runs + 1), np.int32), np.zeros((n, seats), np.int64), np.zeros((n, seats), np.uint64),
        np.zeros((n, seats, num_labels), np.int32),
    )  # fmt: skip


@device_function
def new_turns(num_choices, num_labels, max_cards):
    """Return turns of n tables, with the decisions with a choice of each: int64 [n]."""
    n = len(num_choices)
    return Turns(
        num_choices.copy(), np.arange(n), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64),
        np.zeros(n, np.int64), np.zeros((n, num_labels), np.int64), np.zeros(n, np.int64), np.zeros(n, np.int16),
        np.zeros(n, np.int64), np.zeros((n, max_cards), np.uint8),
    )  # fmt: skip


@device_function
def list_all_sets(card_sets, label_of, hand, cards, held, place, seat):
    """List the card sets of a hand.

    Args:
        card_sets: CardSets.
        label_of: int16 [forms], label of each form.
        hand: Index of the hand in ``card_sets``.
        cards: int64 [kinds], its cards.
        held: HeldSets, where the lists of the seat are overwritten.
        place: Index of the table.
        seat: Index of the seat.
    """
    packed = card_sets.guard_bits[hand]
    for kind in range(len(cards)):
        if cards[kind]:
            packed |= np.uint64(cards[kind]) << np.uint64(card_sets.field_start[hand, kind])
    for label in range(held.label_runs.shape[2]):
        held.label_runs[place, seat, label] = 0
    n, begin = 0, card_sets.set_start[card_sets.run_start[hand]]
    for run in range(card_sets.run_start[hand], card_sets.run_start[hand + 1]):
        held.runs[place, seat, n], held.first[place, seat, n] = run, card_sets.set_start[run] - begin
        if card_sets.run_use[run] & LEADS:
            held.label_runs[place, seat, label_of[card_sets.run_form[run]]] += 1
        for row in range(card_sets.set_start[run], card_sets.set_start[run + 1]):
            held.sets[place, seat, row - begin] = row
        n += 1
    held.first[place, seat, n] = card_sets.set_start[card_sets.run_start[hand + 1]] - begin
    held.num_runs[place, seat], held.packed[place, seat] = n, packed


@device_function
def update_turns(state, rows, turns, n):
    """Drop the turns of tables that are played no more, and read the others from their tables.

    Args:
        state: TableState.
        rows: int64 [tables], table of each place.
        turns: Turns; those of tables whose episode is over are dropped.
        n: How many there are.

    Returns:
        How many are left.
    """
    kept = 0
    for i in range(n):
        place = turns.place[i]
        table = rows[place]
        if state.stage[table] == PLAY:
            turns.place[kept], turns.table[kept] = place, table
            turns.seat[kept], turns.to_beat[kept] = state.seat[table], state.to_beat[table]
            kept += 1
    return kept


@device_function
def list_playable_labels(card_sets, held, rules, turns, n, is_listed):
    """Write the labels that may be played; the pass comes last.

    Args:
        card_sets: CardSets.
        held: HeldSets.
        rules: EpisodeRules.
        turns: Turns, whose labels are overwritten.
        n: How many there are.
        is_listed: bool [labels], all False before and after.
    """
    run_form, label_of, allowed, pass_form = card_sets.run_form, rules.label_of, rules.allowed, rules.pass_form
    for i in range(n):
        place, seat, to_beat, count = turns.place[i], turns.seat[i], turns.to_beat[i], 0
        use = LEADS if to_beat == LEADING else FOLLOWS
        for k in range(held.num_runs[place, seat]):
            run = held.runs[place, seat, k]
            form = run_form[run]
            label = label_of[form]
            if allowed[to_beat, form] and card_sets.run_use[run] & use and not is_listed[label]:
                turns.labels[i, count], is_listed[label] = label, True
                count += 1
        for k in range(count):
            is_listed[turns.labels[i, k]] = False
        if to_beat != LEADING and allowed[to_beat, pass_form]:
            turns.labels[i, count] = label_of[pass_form]
            count += 1
        turns.num_labels[i] = count


@device_function
def drop_stopped_turns(turns, n):
    """Drop the turns with a choice of tables where no more are made; returns how many are left.

    Args:
        turns: Turns, with their labels.
        n: How many there are.
    """
    kept = 0
    for i in range(n):
        if turns.num_labels[i] > 1 and turns.choices_left[turns.place[i]] <= 0:
            continue
        if kept < i:
            turns.place[kept], turns.table[kept], turns.seat[kept] = turns.place[i], turns.table[i], turns.seat[i]
            turns.to_beat[kept], turns.num_labels[kept] = turns.to_beat[i], turns.num_labels[i]
            copy_values(turns.labels[i], turns.labels[kept], turns.num_labels[i])
        kept += 1
    return kept


@device_function
def find_cheapest_sets(card_sets, held, rules, turns, n):
    """Find the card sets of the labels that are played whose cards the fewest other sets of the hand use.

    Args:
        card_sets: CardSets.
        held: HeldSets.
        rules: EpisodeRules.
        turns: Turns, whose forms and card sets are overwritten.
        n: How many there are.
    """
    run_form, label_of, allowed, cost = card_sets.run_form, rules.label_of, rules.allowed, card_sets.cost
    for i in range(n):
        place, seat, to_beat, label = turns.place[i], turns.seat[i], turns.to_beat[i], turns.label[i]
        best, best_form, least = -1, rules.pass_form, np.int64(0)
        use = LEADS if to_beat == LEADING else FOLLOWS
        for k in range(held.num_runs[place, seat]):
            run = held.runs[place, seat, k]
            form = run_form[run]
            if label_of[form] == label and allowed[to_beat, form] and card_sets.run_use[run] & use:
                for index in range(held.first[place, seat, k], held.first[place, seat, k + 1]):
                    card_set = held.sets[place, seat, index]
                    if best < 0 or cost[card_set] < least:
                        best, best_form, least = card_set, form, cost[card_set]
        turns.form[i], turns.card_set[i] = best_form, best
        for position in range(turns.cards.shape[1]):
            turns.cards[i, position] = NO_CARD if best < 0 else card_sets.cards[best, position]


@device_function
def remove_card_set(card_sets, label_of, guard, held, place, seat, card_set, labels):
    """Take the cards of a card set off a hand, and drop the card sets that it cannot play any more.

    Args:
        card_sets: CardSets.
        label_of: int16 [forms], label of each form.
        guard: The free bits of the hand.
        held: HeldSets, where the lists of the seat are changed.
        place: Index of the table.
        seat: Index of the seat.
        card_set: Index of the card set.
        labels: int64 [labels], overwritten: the labels that the hand cannot lead any more.

    Returns:
        How many such labels there are.
    """
    need = card_sets.need
    packed = held.packed[place, seat] - need[card_set]
    kept_runs, kept, num_labels = 0, 0, 0
    for k in range(held.num_runs[place, seat]):
        run, run_first = held.runs[place, seat, k], kept
        for index in range(held.first[place, seat, k], held.first[place, seat, k + 1]):
            row = held.sets[place, seat, index]
            held.sets[place, seat, kept] = row
            kept += (packed - need[row]) & guard == guard
        held.runs[place, seat, kept_runs], held.first[place, seat, kept_runs] = run, run_first
        if kept > run_first:
            kept_runs += 1
        elif card_sets.run_use[run] & LEADS:
            label = label_of[card_sets.run_form[run]]
            held.label_runs[place, seat, label] -= 1
            if held.label_runs[place, seat, label] == 0:
                labels[num_labels], num_labels = label, num_labels + 1
    held.packed[place, seat] = packed
    held.first[place, seat, kept_runs], held.num_runs[place, seat] = kept, kept_runs
    return num_labels


@device_function
def play_card_sets(state, rules, turns, n):
    """Play the card sets of turns, or pass.

    Args:
        state: TableState that is modified.
        rules: EpisodeRules.
        turns: Turns.
        n: How many there are.

    Returns:
        -1, or a table for which the rules name no next seat.
    """
    stuck = apply_plays(state, rules.turn_table, rules.pass_form, turns.table, 0, n, turns.form, turns.cards)
    if stuck != -1:
        return np.int64(stuck)
    updates = rules.updates
    for i in range(n):
        if updates.form_matters[turns.form[i]]:
            outputs = updates.outputs[turns.form[i]]
            apply_fluent_updates(outputs, turns.table[i : i + 1], updates.sets, updates.adds, state.fluents)
    return np.int64(-1)
