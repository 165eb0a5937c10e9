"""Kernels of ``knowledge.py``: from circuit outputs about hidden hands to bounds and log odds."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import kernel
from abl_cards.games.description import SHOWN_BITS

NO_UPPER_BOUND = 255
"""Value of ``most`` that stands for no upper bound."""


@kernel
def write_bounds(answers, outputs, others, num_played, rows, unseen, is_exclusive, lo, hi, at_least, at_most):
    """Fill the bounds of hidden hands for observers lo..hi-1.

    Args:
        answers: uint8 [outputs, n], circuit outputs.
        outputs: int16 [outputs, 5], seat, kind, minimum and maximum copies, and 1 for the hand now, 0 for the hand at
            the first play.
        others: int8 [n, others], the other seats.
        num_played: uint8 [tables, seats, kinds], cards played in the episode.
        rows: int64 [n], tables.
        unseen: uint8 [n, kinds], copies not seen.
        is_exclusive: Known copies of one seat lower the upper bounds of the others.
        lo: First observer.
        hi: Observer after the last.
        at_least: uint8 [n, others, kinds], zeros; receives the minimum copies.
        at_most: uint8 [n, others, kinds], zeros; receives the maximum copies.
    """
    seats, kinds = num_played.shape[1], num_played.shape[2]
    least, most = np.empty((2, seats, kinds), np.int16), np.empty((2, seats, kinds), np.int16)
    for i in range(lo, hi):
        least[:], most[:] = 0, NO_UPPER_BOUND
        for output in range(len(outputs)):
            if answers[output, i]:
                seat, kind, is_current = outputs[output, 0], outputs[output, 1], outputs[output, 4]
                least[is_current, seat, kind] = max(least[is_current, seat, kind], outputs[output, 2])
                most[is_current, seat, kind] = min(most[is_current, seat, kind], outputs[output, 3])
        for other in range(others.shape[1]):
            seat = others[i, other]
            for kind in range(kinds):
                num_gone = np.int16(num_played[rows[i], seat, kind])
                at_least[i, other, kind] = max(0, least[0, seat, kind] - num_gone, least[1, seat, kind])
                bound = (
                    most[0, seat, kind] - num_gone
                    if most[0, seat, kind] != NO_UPPER_BOUND
                    else np.int16(NO_UPPER_BOUND)
                )
                bound = min(bound, most[1, seat, kind])
                at_most[i, other, kind] = min(np.int16(unseen[i, kind]), max(0, bound))
        if is_exclusive:
            for kind in range(kinds):
                num_known = np.int16(0)
                for other in range(others.shape[1]):
                    num_known += at_least[i, other, kind]
                for other in range(others.shape[1]):
                    num_left = np.int16(unseen[i, kind]) - (num_known - at_least[i, other, kind])
                    at_most[i, other, kind] = min(np.int16(at_most[i, other, kind]), max(0, num_left))


@kernel
def write_shown(play_stats, rows, seats, used, lo, hi, columns):
    """Fill zeroed ``columns`` [used, n] with bits of the play statistics of seats [n] at tables rows [n]."""
    kinds = play_stats.shape[3]
    begin, end = 0, 0
    while begin < len(used):
        word = used[begin] // SHOWN_BITS
        while end < len(used) and used[end] // SHOWN_BITS == word:
            end += 1
        for i in range(lo, hi):
            bits = play_stats[rows[i], seats[i], word // kinds, word % kinds]
            if bits:
                for column in range(begin, end):
                    columns[column, i] = np.int16((bits >> np.uint64(used[column] & (SHOWN_BITS - 1))) & np.uint64(1))
        begin = end


@kernel
def accumulate_log_odds(holds, belief_cells, weights, scale, num_cells, cell_places, context, lo, hi, log_odds):
    """Fill rows lo..hi-1 of the log odds with the sum of the weights of all beliefs that hold.

    Args:
        holds: uint8 [outputs, (hi - lo) * others], circuit outputs.
        belief_cells: int64 [outputs], index of the cell of each belief.
        weights: float32 [outputs], weight in points.
        scale: Points for a factor of e.
        num_cells: Number of cells.
        cell_places: int64 [contexts, kinds, max cells], cells that each card acts as, ``num_cells`` for none.
        context: int16 [n], order context.
        lo: First observer.
        hi: Observer after the last.
        log_odds: float32 [n, others, kinds], receives the log odds.
    """
    others = log_odds.shape[1]
    sums = np.zeros((holds.shape[1], num_cells + 1), np.float32)
    for output in range(holds.shape[0]):
        cell, weight = belief_cells[output], weights[output]
        for column in range(holds.shape[1]):
            sums[column, cell] += holds[output, column] * weight
    for i in range(lo, hi):
        cells = cell_places[context[i]]
        for other in range(others):
            column = (i - lo) * others + other
            for kind in range(log_odds.shape[2]):
                total = np.float32(0.0)
                for position in range(cells.shape[1]):
                    total += sums[column, cells[kind, position]]
                log_odds[i, other, kind] = total / scale
