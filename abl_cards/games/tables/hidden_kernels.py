"""From what circuits say of hidden hands to arrays: the kernels of knowledge.py."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.description import SHOWN_BITS

NO_UPPER_BOUND = 255
"""No upper bound."""


@njit(cache=True, nogil=True)
def write_bounds(answers, outputs, others, num_played, rows, unseen, is_exclusive, lo, hi, at_least, at_most):
    """Fill zeroed at_least [n, others, kinds] and at_most, as in InformationSet, for observers lo..hi-1.

    answers [outputs, n] are facts, of which outputs [facts, 5] are seat, kind, what it has at least and at most, and
    whether now, or when the play began. Where bounds are shared, what some of the others are known to hold is nobody
    else's.
    """
    seats, kinds = num_played.shape[1], num_played.shape[2]
    least, most = np.empty((2, seats, kinds), np.int16), np.empty((2, seats, kinds), np.int16)
    for i in range(lo, hi):
        least[:], most[:] = 0, NO_UPPER_BOUND
        for output in range(len(outputs)):
            if answers[output, i]:
                seat, kind, now = outputs[output, 0], outputs[output, 1], outputs[output, 4]
                least[now, seat, kind] = max(least[now, seat, kind], outputs[output, 2])
                most[now, seat, kind] = min(most[now, seat, kind], outputs[output, 3])
        for other in range(others.shape[1]):
            seat = others[i, other]
            for kind in range(kinds):
                gone = np.int16(num_played[rows[i], seat, kind])
                at_least[i, other, kind] = max(0, least[0, seat, kind] - gone, least[1, seat, kind])
                bound = (
                    most[0, seat, kind] - gone if most[0, seat, kind] != NO_UPPER_BOUND else np.int16(NO_UPPER_BOUND)
                )
                bound = min(bound, most[1, seat, kind])
                at_most[i, other, kind] = min(np.int16(unseen[i, kind]), max(0, bound))
        if is_exclusive:
            for kind in range(kinds):
                known = np.int16(0)
                for other in range(others.shape[1]):
                    known += at_least[i, other, kind]
                for other in range(others.shape[1]):
                    rest = np.int16(unseen[i, kind]) - (known - at_least[i, other, kind])
                    at_most[i, other, kind] = min(np.int16(at_most[i, other, kind]), max(0, rest))


@njit(cache=True, nogil=True)
def write_shown(play_stats, rows, seats, used, lo, hi, columns):
    """Fill zeroed columns [used, n] with bits of what seats [n] at tables rows [n] have shown."""
    kinds = play_stats.shape[3]
    place, end = 0, 0
    while place < len(used):
        word = used[place] // SHOWN_BITS
        while end < len(used) and used[end] // SHOWN_BITS == word:
            end += 1
        for i in range(lo, hi):
            bits = play_stats[rows[i], seats[i], word // kinds, word % kinds]
            if bits:
                for each in range(place, end):
                    columns[each, i] = np.int16((bits >> np.uint64(used[each] & (SHOWN_BITS - 1))) & np.uint64(1))
        place = end


@njit(cache=True, nogil=True)
def accumulate_log_odds(holds, belief_cells, weights, scale, num_cells, cell_places, context, lo, hi, log_odds):
    """Fill rows lo..hi-1 of log_odds [n, others, kinds] with what fires: holds [outputs, (hi - lo) * others].

    belief_cells [outputs] is which of so many cells each is about; cell_places [contexts, kinds, most] which of them
    each card acts as, their number for none.
    """
    others = log_odds.shape[1]
    sums = np.zeros((holds.shape[1], num_cells + 1), np.float32)
    for output in range(holds.shape[0]):
        cell, weight = belief_cells[output], weights[output]
        for column in range(holds.shape[1]):
            sums[column, cell] += holds[output, column] * weight
    for i in range(lo, hi):
        mine = cell_places[context[i]]
        for other in range(others):
            column = (i - lo) * others + other
            for kind in range(log_odds.shape[2]):
                total = np.float32(0.0)
                for each in range(mine.shape[1]):
                    total += sums[column, mine[kind, each]]
                log_odds[i, other, kind] = total / scale
