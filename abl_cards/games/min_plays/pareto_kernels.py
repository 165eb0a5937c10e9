"""The least number of plays that empty a hand: the kernels behind pareto_counter.py, which says what they rest on.

A hand is a *key*: the counts of up to thirteen ranks (four bits each), of two kinds that no wild card stands for, and
of the wild cards (two bits each). Its ranks fall into two halves. The runs that lie across both are tried in all
combinations; what is left of a half is looked up in a table that is filled as it is asked.

A half's entry is a *front*: with ``x`` the groups that are no triple and ``y`` those that are no pair, the least y for
each x. A triple and a pair go as one full house, so a hand takes ``max(x, y)`` plays, and the x and y of parts add up.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.types import NO_CARD

COUNTS = 9
"""A rank has 0..8 natural cards."""
RANKS = 13
"""Ranks that wild cards may stand for."""
SHIFTS = np.arange(0, 60, 4) - np.array([0] * 14 + [2])
"""Where the count of each rank lies in a key; the two behind the ranks take two bits each."""
WILDS_SHIFT = 56
MEMO_BITS = 16
"""A memo has a place for each hash of so many bits."""
NO_PLAY_COST = 127
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
    """The plays of a knowledge base as the kernels read them, and what they have found out so far."""

    half_ranks: NDArray[np.int8]  # [2, 7] the ranks of each half, -1 beyond the last
    stride: NDArray[np.int64]  # [13] of a rank in the index of its half
    is_upper_rank: NDArray[np.uint8]  # [13] whether a rank belongs to the upper half
    set_costs: NDArray[np.int8]  # [11, 2] x and y of so many cards of one rank, NO_PLAY_COST for none
    run_rank: NDArray[np.int8]  # [runs, groups] first the runs across both halves, then the lower, then the upper ones
    run_size: NDArray[np.int8]  # [runs, groups] cards of each rank, 0 beyond the last
    run_bounds: NDArray[np.int64]  # [4] where these three lots begin, and where they end
    joker_fronts: NDArray[np.int64]  # [16] the front of the jokers, by their bits in a key
    key_step: NDArray[np.int64]  # [contexts, kinds] what a card adds to a key
    lower_fronts: NDArray[np.int64]  # [3, indices] by wild cards and index, 0 where not asked yet
    upper_fronts: NDArray[np.int64]  # [3, indices]
    memo: NDArray[np.int64]  # [2^16] the last key with this hash, and its plays in the lowest five bits


class ParetoScratch(NamedTuple):
    """Scratch paper of one thread."""

    counts: NDArray[np.int64]  # [13]
    min_y: NDArray[np.int64]  # [64] the least y at each x
    pending_entries: NDArray[np.int64]  # [64, 2] entries to fill: index, wild cards
    nodes: NDArray[np.int64]  # [nodes, 6] partial hands to try


@njit(cache=True, nogil=True)
def new_pareto_scratch(table):
    """Scratch paper: a run takes a natural card at least, so nothing is deeper than a hand has cards."""
    return ParetoScratch(
        np.zeros(RANKS, np.int64), np.zeros(_MAX_X, np.int64), np.zeros((64, 2), np.int64),
        np.zeros((32 * (table.run_bounds[1] + 1), 6), np.int64),
    )  # fmt: skip


# --- fronts -----------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def _above(front, place):
    """How far y lies above the least one at x0 + place."""
    return (front >> (_POINTS_SHIFT + 4 * min(place, _NUM_POINTS - 1))) & 15


@njit(cache=True, nogil=True)
def clear_front(min_y):
    """A front without points."""
    min_y[:] = NO_PLAY_COST


@njit(cache=True, nogil=True)
def merge_front(min_y, front, x, y):
    """Note the points of a front, each with so much more x and y."""
    x0, y0 = (front & _FIELD_MASK) + x, ((front >> 5) & _FIELD_MASK) + y
    for place in range(_NUM_POINTS):
        above = _above(front, place)
        if x0 + place < _MAX_X:
            min_y[x0 + place] = min(min_y[x0 + place], y0 + above)
        if above == 0:
            break


@njit(cache=True, nogil=True)
def pack_front(min_y):
    """The noted points as a number.

    Points beyond the twelfth, and those 16 above the least y, are left out: a hand of 28 cards that needed one would
    take more plays than it has ranks.
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
    for place in range(_NUM_POINTS):
        front |= (min_y[min(x0 + place, _MAX_X - 1)] - lowest) << (_POINTS_SHIFT + 4 * place)
    return front


@njit(cache=True, nogil=True, inline="always")
def _fits_within(first, second, most_x, most_y):
    """Whether two parts together can stay within so much x and y."""
    rest = most_x - (first & _FIELD_MASK) - (second & _FIELD_MASK)
    room = most_y - ((first >> 5) & _FIELD_MASK) - ((second >> 5) & _FIELD_MASK)
    if rest < 0 or room < 0:
        return False
    for place in range(min(rest, _NUM_POINTS - 1) + 1):
        above = _above(first, place)
        if above + _above(second, rest - place) <= room:
            return True
        if above == 0:
            return False
    return False


@njit(cache=True, nogil=True, inline="always")
def _fits_with_jokers(jokers, first, second, most):
    """The same with the jokers added, for a number of plays."""
    for place in range(_NUM_POINTS):
        above = _above(jokers, place)
        if _fits_within(
            first, second, most - (jokers & _FIELD_MASK) - place, most - ((jokers >> 5) & _FIELD_MASK) - above
        ):
            return True
        if above == 0:
            return False
    return False


# --- the tables of the halves -----------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def _find_front(table, half, index, wilds, scratch):
    """Look up a front, or find it out."""
    front = table.upper_fronts[wilds, index] if half else table.lower_fronts[wilds, index]
    return front if front != 0 else _compute_front(table, half, index, wilds, scratch)


@njit(cache=True, nogil=True)
def _compute_front(table, half, index, wilds, scratch):
    """Fill an entry, and those it rests on before it. Two threads may do so at once: they write the same."""
    fronts = table.upper_fronts if half else table.lower_fronts
    todo, top = scratch.pending_entries, np.int64(0)
    todo[0, _INDEX], todo[0, _WILDS] = index, wilds
    while top >= 0:
        here, left = todo[top, _INDEX], todo[top, _WILDS]
        clear_front(scratch.min_y)
        missing = _merge_plays(table, fronts, half, here, left, scratch)
        if missing < 0:
            fronts[left, here] = pack_front(scratch.min_y)
            top -= 1
        else:
            top += 1
            todo[top, _INDEX], todo[top, _WILDS] = missing // 4, missing % 4
    return fronts[wilds, index]


@njit(cache=True, nogil=True)
def _merge_plays(table, fronts, half, index, wilds, scratch):
    """Note what each play that holds the first rank leaves; returns an entry that is missing, or -1."""
    rank = _read_counts(table, half, index, scratch.counts)
    if rank < 0:
        scratch.min_y[wilds] = wilds  # wild cards on their own are level cards: singles,
        if wilds > 0:  # or a pair
            _merge_set(table, wilds, _READY_BIT, scratch)
        return -1
    missing = _merge_sets(table, fronts, index, wilds, rank, scratch)
    for run in range(table.run_bounds[1 + half], table.run_bounds[2 + half]):
        if missing >= 0:
            break
        missing = _merge_run(table, fronts, index, wilds, rank, run, scratch)
    return missing


@njit(cache=True, nogil=True)
def _read_counts(table, half, index, counts):
    """Take an index apart; returns the first rank that has cards, -1 for none."""
    first = -1
    for rank in table.half_ranks[half]:
        if rank >= 0:
            counts[rank] = index // table.stride[rank] % COUNTS
            if first < 0 and counts[rank] > 0:
                first = rank
    return np.int64(first)


@njit(cache=True, nogil=True)
def _merge_set(table, size, front, scratch):
    if table.set_costs[size, 0] != NO_PLAY_COST:
        merge_front(scratch.min_y, front, np.int64(table.set_costs[size, 0]), np.int64(table.set_costs[size, 1]))


@njit(cache=True, nogil=True)
def _merge_sets(table, fronts, index, wilds, rank, scratch):
    """Plays of one rank; wild cards join when no natural card of it is left over."""
    count = scratch.counts[rank]
    for size in range(1, count + 1):
        rest = index - size * table.stride[rank]
        for stand_ins in range((wilds if size == count else 0) + 1):
            front = fronts[wilds - stand_ins, rest]
            if front == 0:
                return 4 * rest + wilds - stand_ins
            _merge_set(table, size + stand_ins, front, scratch)
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _merge_run(table, fronts, index, wilds, rank, run, scratch):
    """A run, where it holds the rank; a wild card stands in only where no natural card is left."""
    holds, rest, left = False, index, wilds
    for group in range(table.run_rank.shape[1]):
        size = np.int64(table.run_size[run, group])
        if size == 0:
            break
        value = table.run_rank[run, group]
        holds |= value == rank
        natural = min(size, scratch.counts[value])
        rest -= natural * table.stride[value]
        left -= size - natural
        if left < 0:
            return np.int64(-1)
    if not holds:
        return np.int64(-1)
    front = fronts[left, rest]
    if front == 0:
        return 4 * rest + left
    merge_front(scratch.min_y, front, np.int64(1), np.int64(1))
    return np.int64(-1)


# --- whole hands ------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _search_min_plays(table, key, scratch):
    """The least number of plays of a hand."""
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


@njit(cache=True, nogil=True)
def _improve_by_node(table, nodes, top, jokers, best, scratch):
    """The least number of plays when no further run lies across the halves."""
    low, high, wilds, plays = nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT], nodes[top, _PLAYS]
    for below in range(wilds + 1):
        first = _find_front(table, _LOWER, low, below, scratch)
        second = _find_front(table, _UPPER, high, wilds - below, scratch)
        while _fits_with_jokers(jokers, first, second, best - 1 - plays):
            best -= 1
    return best


@njit(cache=True, nogil=True)
def _expand_node(table, nodes, top):
    """Replace the node on top by those with one more run across the halves; returns the new top."""
    low, high, wilds, plays = nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT], nodes[top, _PLAYS]
    start, key = nodes[top, _FIRST_RUN], nodes[top, _KEY]
    top -= 1
    for run in range(start, table.run_bounds[1]):
        left, low_rest, high_rest, key_rest = wilds, low, high, key
        for group in range(table.run_rank.shape[1]):
            size = np.int64(table.run_size[run, group])
            if size == 0:
                break
            rank = table.run_rank[run, group]
            natural = min(size, (key >> SHIFTS[rank]) & 15)
            left -= size - natural
            if left < 0:
                break
            key_rest -= natural << SHIFTS[rank]
            if table.is_upper_rank[rank]:
                high_rest -= natural * table.stride[rank]
            else:
                low_rest -= natural * table.stride[rank]
        if left >= 0:
            top += 1
            nodes[top, _LOW], nodes[top, _HIGH], nodes[top, _WILDS_LEFT] = low_rest, high_rest, left
            nodes[top, _PLAYS], nodes[top, _FIRST_RUN], nodes[top, _KEY] = plays + 1, run, key_rest
    return top


@njit(cache=True, nogil=True, inline="always")
def _cached_min_plays(table, key, scratch):
    """The least number of plays of a key, from memory where it was asked lately."""
    place = (key * _GOLDEN >> (64 - MEMO_BITS)) & ((1 << MEMO_BITS) - 1)
    entry = table.memo[place]
    if entry >> _VALUE_BITS != key:
        entry = (key << _VALUE_BITS) | _search_min_plays(table, key, scratch)
        table.memo[place] = entry
    return entry & ((1 << _VALUE_BITS) - 1)


@njit(cache=True, nogil=True)
def fill_min_plays(table, hands, context, lo, hi, plays):
    """The least number of plays of hands lo..hi-1 of [n, kinds], in contexts [n]."""
    room = new_pareto_scratch(table)
    for i in range(lo, hi):
        plays[i] = _cached_min_plays(table, _pack_hand_key(table, hands[i], context[i]), room)


@njit(cache=True, nogil=True)
def fill_min_plays_after(table, hands, context, start, cards, lo, hi, plays):
    """The least number of plays after each of the moves of decisions lo..hi-1; see MoveLists."""
    room = new_pareto_scratch(table)
    for i in range(lo, hi):
        key = _pack_hand_key(table, hands[i], context[i])
        for move in range(start[i], start[i + 1]):
            rest = key
            for card in cards[move]:
                if card == NO_CARD:
                    break
                rest -= table.key_step[context[i], card]
            plays[move] = _cached_min_plays(table, rest, room)


@njit(cache=True, nogil=True, inline="always")
def _pack_hand_key(table, hand, context):
    key = np.int64(0)
    for card in range(len(hand)):
        key += np.int64(hand[card]) * table.key_step[context, card]
    return key
