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

from reasoners.split_rules import COUNT, MOST_CARDS, TAGS

MOST_OPTIONS = 8
"""Ways to tag the cards of one rank; the four tags of the paper make at most five."""
NEVER = -1e9
USES = (6, 4, 3, 3)
"""Groups of each tag that a rank can give to larger pieces: none, and up to one too many."""
_STEP = (1, USES[0], USES[0] * USES[1], USES[0] * USES[1] * USES[2])
_STEPS = np.array(_STEP, np.int64)
_USES = USES[0] * USES[1] * USES[2] * USES[3]
_EVEN = 1e-9  # two sums of the same numbers in another order differ by less

NO_TAG, NO_PIECE = 255, -1


class Room(NamedTuple):
    """Where one hand after the other is searched; a use of a rank's groups by larger pieces has a number."""

    worth: NDArray[np.float64]  # [15, uses] what a rank is worth, NEVER where it has no such groups
    score: NDArray[np.float64]  # [15, MOST_OPTIONS] the sum over the cards of each way to tag a rank
    most: NDArray[np.float64]  # [15, 4] the most that one more group in a larger piece can gain
    usable: NDArray[np.int64]  # [pieces] numbers of those that can pay
    use: NDArray[np.int64]  # [15]
    stack: NDArray[np.int64]  # [depth] place in usable
    value: NDArray[np.float64]  # [depth]
    best: NDArray[np.int64]  # [depth] the larger pieces of the best split


@njit(cache=True, nogil=True)
def new_room(pieces):
    """Room for a search among so many larger pieces."""
    depth = MOST_CARDS + 2
    return Room(
        np.full((COUNT, _USES), NEVER),
        np.zeros((COUNT, MOST_OPTIONS)),
        np.zeros((COUNT, len(TAGS))),
        np.zeros(pieces, np.int64),
        np.zeros(COUNT, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth),
        np.zeros(depth, np.int64),
    )


@njit(cache=True, nogil=True)
def _weigh_ways(tables, counts, likely, weight, room):
    """Fill the room with what each way to tag a rank is worth, and each use of its groups.

    The cards of a rank follow each other in likely [cards, 4], their tags from low to high.
    """
    place = 0
    for rank in range(COUNT):
        held = counts[rank]
        if held == 0:
            continue
        room.worth[rank, :] = NEVER
        for option in range(tables.ways[rank, held]):
            way = tables.way[rank, held, option]
            total, card = 0.0, place
            for tag in range(len(TAGS)):
                for _ in range(way[tag] * tables.size[rank, tag]):
                    total += likely[card, tag]
                    card += 1
            room.score[rank, option] = total
            _spread(tables, rank, way, total, weight, room.worth[rank])
        place += held


@njit(cache=True, nogil=True, inline="always")
def _alone(tables, rank, tag, groups, weight):
    """What it costs to lay down groups of a rank by themselves; without end where that cannot be."""
    if groups == 0:
        return 0.0
    if tables.label[rank, tag] < 0:
        return -2 * NEVER
    return weight * groups * tables.price[rank, tag]


@njit(cache=True, nogil=True)
def _spread(tables, rank, way, total, weight, worth):
    """Better the worth of every use of a way's groups: what is not used is laid down by itself."""
    for a in range(way[0] + 1):
        one = total - _alone(tables, rank, 0, way[0] - a, weight)
        for b in range(way[1] + 1):
            two = one - _alone(tables, rank, 1, way[1] - b, weight)
            for c in range(way[2] + 1):
                three = two - _alone(tables, rank, 2, way[2] - c, weight)
                for d in range(way[3] + 1):
                    value = three - _alone(tables, rank, 3, way[3] - d, weight)
                    use = a + b * _STEP[1] + c * _STEP[2] + d * _STEP[3]
                    if value > worth[use]:
                        worth[use] = value


@njit(cache=True, nogil=True)
def _most_gains(tables, counts, room):
    """Fill ``most`` with the most that one more group of a tag in a larger piece can ever gain at a rank."""
    most, worth = room.most, room.worth
    most[:] = NEVER
    for rank in range(COUNT):
        held = counts[rank]
        for option in range(tables.ways[rank, held] if held else 0):
            way = tables.way[rank, held, option]
            for a in range(way[0] + 1):
                for b in range(way[1] + 1):
                    for c in range(way[2] + 1):
                        for d in range(way[3] + 1):
                            use = a + b * _STEP[1] + c * _STEP[2] + d * _STEP[3]
                            here = worth[rank, use]
                            if a:
                                most[rank, 0] = max(most[rank, 0], here - worth[rank, use - _STEP[0]])
                            if b:
                                most[rank, 1] = max(most[rank, 1], here - worth[rank, use - _STEP[1]])
                            if c:
                                most[rank, 2] = max(most[rank, 2], here - worth[rank, use - _STEP[2]])
                            if d:
                                most[rank, 3] = max(most[rank, 3], here - worth[rank, use - _STEP[3]])


@njit(cache=True, nogil=True, inline="always")
def _gain(worth, use, first, last, step):
    """What the ranks of a piece gain or lose when it is laid aside; NEVER where its groups are not there."""
    gain = 0.0
    for rank in range(first, last + 1):
        more = worth[rank, use[rank] + step]
        if more <= NEVER / 2:
            return NEVER
        gain += more - worth[rank, use[rank]]
    return gain


@njit(cache=True, nogil=True)
def _usable(tables, counts, weight, room):
    """Keep the larger pieces that can pay: what their ranks gain at most is more than they cost. Returns how many."""
    pieces, most, found = tables.pieces, room.most, 0
    for number in range(len(pieces.label)):
        tag, total = pieces.tag[number], -weight * pieces.price[number]
        for rank in range(pieces.first[number], pieces.last[number] + 1):
            if counts[rank] == 0 or most[rank, tag] <= NEVER / 2:
                total = NEVER
                break
            total += most[rank, tag]
        if total > _EVEN:
            room.usable[found] = number
            found += 1
    return found


@njit(cache=True, nogil=True)
def _ceiling(tables, counts, fit, room):
    """The worth of the hand if larger pieces were free: each rank by the best use of tags that some piece takes up."""
    covered = np.zeros((COUNT, len(TAGS)), np.bool_)
    for place in range(fit):
        number = room.usable[place]
        covered[tables.pieces.first[number] : tables.pieces.last[number] + 1, tables.pieces.tag[number]] = True
    total = 0.0
    for rank in range(COUNT):
        held, best = counts[rank], NEVER
        for option in range(tables.ways[rank, held] if held else 0):
            way, use = tables.way[rank, held, option], 0
            for tag in range(len(TAGS)):
                free = covered[rank, tag] and (tables.label[rank, tag] < 0 or tables.price[rank, tag] >= 0)
                use += way[tag] * _STEPS[tag] if free else 0
            best = max(best, room.worth[rank, use])
        total += best if held else 0.0
    return total


@njit(cache=True, nogil=True, inline="always")
def _next(pieces, fit, at, room):
    """The first usable piece from a place on whose groups are there, and its gain."""
    while at < fit:
        number = room.usable[at]
        gain = _gain(room.worth, room.use, pieces.first[number], pieces.last[number], _STEPS[pieces.tag[number]])
        if gain > NEVER / 2:
            return at, gain
        at += 1
    return fit, 0.0


@njit(cache=True, nogil=True, inline="always")
def _take(pieces, number, room, sign):
    for rank in range(pieces.first[number], pieces.last[number] + 1):
        room.use[rank] += sign * _STEPS[pieces.tag[number]]


@njit(cache=True, nogil=True)
def search(tables, counts, likely, weight, room):
    """The best set of larger pieces, left in ``best`` of the room; returns how many, and what the split is worth."""
    _weigh_ways(tables, counts, likely, weight, room)
    _most_gains(tables, counts, room)
    fit = _usable(tables, counts, weight, room)
    ceiling = _ceiling(tables, counts, fit, room)
    pieces, value = tables.pieces, 0.0
    room.use[:] = 0
    for rank in range(COUNT):
        if counts[rank]:
            value += room.worth[rank, 0]
    cheapest = np.inf  # that any more larger pieces can cost; some may be rewarded, and there is room for few
    for place in range(fit):
        cheapest = min(cheapest, weight * pieces.price[room.usable[place]])
    if cheapest < 0:
        cheapest *= MOST_CARDS // 2
    best, length, depth, spent = value, 0, 0, 0.0
    room.stack[0], room.value[0] = 0, value
    while depth >= 0:
        at, gain = fit, 0.0
        if ceiling - spent - cheapest > best + _EVEN:
            at, gain = _next(pieces, fit, room.stack[depth], room)
        if at == fit:
            depth -= 1
            if depth >= 0:
                number = room.usable[room.stack[depth]]
                _take(pieces, number, room, -1)
                spent -= weight * pieces.price[number]
                room.stack[depth] += 1
            continue
        number = room.usable[at]
        room.stack[depth] = at
        _take(pieces, number, room, 1)
        spent += weight * pieces.price[number]
        value = room.value[depth] + gain - weight * pieces.price[number]
        depth += 1
        room.stack[depth], room.value[depth] = at, value
        if value > best + _EVEN:
            best, length = value, depth
            for place in range(depth):
                room.best[place] = room.usable[room.stack[place]]
    return length, best


@njit(cache=True, nogil=True)
def _finish(tables, counts, weight, length, room, tags, labels):
    """Write tags [cards] and labels of the pieces [cards] of the split whose larger pieces are in the room."""
    pieces, card, piece = tables.pieces, 0, length
    room.use[:] = 0
    for place in range(length):
        labels[place] = pieces.label[room.best[place]]
        _take(pieces, room.best[place], room, 1)
    for rank in range(COUNT):
        held = counts[rank]
        if held == 0:
            continue
        way = tables.way[rank, held, _chosen(tables, rank, held, weight, room)]
        use = room.use[rank]
        for tag in range(len(TAGS)):
            used = use // _STEPS[tag] % USES[tag]
            for _ in range(way[tag] * tables.size[rank, tag]):
                tags[card] = tag
                card += 1
            for _ in range(way[tag] - used):
                labels[piece] = tables.label[rank, tag]
                piece += 1
    return piece


@njit(cache=True, nogil=True)
def _chosen(tables, rank, held, weight, room):
    """The best way to tag a rank, given what larger pieces use of it."""
    chosen, best = 0, 2 * NEVER
    for option in range(tables.ways[rank, held]):
        way, value, enough = tables.way[rank, held, option], room.score[rank, option], True
        for tag in range(len(TAGS)):
            used = room.use[rank] // _STEPS[tag] % USES[tag]
            enough = enough and way[tag] >= used
            value -= _alone(tables, rank, tag, way[tag] - used, weight) if enough else 0.0
        if enough and value > best + _EVEN:
            chosen, best = option, value
    return chosen


@njit(cache=True, nogil=True)
def split(tables, counts, likely, weight, lo, hi, tags, labels, plays, worth):
    """Fill the splits of hands lo..hi-1 with counts [n, 15] and card scores likely [n, cards, 4]."""
    room = new_room(len(tables.pieces.label))
    for i in range(lo, hi):
        length, worth[i] = search(tables, counts[i], likely[i], weight, room)
        plays[i] = _finish(tables, counts[i], weight, length, room, tags[i], labels[i])
