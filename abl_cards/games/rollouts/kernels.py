"""Kernels of compiled rollouts: the labels that a hand may play, the card set of a label, and its effect."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function
from abl_cards.games.state import apply_plays
from abl_cards.games.tables import apply_fluent_updates
from abl_cards.games.types import LEADING, NO_CARD


@device_function
def pack_held_cards(card_sets, hand, cards):
    """Pack cards [kinds], a subset of a hand of ``CardSets``, with the free bits set."""
    packed = card_sets.guard_bits[hand]
    for kind in range(len(cards)):
        if cards[kind]:
            packed |= np.uint64(cards[kind]) << np.uint64(card_sets.field_start[hand, kind])
    return packed


@device_function
def list_all_sets(card_sets, hand, sets, runs, first):
    """Write the card sets of a hand of ``CardSets``, run by run.

    Args:
        card_sets: CardSets.
        hand: Index of the hand.
        sets: int32 [sets], overwritten.
        runs: int32 [runs], overwritten.
        first: int32 [runs + 1], overwritten: where the sets of each run begin.

    Returns:
        The number of runs.
    """
    n, begin = 0, card_sets.set_start[card_sets.run_start[hand]]
    for run in range(card_sets.run_start[hand], card_sets.run_start[hand + 1]):
        runs[n], first[n] = run, card_sets.set_start[run] - begin
        for row in range(card_sets.set_start[run], card_sets.set_start[run + 1]):
            sets[row - begin] = row
        n += 1
    first[n] = card_sets.set_start[card_sets.run_start[hand + 1]] - begin
    return n


@device_function
def keep_playable_sets(card_sets, guard, packed, sets, runs, first, num_runs):
    """Drop the listed card sets for which a packed hand lacks the cards; returns the number of runs left."""
    kept_runs, kept = 0, 0
    for k in range(num_runs):
        run_first = kept
        for index in range(first[k], first[k + 1]):
            row = sets[index]
            if (packed - card_sets.need[row]) & guard == guard:
                sets[kept] = row
                kept += 1
        if kept > run_first:
            runs[kept_runs], first[kept_runs] = runs[k], run_first
            kept_runs += 1
    first[kept_runs] = kept
    return kept_runs


@device_function
def list_playable_labels(card_sets, runs, num_runs, rules, to_beat, is_listed, labels):
    """Write the labels of the listed runs that may be played on a form to beat; the pass comes last.

    Args:
        card_sets: CardSets.
        runs: int32 [runs] runs of the hand.
        num_runs: How many they are.
        rules: EpisodeRules.
        to_beat: Form to beat, or LEADING.
        is_listed: bool [labels], all False before and after.
        labels: int64 [labels], overwritten.

    Returns:
        How many labels there are.
    """
    n, allowed = 0, rules.allowed[to_beat]
    for k in range(num_runs):
        form = card_sets.run_form[runs[k]]
        label = rules.label_of[form]
        if allowed[form] and not is_listed[label]:
            labels[n], is_listed[label] = label, True
            n += 1
    for k in range(n):
        is_listed[labels[k]] = False
    if to_beat != LEADING and allowed[rules.pass_form]:
        labels[n] = rules.label_of[rules.pass_form]
        n += 1
    return n


@device_function
def find_cheapest_set(card_sets, sets, runs, first, num_runs, rules, to_beat, label):
    """Return the form and the listed card set of a label whose cards the fewest other sets use; -1 for none."""
    best, best_form = -1, rules.pass_form
    allowed = rules.allowed[to_beat]
    for k in range(num_runs):
        form = card_sets.run_form[runs[k]]
        if allowed[form] and rules.label_of[form] == label:
            for index in range(first[k], first[k + 1]):
                if best < 0 or card_sets.cost[sets[index]] < card_sets.cost[best]:
                    best, best_form = sets[index], form
    return best_form, best


@device_function
def play_card_set(state, rules, card_sets, rows, row, form, card_set, forms, cards):
    """Play a card set, or pass with -1, at table rows[row]; ``forms`` [n] and ``cards`` [n, max_cards] are buffers.

    Returns:
        Whether the rules name a next seat.
    """
    forms[row] = form
    for position in range(cards.shape[1]):
        cards[row, position] = NO_CARD if card_set < 0 else card_sets.cards[card_set, position]
    if apply_plays(state, rules.turn_table, rules.pass_form, rows, row, row + 1, forms, cards) != -1:
        return False
    updates = rules.updates
    if updates.form_matters[form]:
        apply_fluent_updates(updates.outputs[form], rows[row : row + 1], updates.sets, updates.adds, state.fluents)
    return True
