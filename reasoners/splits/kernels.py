"""The best split of a hand: pieces of several ranks are laid aside in all ways that can pay, ranks are tagged apart.

What a rank is worth depends only on how many of its groups such pieces take up. So the search goes over sets of pieces
of several ranks, and between two steps only the ranks of one piece change.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS

MAX_OPTIONS = 8
"""Ways to tag the cards of one rank; the four tags of the paper make at most five."""
INFEASIBLE = -1e9
USES = (6, 4, 3, 3)
"""Groups of each tag that a rank can give to larger pieces: none, and up to one too many."""
_USE_STRIDES = (1, USES[0], USES[0] * USES[1], USES[0] * USES[1] * USES[2])
_USE_STRIDE_ARRAY = np.array(_USE_STRIDES, np.int64)
_N_USES = USES[0] * USES[1] * USES[2] * USES[3]
_TIE_TOLERANCE = 1e-9  # two sums of the same numbers in another order differ by less

NO_TAG, NO_PIECE = 255, -1


class SplitScratch(NamedTuple):
    """Where one hand after the other is searched; a use of a rank's groups by larger pieces has a number."""

    rank_value: NDArray[np.float64]  # [15, uses] what a rank is worth, INFEASIBLE where it has no such groups
    option_score: NDArray[np.float64]  # [15, MAX_OPTIONS] the sum over the cards of each way to tag a rank
    max_gain: NDArray[np.float64]  # [15, 4] the most that one more group in a larger piece can gain
    usable_pieces: NDArray[np.int64]  # [pieces] numbers of those that can pay
    used_groups: NDArray[np.int64]  # [15]
    stack: NDArray[np.int64]  # [depth] place in usable
    stack_value: NDArray[np.float64]  # [depth]
    best_pieces: NDArray[np.int64]  # [depth] the larger pieces of the best split


@njit(cache=True, nogil=True)
def new_scratch(pieces):
    """Room for a search among so many larger pieces."""
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


@njit(cache=True, nogil=True)
def _score_ways(tables, counts, tag_scores, weight, scratch):
    """Fill the room with what each way to tag a rank is worth, and each use of its groups.

    The cards of a rank follow each other in likely [cards, 4], their tags from low to high.
    """
    place = 0
    for rank in range(N_KINDS):
        held = counts[rank]
        if held == 0:
            continue
        scratch.rank_value[rank, :] = INFEASIBLE
        for option in range(tables.n_ways[rank, held]):
            way = tables.way_groups[rank, held, option]
            total, card = 0.0, place
            for tag in range(len(TAGS)):
                for _ in range(way[tag] * tables.group_size[rank, tag]):
                    total += tag_scores[card, tag]
                    card += 1
            scratch.option_score[rank, option] = total
            _update_use_values(tables, rank, way, total, weight, scratch.rank_value[rank])
        place += held


@njit(cache=True, nogil=True, inline="always")
def _single_piece_cost(tables, rank, tag, groups, weight):
    """What it costs to lay down groups of a rank by themselves; without end where that cannot be."""
    if groups == 0:
        return 0.0
    if tables.group_label[rank, tag] < 0:
        return -2 * INFEASIBLE
    return weight * groups * tables.group_price[rank, tag]


@njit(cache=True, nogil=True)
def _update_use_values(tables, rank, way, total, weight, worth):
    """Better the worth of every use of a way's groups: what is not used is laid down by itself."""
    for a in range(way[0] + 1):
        one = total - _single_piece_cost(tables, rank, 0, way[0] - a, weight)
        for b in range(way[1] + 1):
            two = one - _single_piece_cost(tables, rank, 1, way[1] - b, weight)
            for c in range(way[2] + 1):
                three = two - _single_piece_cost(tables, rank, 2, way[2] - c, weight)
                for d in range(way[3] + 1):
                    value = three - _single_piece_cost(tables, rank, 3, way[3] - d, weight)
                    use = a + b * _USE_STRIDES[1] + c * _USE_STRIDES[2] + d * _USE_STRIDES[3]
                    if value > worth[use]:
                        worth[use] = value


@njit(cache=True, nogil=True)
def _fill_max_gains(tables, counts, scratch):
    """Fill ``max_gain`` with the most that one more group of a tag in a larger piece can ever gain at a rank."""
    most, worth = scratch.max_gain, scratch.rank_value
    most[:] = INFEASIBLE
    for rank in range(N_KINDS):
        held = counts[rank]
        for option in range(tables.n_ways[rank, held] if held else 0):
            way = tables.way_groups[rank, held, option]
            for a in range(way[0] + 1):
                for b in range(way[1] + 1):
                    for c in range(way[2] + 1):
                        for d in range(way[3] + 1):
                            use = a + b * _USE_STRIDES[1] + c * _USE_STRIDES[2] + d * _USE_STRIDES[3]
                            here = worth[rank, use]
                            if a:
                                most[rank, 0] = max(most[rank, 0], here - worth[rank, use - _USE_STRIDES[0]])
                            if b:
                                most[rank, 1] = max(most[rank, 1], here - worth[rank, use - _USE_STRIDES[1]])
                            if c:
                                most[rank, 2] = max(most[rank, 2], here - worth[rank, use - _USE_STRIDES[2]])
                            if d:
                                most[rank, 3] = max(most[rank, 3], here - worth[rank, use - _USE_STRIDES[3]])


@njit(cache=True, nogil=True, inline="always")
def _gain(worth, use, first, last, step):
    """What the ranks of a piece gain or lose when it is laid aside; INFEASIBLE where its groups are not there."""
    gain = 0.0
    for rank in range(first, last + 1):
        more = worth[rank, use[rank] + step]
        if more <= INFEASIBLE / 2:
            return INFEASIBLE
        gain += more - worth[rank, use[rank]]
    return gain


@njit(cache=True, nogil=True)
def _select_usable(tables, counts, weight, scratch):
    """Keep the larger pieces that can pay: what their ranks gain at most is more than they cost. Returns how many."""
    pieces, most, found = tables.pieces, scratch.max_gain, 0
    for number in range(len(pieces.label)):
        tag, total = pieces.tag[number], -weight * pieces.price[number]
        for rank in range(pieces.first_rank[number], pieces.last_rank[number] + 1):
            if counts[rank] == 0 or most[rank, tag] <= INFEASIBLE / 2:
                total = INFEASIBLE
                break
            total += most[rank, tag]
        if total > _TIE_TOLERANCE:
            scratch.usable_pieces[found] = number
            found += 1
    return found


@njit(cache=True, nogil=True)
def _upper_bound(tables, counts, fit, scratch):
    """The worth of the hand if larger pieces were free: each rank by the best use of tags that some piece takes up."""
    covered = np.zeros((N_KINDS, len(TAGS)), np.bool_)
    for place in range(fit):
        number = scratch.usable_pieces[place]
        covered[tables.pieces.first_rank[number] : tables.pieces.last_rank[number] + 1, tables.pieces.tag[number]] = (
            True
        )
    total = 0.0
    for rank in range(N_KINDS):
        held, best = counts[rank], INFEASIBLE
        for option in range(tables.n_ways[rank, held] if held else 0):
            way, use = tables.way_groups[rank, held, option], 0
            for tag in range(len(TAGS)):
                free = covered[rank, tag] and (tables.group_label[rank, tag] < 0 or tables.group_price[rank, tag] >= 0)
                use += way[tag] * _USE_STRIDE_ARRAY[tag] if free else 0
            best = max(best, scratch.rank_value[rank, use])
        total += best if held else 0.0
    return total


@njit(cache=True, nogil=True, inline="always")
def _next_piece(pieces, fit, at, scratch):
    """The first usable piece from a place on whose groups are there, and its gain."""
    while at < fit:
        number = scratch.usable_pieces[at]
        gain = _gain(
            scratch.rank_value,
            scratch.used_groups,
            pieces.first_rank[number],
            pieces.last_rank[number],
            _USE_STRIDE_ARRAY[pieces.tag[number]],
        )
        if gain > INFEASIBLE / 2:
            return at, gain
        at += 1
    return fit, 0.0


@njit(cache=True, nogil=True, inline="always")
def _mark_piece(pieces, number, scratch, sign):
    for rank in range(pieces.first_rank[number], pieces.last_rank[number] + 1):
        scratch.used_groups[rank] += sign * _USE_STRIDE_ARRAY[pieces.tag[number]]


@njit(cache=True, nogil=True)
def find_best_pieces(tables, counts, tag_scores, weight, scratch):
    """The best set of larger pieces, left in ``best_pieces`` of the scratch.

    Returns how many, and what the split is worth.
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
    cheapest = np.inf  # that any more larger pieces can cost; some may be rewarded, and there is room for few
    for place in range(fit):
        cheapest = min(cheapest, weight * pieces.price[scratch.usable_pieces[place]])
    if cheapest < 0:
        cheapest *= MAX_CARDS // 2
    best, length, depth, spent = value, 0, 0, 0.0
    scratch.stack[0], scratch.stack_value[0] = 0, value
    while depth >= 0:
        at, gain = fit, 0.0
        if ceiling - spent - cheapest > best + _TIE_TOLERANCE:
            at, gain = _next_piece(pieces, fit, scratch.stack[depth], scratch)
        if at == fit:
            depth -= 1
            if depth >= 0:
                number = scratch.usable_pieces[scratch.stack[depth]]
                _mark_piece(pieces, number, scratch, -1)
                spent -= weight * pieces.price[number]
                scratch.stack[depth] += 1
            continue
        number = scratch.usable_pieces[at]
        scratch.stack[depth] = at
        _mark_piece(pieces, number, scratch, 1)
        spent += weight * pieces.price[number]
        value = scratch.stack_value[depth] + gain - weight * pieces.price[number]
        depth += 1
        scratch.stack[depth], scratch.stack_value[depth] = at, value
        if value > best + _TIE_TOLERANCE:
            best, length = value, depth
            for place in range(depth):
                scratch.best_pieces[place] = scratch.usable_pieces[scratch.stack[place]]
    return length, best


@njit(cache=True, nogil=True)
def _write_split(tables, counts, weight, length, scratch, tags, labels):
    """Write tags [cards] and labels of the pieces [cards] of the split whose larger pieces are in the room."""
    pieces, card, piece = tables.pieces, 0, length
    scratch.used_groups[:] = 0
    for place in range(length):
        labels[place] = pieces.label[scratch.best_pieces[place]]
        _mark_piece(pieces, scratch.best_pieces[place], scratch, 1)
    for rank in range(N_KINDS):
        held = counts[rank]
        if held == 0:
            continue
        way = tables.way_groups[rank, held, _best_option(tables, rank, held, weight, scratch)]
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


@njit(cache=True, nogil=True)
def _best_option(tables, rank, held, weight, scratch):
    """The best way to tag a rank, given what larger pieces use of it."""
    chosen, best = 0, 2 * INFEASIBLE
    for option in range(tables.n_ways[rank, held]):
        way, value, enough = tables.way_groups[rank, held, option], scratch.option_score[rank, option], True
        for tag in range(len(TAGS)):
            used = scratch.used_groups[rank] // _USE_STRIDE_ARRAY[tag] % USES[tag]
            enough = enough and way[tag] >= used
            value -= _single_piece_cost(tables, rank, tag, way[tag] - used, weight) if enough else 0.0
        if enough and value > best + _TIE_TOLERANCE:
            chosen, best = option, value
    return chosen


@njit(cache=True, nogil=True)
def split_hands(tables, counts, tag_scores, weight, lo, hi, tags, labels, plays, worth):
    """Fill the splits of hands lo..hi-1 with counts [n, 15] and card scores likely [n, cards, 4]."""
    room = new_scratch(len(tables.pieces.label))
    for i in range(lo, hi):
        length, worth[i] = find_best_pieces(tables, counts[i], tag_scores[i], weight, room)
        plays[i] = _write_split(tables, counts[i], weight, length, room, tags[i], labels[i])
