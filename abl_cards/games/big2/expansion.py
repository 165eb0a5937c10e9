"""From a legal label to its concrete card sets: the kernels that lay down cards.

Card sets come by label, a pass last, and of one label with the lowest kickers first.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.big2.knowledge import FIRST, MOST_CARDS, RANK_COUNT
from abl_cards.streams import below, mix

NO_CARD = 255
EVERY_LABEL, NO_LABEL = -1, -2
_TOPS = np.uint64(sum(8 << 4 * rank for rank in range(RANK_COUNT)))


@njit(cache=True, nogil=True)
def _ways(ranks, groups):
    """How many ways there are to choose so many of the ranks."""
    ways = np.int64(1)
    for k in range(groups):
        ways = ways * (ranks - k) // (k + 1)
    return ways


@njit(cache=True, nogil=True)
def _available(layout, hand, label, ranks):
    """Fill in the ranks that the kickers of a label may be of; returns how many."""
    found, size = 0, max(1, layout.kicker_size[label])
    for rank in range(RANK_COUNT):
        if layout.spare[label, rank] and hand[rank] >= layout.needs[label, rank] + size:
            ranks[found] = rank
            found += 1
    return found


@njit(cache=True, nogil=True)
def _key(hand):
    """The copies of each rank, four bits each."""
    key = np.uint64(0)
    for rank in range(RANK_COUNT):
        key += np.uint64(hand[rank]) << np.uint64(4 * rank)
    return key


@njit(cache=True, nogil=True, inline="always")
def _holds(key, cards):
    return ((key | _TOPS) - cards) & _TOPS == _TOPS


@njit(cache=True, nogil=True)
def _write(layout, label, ranks, chosen, row):
    """The cards of a move from low to high; chosen are places in ranks, one a group of kickers."""
    at, kicker = 0, 0
    groups, size = np.int64(layout.kickers[label]), np.int64(layout.kicker_size[label])
    row[:] = NO_CARD
    for rank in range(RANK_COUNT):
        count = np.int64(layout.needs[label, rank])
        if kicker < groups and ranks[chosen[kicker]] == rank:
            count += size
            kicker += 1
        for _ in range(count):
            row[at] = rank + FIRST
            at += 1


@njit(cache=True, nogil=True)
def _next_choice(chosen, groups, ranks):
    """The choice that follows in order."""
    place = groups - 1
    while place >= 0 and chosen[place] == ranks - groups + place:
        place -= 1
    if place >= 0:
        chosen[place] += 1
        for behind in range(place + 1, groups):
            chosen[behind] = chosen[behind - 1] + 1


@njit(cache=True, nogil=True)
def list_moves(layout, hands, labels, legal, start, form, cards):
    """All card sets of decisions, or those of one label each; fills what there is room for and start[1:]."""
    ranks, chosen = np.zeros(RANK_COUNT + 1, np.int64), np.zeros(RANK_COUNT, np.int64)
    seen = np.int64(0)
    mains = layout.key
    for i in range(len(hands)):
        key = _key(hands[i])
        for label in range(legal.shape[0]):
            if not legal[label, i] or (labels[i] != EVERY_LABEL and labels[i] != label):
                continue
            if not _holds(key, mains[label]):
                continue
            groups = np.int64(layout.kickers[label])
            found = _available(layout, hands[i], label, ranks) if groups else 0
            for k in range(groups):
                chosen[k] = k
            for _ in range(_ways(found, groups)):
                if seen < len(form):
                    form[seen] = label
                    _write(layout, label, ranks, chosen, cards[seen])
                    _next_choice(chosen, groups, found)
                seen += 1
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def realise(layout, hands, labels, keys, at_random, form, cards):
    """A card set of one legal label a decision: the first, or any, all equally likely; NO_LABEL where there is none."""
    ranks, chosen = np.zeros(RANK_COUNT + 1, np.int64), np.zeros(RANK_COUNT, np.int64)
    for i in range(len(hands)):
        label = np.int64(labels[i])
        form[i] = NO_LABEL
        if not 0 <= label < len(layout.key) or not _holds(_key(hands[i]), layout.key[label]):
            continue
        groups = np.int64(layout.kickers[label])
        found = _available(layout, hands[i], label, ranks) if groups else 0
        if found < groups:
            continue
        form[i] = label
        lot = np.int64(0)
        if at_random:
            lot = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(_ways(found, groups))))
        place = 0
        for k in range(groups):
            while lot >= _ways(found - place - 1, groups - k - 1):
                lot -= _ways(found - place - 1, groups - k - 1)
                place += 1
            chosen[k] = place
            place += 1
        _write(layout, label, ranks, chosen, cards[i])


@njit(cache=True, nogil=True)
def count_rows(cards, counts):
    """The copies of each rank [moves, 13] in the cards of moves [moves, most]."""
    for i in range(len(cards)):
        for k in range(MOST_CARDS):
            if cards[i, k] == NO_CARD:
                break
            counts[i, cards[i, k] - FIRST] += 1


@njit(cache=True, nogil=True)
def write_counts(at, counts, rows):
    """Set the inputs "at least so many of a rank" [13, 5] of hands [n, 13] in rows [inputs, n]."""
    for i in range(len(counts)):
        for rank in range(RANK_COUNT):
            for least in range(1, counts[i, rank] + 1):
                if at[rank, least] >= 0:
                    rows[at[rank, least], i] = 1


@njit(cache=True, nogil=True)
def write_one(at, numbers, rows):
    """Set the input of a number [n], such as a label; a negative number has none."""
    for i in range(len(numbers)):
        if numbers[i] >= 0 and at[numbers[i]] >= 0:
            rows[at[numbers[i]], i] = 1
