"""Kernels that find the best split of a hand: search over sets of pieces of several ranks, and tag each rank by itself.

The value of a rank depends only on the number of its groups that pieces of several ranks use. So the search goes over
sets of such pieces, and each step changes only the ranks of one piece.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import borrow_arrays, device_function, kernel
from abl_cards.reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS

MAX_OPTIONS = 8
"""Most ways to tag the cards of one rank; the four tags of the paper have at most five."""
INFEASIBLE = -1e9
USES = (6, 4, 3, 3)
"""For each tag the number of possible uses of a rank's groups by larger pieces, from none to one too many."""
_USE_STRIDES = (1, USES[0], USES[0] * USES[1], USES[0] * USES[1] * USES[2])
_USE_STRIDE_ARRAY = np.array(_USE_STRIDES, np.int64)
_N_USES = USES[0] * USES[1] * USES[2] * USES[3]
_TIE_TOLERANCE = 1e-9  # two sums of the same numbers in another order differ by less

NO_TAG, NO_PIECE = 255, -1


class SplitScratch(NamedTuple):
    """Buffers of the search; each use of a rank's groups by larger pieces has an index.

    Attributes:
        rank_value: float64[15, uses] Value of a rank; INFEASIBLE where it has no such groups.
        option_score: float64[15, MAX_OPTIONS] Sum of the scores of the cards, for each way to tag a rank.
        max_gain: float64[15, 4] Most that one more group in a larger piece can gain.
        usable_pieces: int64[pieces] Pieces that may improve the split.
        used_groups: int64[15] Use of the groups of each rank.
        stack: int64[depth] Index in `usable_pieces`.
        stack_value: float64[depth] Value of the split.
        best_pieces: int64[depth] Larger pieces of the best split.
    """

    rank_value: NDArray[np.float64]
    option_score: NDArray[np.float64]
    max_gain: NDArray[np.float64]
    usable_pieces: NDArray[np.int64]
    used_groups: NDArray[np.int64]
    stack: NDArray[np.int64]
    stack_value: NDArray[np.float64]
    best_pieces: NDArray[np.int64]


@kernel
def new_scratch(pieces):
    """Make buffers for a search with a number of larger pieces."""
    depth = MAX_CARDS + 2
    return SplitScratch(
        np.full((N_KINDS, _N_USES), INFEASIBLE),
        np.zeros((N_KINDS, MAX_OPTIONS)),
        np.zeros((N_KINDS, len(TAGS))),
        np.zeros(pieces, np.int64),
        np.zeros(N_KINDS, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth),
        np.zeros(depth, np.int64),
    )


@device_function
def _score_ways(tables, counts, tag_scores, weight, scratch):
    """Compute the values of each way to tag a rank, and of each use of its groups.

    The cards of a rank follow each other in tag_scores [cards, 4], with tags from low to high.
    """
    first_card = 0
    for rank in range(N_KINDS):
        num_cards = counts[rank]
        if num_cards == 0:
            continue
        scratch.rank_value[rank, :] = INFEASIBLE
        for option in range(tables.n_ways[rank, num_cards]):
            way = tables.way_groups[rank, num_cards, option]
            total, card = 0.0, first_card
            for tag in range(len(TAGS)):
                for _ in range(way[tag] * tables.group_size[rank, tag]):
                    total += tag_scores[card, tag]
                    card += 1
            scratch.option_score[rank, option] = total
            _update_use_values(tables, rank, way, total, weight, scratch.rank_value[rank])
        first_card += num_cards


@device_function
def _single_piece_cost(tables, rank, tag, groups, weight):
    """Return the cost of playing groups of a rank as pieces of one rank; prohibitive where there is no such piece."""
    if groups == 0:
        return 0.0
    if tables.group_label[rank, tag] < 0:
        return -2 * INFEASIBLE
    return weight * groups * tables.group_price[rank, tag]


@device_function
def _update_use_values(tables, rank, way, total, weight, use_values):
    """Raise the value of every use of a way's groups, where the unused groups are pieces of one rank."""
    for a in range(way[0] + 1):
        after_first = total - _single_piece_cost(tables, rank, 0, way[0] - a, weight)
        for b in range(way[1] + 1):
            after_second = after_first - _single_piece_cost(tables, rank, 1, way[1] - b, weight)
            for c in range(way[2] + 1):
                after_third = after_second - _single_piece_cost(tables, rank, 2, way[2] - c, weight)
                for d in range(way[3] + 1):
                    value = after_third - _single_piece_cost(tables, rank, 3, way[3] - d, weight)
                    use = a + b * _USE_STRIDES[1] + c * _USE_STRIDES[2] + d * _USE_STRIDES[3]
                    if value > use_values[use]:
                        use_values[use] = value


@device_function
def _fill_max_gains(tables, counts, scratch):
    """Fill ``max_gain`` with the most that one more group of a tag in a larger piece can gain at a rank."""
    max_gain, rank_value = scratch.max_gain, scratch.rank_value
    max_gain[:] = INFEASIBLE
    for rank in range(N_KINDS):
        num_cards = counts[rank]
        for option in range(tables.n_ways[rank, num_cards] if num_cards else 0):
            way = tables.way_groups[rank, num_cards, option]
            for a in range(way[0] + 1):
                for b in range(way[1] + 1):
                    for c in range(way[2] + 1):
                        for d in range(way[3] + 1):
                            use = a + b * _USE_STRIDES[1] + c * _USE_STRIDES[2] + d * _USE_STRIDES[3]
                            value = rank_value[rank, use]
                            if a:
                                max_gain[rank, 0] = max(
                                    max_gain[rank, 0], value - rank_value[rank, use - _USE_STRIDES[0]]
                                )
                            if b:
                                max_gain[rank, 1] = max(
                                    max_gain[rank, 1], value - rank_value[rank, use - _USE_STRIDES[1]]
                                )
                            if c:
                                max_gain[rank, 2] = max(
                                    max_gain[rank, 2], value - rank_value[rank, use - _USE_STRIDES[2]]
                                )
                            if d:
                                max_gain[rank, 3] = max(
                                    max_gain[rank, 3], value - rank_value[rank, use - _USE_STRIDES[3]]
                                )


@device_function
def _gain(rank_value, use, first, last, step):
    """Return the gain of the ranks of a piece when it is added; INFEASIBLE where they lack its groups."""
    gain = 0.0
    for rank in range(first, last + 1):
        next_value = rank_value[rank, use[rank] + step]
        if next_value <= INFEASIBLE / 2:
            return INFEASIBLE
        gain += next_value - rank_value[rank, use[rank]]
    return gain


@device_function
def _select_usable(tables, counts, weight, scratch):
    """Select the larger pieces whose greatest gain exceeds their cost; return their number."""
    pieces, max_gain, num_usable = tables.pieces, scratch.max_gain, 0
    for piece in range(len(pieces.label)):
        tag, total = pieces.tag[piece], -weight * pieces.price[piece]
        for rank in range(pieces.first_rank[piece], pieces.last_rank[piece] + 1):
            if counts[rank] == 0 or max_gain[rank, tag] <= INFEASIBLE / 2:
                total = INFEASIBLE
                break
            total += max_gain[rank, tag]
        if total > _TIE_TOLERANCE:
            scratch.usable_pieces[num_usable] = piece
            num_usable += 1
    return num_usable


@device_function
def _upper_bound(tables, counts, fit, scratch):
    """Return the value of the hand if larger pieces were free, with the best use at each rank."""
    covered = np.zeros((N_KINDS, len(TAGS)), np.bool_)
    for index in range(fit):
        piece = scratch.usable_pieces[index]
        covered[tables.pieces.first_rank[piece] : tables.pieces.last_rank[piece] + 1, tables.pieces.tag[piece]] = True
    total = 0.0
    for rank in range(N_KINDS):
        num_cards, best = counts[rank], INFEASIBLE
        for option in range(tables.n_ways[rank, num_cards] if num_cards else 0):
            way, use = tables.way_groups[rank, num_cards, option], 0
            for tag in range(len(TAGS)):
                free = covered[rank, tag] and (tables.group_label[rank, tag] < 0 or tables.group_price[rank, tag] >= 0)
                use += way[tag] * _USE_STRIDE_ARRAY[tag] if free else 0
            best = max(best, scratch.rank_value[rank, use])
        total += best if num_cards else 0.0
    return total


@device_function
def _next_piece(pieces, fit, index, scratch):
    """Return the first usable piece from an index on whose groups are free, and its gain."""
    while index < fit:
        piece = scratch.usable_pieces[index]
        gain = _gain(
            scratch.rank_value,
            scratch.used_groups,
            pieces.first_rank[piece],
            pieces.last_rank[piece],
            _USE_STRIDE_ARRAY[pieces.tag[piece]],
        )
        if gain > INFEASIBLE / 2:
            return index, gain
        index += 1
    return fit, 0.0


@device_function
def _mark_piece(pieces, number, scratch, sign):
    for rank in range(pieces.first_rank[number], pieces.last_rank[number] + 1):
        scratch.used_groups[rank] += sign * _USE_STRIDE_ARRAY[pieces.tag[number]]


@device_function
def find_best_pieces(tables, counts, tag_scores, weight, scratch):
    """Find the best set of larger pieces, and write it to ``best_pieces`` of the buffers.

    Return their number, and the value of the split.
    """
    _score_ways(tables, counts, tag_scores, weight, scratch)
    _fill_max_gains(tables, counts, scratch)
    fit = _select_usable(tables, counts, weight, scratch)
    ceiling = _upper_bound(tables, counts, fit, scratch)
    pieces, value = tables.pieces, 0.0
    scratch.used_groups[:] = 0
    for rank in range(N_KINDS):
        if counts[rank]:
            value += scratch.rank_value[rank, 0]
    cheapest = np.inf  # lower bound of the cost of further pieces, of which there are few; prices may be negative
    for index in range(fit):
        cheapest = min(cheapest, weight * pieces.price[scratch.usable_pieces[index]])
    if cheapest < 0:
        cheapest *= MAX_CARDS // 2
    best, length, depth, spent = value, 0, 0, 0.0
    scratch.stack[0], scratch.stack_value[0] = 0, value
    while depth >= 0:
        next_index, gain = fit, 0.0
        if ceiling - spent - cheapest > best + _TIE_TOLERANCE:
            next_index, gain = _next_piece(pieces, fit, scratch.stack[depth], scratch)
        if next_index == fit:
            depth -= 1
            if depth >= 0:
                piece = scratch.usable_pieces[scratch.stack[depth]]
                _mark_piece(pieces, piece, scratch, -1)
                spent -= weight * pieces.price[piece]
                scratch.stack[depth] += 1
            continue
        piece = scratch.usable_pieces[next_index]
        scratch.stack[depth] = next_index
        _mark_piece(pieces, piece, scratch, 1)
        spent += weight * pieces.price[piece]
        value = scratch.stack_value[depth] + gain - weight * pieces.price[piece]
        depth += 1
        scratch.stack[depth], scratch.stack_value[depth] = next_index, value
        if value > best + _TIE_TOLERANCE:
            best, length = value, depth
            for index in range(depth):
                scratch.best_pieces[index] = scratch.usable_pieces[scratch.stack[index]]
    return length, best


@device_function
def _write_split(tables, counts, weight, length, scratch, tags, labels):
    """Write tags [cards] and labels [cards] of the split whose larger pieces are in the buffers."""
    pieces, card, piece = tables.pieces, 0, length
    scratch.used_groups[:] = 0
    for index in range(length):
        labels[index] = pieces.label[scratch.best_pieces[index]]
        _mark_piece(pieces, scratch.best_pieces[index], scratch, 1)
    for rank in range(N_KINDS):
        num_cards = counts[rank]
        if num_cards == 0:
            continue
        way = tables.way_groups[rank, num_cards, _best_option(tables, rank, num_cards, weight, scratch)]
        use = scratch.used_groups[rank]
        for tag in range(len(TAGS)):
            used = use // _USE_STRIDE_ARRAY[tag] % USES[tag]
            for _ in range(way[tag] * tables.group_size[rank, tag]):
                tags[card] = tag
                card += 1
            for _ in range(way[tag] - used):
                labels[piece] = tables.group_label[rank, tag]
                piece += 1
    return piece


@device_function
def _best_option(tables, rank, num_cards, weight, scratch):
    """Return the best way to tag a rank, given the use of its groups by larger pieces."""
    chosen, best = 0, 2 * INFEASIBLE
    for option in range(tables.n_ways[rank, num_cards]):
        way, value, enough = tables.way_groups[rank, num_cards, option], scratch.option_score[rank, option], True
        for tag in range(len(TAGS)):
            used = scratch.used_groups[rank] // _USE_STRIDE_ARRAY[tag] % USES[tag]
            enough = enough and way[tag] >= used
            value -= _single_piece_cost(tables, rank, tag, way[tag] - used, weight) if enough else 0.0
        if enough and value > best + _TIE_TOLERANCE:
            chosen, best = option, value
    return chosen


@kernel
def split_hands(tables, counts, tag_scores, weight, lo, hi, tags, labels, plays, worth):
    """Find the splits of hands lo..hi-1 from counts [n, 15] and tag_scores [n, cards, 4]."""
    tables = borrow_arrays(tables)
    scratch = new_scratch(len(tables.pieces.label))
    for i in range(lo, hi):
        length, worth[i] = find_best_pieces(tables, counts[i], tag_scores[i], weight, scratch)
        plays[i] = _write_split(tables, counts[i], weight, length, scratch, tags[i], labels[i])
