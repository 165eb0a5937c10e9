"""Kernels that compute the minimum number of plays of a hand, under the assumptions of pareto_counter.py.

A hand is a *key*: the counts of thirteen ranks (four bits each), of two kinds that no wild card substitutes for, and of
the wild cards (two bits each). The ranks are split into two halves. Runs across both halves are tried in all
combinations; the rest of each half is looked up in a table that is filled on demand.

An entry of a half is a *Pareto front*, the least ``y`` for each ``x``: ``x`` is the number of plays that are not
triples, ``y`` that of plays that are not pairs. A triple and a pair form one full house, so a hand takes ``max(x, y)``
plays, and the x and y of parts add up.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import borrow_arrays, device_function, kernel
from abl_cards.games.types import NO_CARD

COUNTS = 9
"""Number of possible counts of a rank: 0..8 natural cards."""
RANKS = 13
"""Number of ranks that wild cards may substitute for."""
SHIFTS = np.arange(0, 60, 4) - np.array([0] * 14 + [2])
"""First bit of the count of each rank in a key; the two kinds after the ranks take two bits each."""
WILDS_SHIFT = 56
"""First bit of the number of wild cards in a key."""
MEMO_BITS = 16
"""Number of bits of the index of the cache."""
NO_PLAY_COST = 127
"""Value of x and y for a set that is no play."""
_NUM_POINTS = 13  # of a front: y at x0, x0 + 1, ..., x0 + 12
_MAX_X = 64
_READY_BIT = np.int64(1) << 62
_FIELD_MASK = 31  # x0 and the least y take five bits each
_POINTS_SHIFT = 10
_VALUE_BITS = 5
_GOLDEN = np.int64(-7046029254386353131)
_INDEX, _WILDS = 0, 1
_LOWER, _UPPER = np.int64(0), np.int64(1)  # halves; for literals numba would compile a kernel each
_LOW, _HIGH, _WILDS_LEFT, _PLAYS, _FIRST_RUN, _KEY = range(6)


class ParetoPlayTable(NamedTuple):
    """Plays of a game as the kernels read them, and caches of results."""

    half_ranks: NDArray[np.int8]  # [2, 7] ranks of each half, padded with -1
    stride: NDArray[np.int64]  # [13] stride of each rank in the index of its half
    is_upper_rank: NDArray[np.uint8]  # [13] 1 for ranks of the upper half
    set_costs: NDArray[np.int8]  # [11, 2] x and y of a set by its number of cards, NO_PLAY_COST if it is no play
    run_rank: NDArray[np.int8]  # [runs, groups] ranks; runs across both halves, then lower ones, then upper ones
    run_size: NDArray[np.int8]  # [runs, groups] cards of each rank, padded with 0
    run_bounds: NDArray[np.int64]  # [4] offsets of these three groups of runs
    joker_fronts: NDArray[np.int64]  # [16] front of the jokers, by their bits in a key
    key_step: NDArray[np.int64]  # [contexts, kinds] key of a single card
    lower_fronts: NDArray[np.int64]  # [3, indices] front by wild cards and index, 0 if not computed
    upper_fronts: NDArray[np.int64]  # [3, indices] front by wild cards and index, 0 if not computed
    memo: NDArray[np.int64]  # [2^16] last key with this hash, and its plays in the lowest five bits


class ParetoScratch(NamedTuple):
    """Scratch arrays of one thread."""

    counts: NDArray[np.int64]  # [13] counts of ranks
    min_y: NDArray[np.int64]  # [64] least y at each x
    pending_entries: NDArray[np.int64]  # [64, 2] entries to compute: index, wild cards
    nodes: NDArray[np.int64]  # [nodes, 6] partial hands to search


@device_function
def new_pareto_scratch(table):
    """Allocate scratch arrays; a run takes at least one natural card, which bounds the depth of the search.

    Args:
        table: ParetoPlayTable.
    """
    return ParetoScratch(
        np.zeros(RANKS, np.int64), np.zeros(_MAX_X, np.int64), np.zeros((64, 2), np.int64),
        np.zeros((32 * (table.run_bounds[1] + 1), 6), np.int64),
    )  # fmt: skip


# --- fronts -----------------------------------------------------------------------------------------------------------


@device_function
def _above(front, offset):
    """Return the difference of y at x0 + place and the least y."""
    return (front >> (_POINTS_SHIFT + 4 * min(offset, _NUM_POINTS - 1))) & 15


@device_function
def clear_front(min_y):
    """Remove all points of a front.

    Args:
        min_y: int64 [64], least y at each x, modified.
    """
    min_y[:] = NO_PLAY_COST


@kernel
def merge_front(min_y, front, x, y):
    """Add the points of a packed front, shifted by x and y.

    Args:
        min_y: int64 [64], least y at each x, modified.
        front: Packed front.
        x: Shift of x.
        y: Shift of y.
    """
    x0, y0 = (front & _FIELD_MASK) + x, ((front >> 5) & _FIELD_MASK) + y
    for offset in range(_NUM_POINTS):
        above = _above(front, offset)
        if x0 + offset < _MAX_X:
            min_y[x0 + offset] = min(min_y[x0 + offset], y0 + above)
        if above == 0:
            break


@kernel
def pack_front(min_y):
    """Pack the points of a front into an integer.

    Points beyond the twelfth, and those 16 above the least y, are left out: a hand of 28 cards that needed one would
    take more plays than it has ranks.

    Args:
        min_y: int64 [64], least y at each x, modified.

    Returns:
        Packed front.
    """
    x0 = 0
    while min_y[x0] == NO_PLAY_COST:
        x0 += 1
    for x in range(x0 + 1, _MAX_X):
        min_y[x] = min(min_y[x], min_y[x - 1])
    lowest = min_y[min(x0 + _NUM_POINTS - 1, _MAX_X - 1)]
    while min_y[x0] > lowest + 15:
        x0 += 1
        lowest = min_y[min(x0 + _NUM_POINTS - 1, _MAX_X - 1)]
    front = _READY_BIT | x0 | (lowest << 5)
    for offset in range(_NUM_POINTS):
        front |= (min_y[min(x0 + offset, _MAX_X - 1)] - lowest) << (_POINTS_SHIFT + 4 * offset)
    return front


@device_function
def _fits_within(first, second, most_x, most_y):
    """Return True if two fronts have points whose sum is at most (most_x, most_y)."""
    slack_x = most_x - (first & _FIELD_MASK) - (second & _FIELD_MASK)
    slack_y = most_y - ((first >> 5) & _FIELD_MASK) - ((second >> 5) & _FIELD_MASK)
    if slack_x < 0 or slack_y < 0:
        return False
    for offset in range(min(slack_x, _NUM_POINTS - 1) + 1):
        above = _above(first, offset)
        if above + _above(second, slack_x - offset) <= slack_y:
            return True
        if above == 0:
            return False
    return False


@device_function
def _fits_with_jokers(jokers, first, second, max_plays):
    """Return True if the fronts of jokers and two halves have points whose sum is at most (most, most)."""
    for offset in range(_NUM_POINTS):
        above = _above(jokers, offset)
        if _fits_within(
            first,
            second,
            max_plays - (jokers & _FIELD_MASK) - offset,
            max_plays - ((jokers >> 5) & _FIELD_MASK) - above,
        ):
            return True
        if above == 0:
            return False
    return False


# --- the tables of the halves -----------------------------------------------------------------------------------------


@device_function
def _find_front(table, half, index, wilds, scratch):
    """Look up a front, and compute it if it is not stored."""
    front = table.upper_fronts[wilds, index] if half else table.lower_fronts[wilds, index]
    return front if front != 0 else _compute_front(table, half, index, wilds, scratch)


@device_function
def _compute_front(table, half, index, wilds, scratch):
    """Compute an entry after those it depends on; threads may do this concurrently, as they write equal values."""
    fronts = table.upper_fronts if half else table.lower_fronts
    pending, top = scratch.pending_entries, np.int64(0)
    pending[0, _INDEX], pending[0, _WILDS] = index, wilds
    while top >= 0:
        entry_index, entry_wilds = pending[top, _INDEX], pending[top, _WILDS]
        clear_front(scratch.min_y)
        missing = _merge_plays(table, fronts, half, entry_index, entry_wilds, scratch)
        if missing < 0:
            fronts[entry_wilds, entry_index] = pack_front(scratch.min_y)
            top -= 1
        else:
            top += 1
            pending[top, _INDEX], pending[top, _WILDS] = missing // 4, missing % 4
    return fronts[wilds, index]


@device_function
def _merge_plays(table, fronts, half, index, wilds, scratch):
    """Merge the fronts that remain after each play of the first rank; returns a missing entry, or -1."""
    rank = _read_counts(table, half, index, scratch.counts)
    if rank < 0:
        scratch.min_y[wilds] = wilds  # wild cards without others are played as singles,
        if wilds > 0:  # or as a set
            _merge_set(table, wilds, _READY_BIT, scratch)
        return -1
    missing = _merge_sets(table, fronts, index, wilds, rank, scratch)
    for run in range(table.run_bounds[1 + half], table.run_bounds[2 + half]):
        if missing >= 0:
            break
        missing = _merge_run(table, fronts, index, wilds, rank, run, scratch)
    return missing


@kernel
def _read_counts(table, half, index, counts):
    """Decode an index to counts of ranks; returns the first rank that has cards, or -1."""
    first = -1
    for rank in table.half_ranks[half]:
        if rank >= 0:
            counts[rank] = index // table.stride[rank] % COUNTS
            if first < 0 and counts[rank] > 0:
                first = rank
    return np.int64(first)


@device_function
def _merge_set(table, size, front, scratch):
    if table.set_costs[size, 0] != NO_PLAY_COST:
        merge_front(scratch.min_y, front, np.int64(table.set_costs[size, 0]), np.int64(table.set_costs[size, 1]))


@device_function
def _merge_sets(table, fronts, index, wilds, rank, scratch):
    """Merge the sets of one rank; wild cards are added only if no natural card of the rank remains."""
    count = scratch.counts[rank]
    for size in range(1, count + 1):
        remaining = index - size * table.stride[rank]
        for num_wilds in range((wilds if size == count else 0) + 1):
            front = fronts[wilds - num_wilds, remaining]
            if front == 0:
                return 4 * remaining + wilds - num_wilds
            _merge_set(table, size + num_wilds, front, scratch)
    return np.int64(-1)


@device_function
def _merge_run(table, fronts, index, wilds, rank, run, scratch):
    """Merge a run that includes the rank; wild cards are used only where natural cards are missing."""
    holds, remaining, left = False, index, wilds
    for group in range(table.run_rank.shape[1]):
        size = np.int64(table.run_size[run, group])
        if size == 0:
            break
        value = table.run_rank[run, group]
        holds |= value == rank
        natural = min(size, scratch.counts[value])
        remaining -= natural * table.stride[value]
        left -= size - natural
        if left < 0:
            return np.int64(-1)
    if not holds:
        return np.int64(-1)
    front = fronts[left, remaining]
    if front == 0:
        return 4 * remaining + left
    merge_front(scratch.min_y, front, np.int64(1), np.int64(1))
    return np.int64(-1)


# --- whole hands ------------------------------------------------------------------------------------------------------


@device_function
def _search_min_plays(table, key, scratch):
    """Return the fewest plays of a hand."""
    low, high, cards = np.int64(0), np.int64(0), np.int64(0)
    for rank in range(RANKS):
        count = (key >> SHIFTS[rank]) & 15
        cards += count
        if table.is_upper_rank[rank]:
            high += count * table.stride[rank]
        else:
            low += count * table.stride[rank]
    jokers = (key >> SHIFTS[RANKS]) & 15
    wilds = key >> WILDS_SHIFT
    best = cards + (jokers & 3) + (jokers >> 2) + wilds
    nodes, top = scratch.nodes, np.int64(0)
    nodes[0, _LOW], nodes[0, _HIGH], nodes[0, _WILDS_LEFT] = low, high, wilds
    nodes[0, _PLAYS], nodes[0, _FIRST_RUN], nodes[0, _KEY] = 0, 0, key
    while top >= 0:
        best = _improve_by_node(table, nodes, top, table.joker_fronts[jokers], best, scratch)
        top = _expand_node(table, nodes, top)
    return best


@device_function
def _improve_by_node(table, nodes, top, jokers, best, scratch):
    """Return the fewest plays if no further run across both halves is played."""
    low, high, wilds, plays = nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT], nodes[top, _PLAYS]
    for lower_wilds in range(wilds + 1):
        first = _find_front(table, _LOWER, low, lower_wilds, scratch)
        second = _find_front(table, _UPPER, high, wilds - lower_wilds, scratch)
        while _fits_with_jokers(jokers, first, second, best - 1 - plays):
            best -= 1
    return best


@device_function
def _expand_node(table, nodes, top):
    """Replace the node on top by nodes with one more run across both halves; returns the new top."""
    low, high, wilds, plays = nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT], nodes[top, _PLAYS]
    start, key = nodes[top, _FIRST_RUN], nodes[top, _KEY]
    top -= 1
    for run in range(start, table.run_bounds[1]):
        wilds_left, low_rest, high_rest, key_rest = wilds, low, high, key
        for group in range(table.run_rank.shape[1]):
            size = np.int64(table.run_size[run, group])
            if size == 0:
                break
            rank = table.run_rank[run, group]
            natural = min(size, (key >> SHIFTS[rank]) & 15)
            wilds_left -= size - natural
            if wilds_left < 0:
                break
            key_rest -= natural << SHIFTS[rank]
            if table.is_upper_rank[rank]:
                high_rest -= natural * table.stride[rank]
            else:
                low_rest -= natural * table.stride[rank]
        if wilds_left >= 0:
            top += 1
            nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT] = low_rest, high_rest, wilds_left
            nodes[top, _PLAYS], nodes[top, _FIRST_RUN], nodes[top, _KEY] = plays + 1, run, key_rest
    return top


@device_function
def _cached_min_plays(table, key, scratch):
    """Return the fewest plays of a key, from the cache if it is stored there."""
    slot = (key * _GOLDEN >> (64 - MEMO_BITS)) & ((1 << MEMO_BITS) - 1)
    entry = table.memo[slot]
    if entry >> _VALUE_BITS != key:
        entry = (key << _VALUE_BITS) | _search_min_plays(table, key, scratch)
        table.memo[slot] = entry
    return entry & ((1 << _VALUE_BITS) - 1)


@kernel
def fill_min_plays(table, hands, context, lo, hi, plays):
    """Compute the fewest plays of hands lo..hi-1.

    Args:
        table: ParetoPlayTable.
        hands: uint8 [n, kinds], copies of each card.
        context: int16 [n], index of the context of each hand.
        lo: First hand.
        hi: End of the hands, exclusive.
        plays: uint8 [n], modified.
    """
    table = borrow_arrays(table)
    scratch = new_pareto_scratch(table)
    for i in range(lo, hi):
        plays[i] = _cached_min_plays(table, _pack_hand_key(table, hands[i], context[i]), scratch)


@kernel
def fill_min_plays_after(table, hands, context, start, cards, lo, hi, plays):
    """Compute the fewest plays of the rest after each move of decisions lo..hi-1.

    Args:
        table: ParetoPlayTable.
        hands: uint8 [n, kinds], copies of each card.
        context: int16 [n], index of the context of each hand.
        start: int64 [n + 1], offsets of the moves of each hand.
        cards: uint8 [moves, max_cards], cards of each move.
        lo: First decision.
        hi: End of the decisions, exclusive.
        plays: uint8 [moves], modified.
    """
    table = borrow_arrays(table)
    scratch = new_pareto_scratch(table)
    for i in range(lo, hi):
        key = _pack_hand_key(table, hands[i], context[i])
        for move in range(start[i], start[i + 1]):
            rest_key = key
            for card in cards[move]:
                if card == NO_CARD:
                    break
                rest_key -= table.key_step[context[i], card]
            plays[move] = _cached_min_plays(table, rest_key, scratch)


@device_function
def _pack_hand_key(table, hand, context):
    key = np.int64(0)
    for card in range(len(hand)):
        key += np.int64(hand[card]) * table.key_step[context, card]
    return key
