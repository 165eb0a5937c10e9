"""Compute how probable acts were for hypothetical hands, by a network of positions: the opponent model.

Only hands differ between deals, so the public inputs are summed once for each act. An act depends on the hand of its
seat alone, so equal hands of a seat are scored once. The sum of a hand changes by few inputs from one hand to the next.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.distinct_deals import list_distinct_deals
from abl_cards.core import borrow_arrays, copy_values, device_function, kernel, map_ranges, unique_rows
from abl_cards.games import Engine
from abl_cards.games.rollouts import episode_rules, list_counts, list_seat_inputs, position_shape
from abl_cards.games.tables import Decisions, PastActs, compute_lead_mask
from abl_cards.games.types import Indices
from abl_cards.learners import (
    POSITIONS_AT_ONCE,
    RolloutWeights,
    add_inputs,
    apply_second_layers,
    change_inputs,
    compute_label_probability,
    list_label_inputs,
)

RANDOM_PLAY_SHARE = 0.1
"""Share of the plays of others that counts as uniformly random."""
MIN_PROBABILITY = 1e-6
"""Least probability of an act, since hands are not known for sure."""
_HANDS_PER_THREAD = 64


def compute_act_log_probs(
    engine: Engine, weights: RolloutWeights, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Compute the probability of the acts of the other seats by a network of positions.

    Args:
        engine: Compiled game.
        weights: Weights of the network.
        decisions: Decisions at tables with a history.
        rows: int64 [r], indices of decisions.
        deals: uint8 [r, n, others, kinds], hypothetical hands.

    Returns:
        float64 [r, n], logarithms.
    """
    log_probs = np.zeros(deals.shape[:2])
    for row, hands, total in zip(rows.tolist(), deals, log_probs, strict=True):
        acts = decisions.past_acts(row)
        if acts is not None and len(acts.seat):
            total[:] = _compute_log_probs(engine, weights, acts, hands)
    return log_probs


def _compute_log_probs(
    engine: Engine, weights: RolloutWeights, acts: PastActs, hands: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return how probable acts are for hands [n, others, kinds]: float64 [n].

    An act depends on the hand of its seat alone, so equal hands of a seat are scored once.
    """
    acts, first_act = _group_acts(acts)
    first = first_act[:-1]
    seat, played, context = acts.other[first], acts.played[first], acts.context[first]
    group, deal, hand_of = list_distinct_deals(hands.transpose(1, 0, 2)[:, :, None], seat)
    before = hands[deal, seat[group]] + played[group].astype(np.uint8)
    leads = np.ascontiguousarray(compute_lead_mask(engine.rules, context[group], before).T)
    log_probs, order = np.empty(len(group)), np.argsort(seat[group] * len(hands) + deal, kind="stable")
    allowed, shape, traits = _allowed_labels(engine, acts), position_shape(engine.rules), engine.label_traits
    arguments = (
        acts, first_act, group, order, allowed, traits.pass_label, before, leads, shape, weights, RANDOM_PLAY_SHARE,
    )  # fmt: skip
    map_ranges(len(group), lambda lo, hi: sum_act_log_probs(*arguments, lo, hi, log_probs), min_size=_HANDS_PER_THREAD)
    total: NDArray[np.float64] = log_probs[hand_of].sum(axis=0)
    return total


def _group_acts(acts: PastActs) -> tuple[PastActs, Indices]:
    """Put acts together before which a seat held the same cards.

    Returns:
        Acts [k] group by group; the first act of each group, and k.
    """
    keys = np.concatenate([acts.other[:, None].astype(np.uint8), acts.played.astype(np.uint8)], axis=1)
    _, group = unique_rows(keys)
    order = np.argsort(group, kind="stable")
    return PastActs._make(field[order] for field in acts), np.concatenate([[0], np.cumsum(np.bincount(group))])


def _allowed_labels(engine: Engine, acts: PastActs) -> NDArray[np.uint8]:
    """Return 1 for the labels that the rules allow before each act, whatever the hand: uint8 [k, labels]."""
    positions = zip(acts.context.tolist(), acts.to_beat.tolist(), strict=True)
    return np.stack([episode_rules(engine.rules, context).allowed_labels[form] for context, form in positions])


class _WaitingActs(NamedTuple):
    """Acts whose positions wait for the second layer."""

    hidden: NDArray[np.float32]  # [positions at once, width] the first layer
    last: NDArray[np.float32]  # [positions at once, second width]
    hand: Indices  # [positions at once]
    act: Indices  # [positions at once]
    labels: Indices  # [positions at once, labels] that were legal
    num_labels: Indices  # [positions at once]


@device_function
def _new_waiting_acts(weights):
    n, num_labels = POSITIONS_AT_ONCE, len(weights.output_bias)
    return _WaitingActs(
        np.zeros((n, len(weights.first_bias)), np.float32), np.zeros((n, len(weights.second_bias)), np.float32),
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros((n, num_labels), np.int64), np.zeros(n, np.int64),
    )  # fmt: skip


@kernel
def sum_act_log_probs(
    acts, first_act, group, order, allowed, pass_label, before, leads, shape, weights, random_share, lo, hi, log_probs
):  # fmt: skip
    """Add up how probable the acts of groups are by a rollout network, for some of n hypothetical hands.

    Args:
        acts: PastActs, k of them, group by group: acts of a seat before which it held the same cards.
        first_act: int64 [groups + 1], the first act of each group, and k.
        group: int64 [n], the group that each hand is scored for.
        order: int64 [n], the hands in an order in which they change little.
        allowed: uint8 [k, labels], 1 for the labels that the rules allow there, whatever the hand.
        pass_label: Label that needs no cards.
        before: uint8 [n, kinds], hypothetical hands before the acts of their groups.
        leads: uint8 [n, labels], 1 for the labels that the hand could lead.
        shape: PositionShape.
        weights: RolloutWeights.
        random_share: Share of the plays that counts as random.
        lo: First hand, as an index of ``order``.
        hi: Hand after the last.
        log_probs: float64 [n], overwritten with sums of log-probabilities.
    """
    acts, shape, weights = borrow_arrays((acts, shape, weights))
    public, waiting, inputs = _sum_public_inputs(acts, shape, weights), _new_waiting_acts(weights), len(weights.first)
    hand, num_labels, active = _new_hand_inputs(shape, weights), leads.shape[1], np.zeros(inputs, np.int64)
    num_waiting = num_active = num_leads = 0
    for place in range(lo, hi):
        i = order[place]
        log_probs[i] = 0.0
        num_active, num_leads = _change_hand(before[i], leads[i], shape, weights.first, hand, num_active)
        for k in range(first_act[group[i]], first_act[group[i] + 1]):
            labels, hidden = waiting.labels[num_waiting], waiting.hidden[num_waiting]
            n, is_legal = _list_legal(
                hand.active, num_leads, shape.first_lead, allowed[k], pass_label, acts.label[k], labels
            )
            if not is_legal:
                log_probs[i] += np.log(MIN_PROBABILITY)
            elif n > 1:
                for j in range(len(hidden)):
                    hidden[j] = public[k, j] + hand.total[j]
                m = list_label_inputs(inputs, num_labels, acts.label_to_beat[k], labels, n, active, 0)
                add_inputs(weights.first, active, m, hidden)
                waiting.hand[num_waiting], waiting.act[num_waiting], waiting.num_labels[num_waiting] = i, k, n
                num_waiting += 1
                if num_waiting == POSITIONS_AT_ONCE:
                    num_waiting = _add_waiting_acts(acts, weights, waiting, num_waiting, random_share, log_probs)
    _add_waiting_acts(acts, weights, waiting, num_waiting, random_share, log_probs)


@device_function
def _add_waiting_acts(acts, weights, waiting, num_waiting, random_share, log_probs):
    """Score the acts that wait; returns how many wait then, 0."""
    apply_second_layers(weights, waiting.hidden, waiting.last)
    for place in range(num_waiting):
        n, label = waiting.num_labels[place], acts.label[waiting.act[place]]
        chance = compute_label_probability(weights, waiting.last[place], waiting.labels[place], n, label)
        mixed = (1 - random_share) * chance + random_share / n
        log_probs[waiting.hand[place]] += np.log(max(mixed, MIN_PROBABILITY))
    return 0


@device_function
def _sum_public_inputs(acts, shape, weights):
    """Return the sums of the inputs that all see before each act, but for the labels: float32 [k, width]."""
    num_acts, active = len(acts.seat), np.zeros(len(weights.first), np.int64)
    sums = np.zeros((num_acts, len(weights.first_bias)), np.float32)
    counts, ranks = np.zeros(shape.num_kinds, np.int64), np.zeros(max(1, shape.num_ranks), np.int64)
    for k in range(num_acts):
        _count_cards(acts.unplayed[k], shape, counts, ranks)
        active[0], seat, passed = acts.context[k], np.int64(acts.seat[k]), np.int64(acts.passed[k])
        owner = seat if acts.label_to_beat[k] < 0 else np.int64(acts.owner[k])
        n = list_counts(shape, counts, ranks, shape.first_unplayed, active, 1)
        n = list_seat_inputs(shape, seat, owner, passed, acts.sizes[k], acts.sides[k], active, n)
        copy_values(weights.first_bias, sums[k], len(weights.first_bias))
        add_inputs(weights.first, active, n, sums[k])
    return sums


class _HandInputs(NamedTuple):
    """Sum of the inputs of a hand, and of the labels that it could lead, and buffers."""

    total: NDArray[np.float32]  # [width]
    counts: Indices  # [kinds]
    ranks: Indices  # [ranks]
    active: Indices  # [inputs] that are 1, those of labels first
    following: Indices  # [inputs] that are 1 for the next hand
    is_active: NDArray[np.int8]  # [inputs] 1 for those that are 1, 2 for those that stay so
    changes: Indices  # [inputs, 2]


@device_function
def _new_hand_inputs(shape, weights):
    n = len(weights.first)
    return _HandInputs(
        np.zeros(len(weights.first_bias), np.float32), np.zeros(shape.num_kinds, np.int64),
        np.zeros(max(1, shape.num_ranks), np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64),
        np.zeros(n, np.int8), np.zeros((n, 2), np.int64),
    )  # fmt: skip


@device_function
def _change_hand(cards, lead, shape, first, hand, num_active):
    """Change the sum of the inputs of a hand to that of another hand.

    Returns:
        How many inputs are 1 then; how many of them are of labels.
    """
    active, following, is_active, changes = hand.active, hand.following, hand.is_active, hand.changes
    num_changes = num_leads = 0
    for label in range(len(lead)):
        if lead[label]:
            following[num_leads], num_leads = shape.first_lead + label, num_leads + 1
    _count_cards(cards, shape, hand.counts, hand.ranks)
    n = list_counts(shape, hand.counts, hand.ranks, shape.first_hand, following, num_leads)
    for k in range(n):
        if not is_active[following[k]]:
            changes[num_changes, 0], changes[num_changes, 1], num_changes = -1, following[k], num_changes + 1
        is_active[following[k]] = 2
    for k in range(num_active):
        if is_active[active[k]] == 1:
            changes[num_changes, 0], changes[num_changes, 1], num_changes = active[k], -1, num_changes + 1
            is_active[active[k]] = 0
    for k in range(n):
        active[k], is_active[following[k]] = following[k], 1
    change_inputs(first, changes, num_changes, hand.total)
    return n, num_leads


@device_function
def _count_cards(cards, shape, counts, ranks):
    """Count cards by kind and rank."""
    for rank in range(len(ranks)):
        ranks[rank] = 0
    for kind in range(shape.num_kinds):
        counts[kind] = cards[kind]
        ranks[shape.rank_of[kind] if shape.num_ranks else 0] += counts[kind]


@device_function
def _list_legal(active, num_leads, first_lead, allowed, pass_label, label, labels):
    """List the labels that may be played: those that the hand could lead, and the pass.

    Returns:
        How many they are; whether a label is among them.
    """
    n, is_legal = 0, False
    if allowed[pass_label]:
        labels[0], n, is_legal = pass_label, 1, label == pass_label
    for k in range(num_leads):
        lead = active[k] - first_lead
        if allowed[lead]:
            labels[n], n, is_legal = lead, n + 1, is_legal or lead == label
    return n, is_legal
