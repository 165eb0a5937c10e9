"""Kernels of the simple estimates in hands.py: they distribute copies by odds."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function, kernel


@kernel
def share_by_count(unseen, left, at_least, at_most, lo, hi, shared):
    """Fill shared [n, seats, cards] for the rows lo..hi-1, with odds by the unknown cards of each seat."""
    seats, cards = at_least.shape[1:]
    open_cards = np.empty(seats, np.float32)
    for i in range(lo, hi):
        for s in range(seats):
            num_known = 0
            for c in range(cards):
                num_known += at_least[i, s, c]
            open_cards[s] = left[i, s] - num_known
        for s in range(seats):
            for c in range(cards):
                shared[i, s, c] = open_cards[s]
        _odds_to_copies(unseen[i], at_least[i], at_most[i], shared[i])


@kernel
def share_by_hints(estimate, hints, unseen, at_least, at_most, lo, hi, shared):
    """Fill shared [n, seats, cards] for the rows lo..hi-1, with odds by an estimate times the exponentials of hints."""
    seats, cards = at_least.shape[1:]
    for i in range(lo, hi):
        for s in range(seats):
            for c in range(cards):
                more = estimate[i, s, c] - np.float32(at_least[i, s, c])
                shared[i, s, c] = more * np.exp(hints[i, s, c]) if unseen[i, c] > 0 else np.float32(0.0)
        _odds_to_copies(unseen[i], at_least[i], at_most[i], shared[i])


@device_function
def _odds_to_copies(unseen, at_least, at_most, shared):
    """Replace odds by copies: the known ones, and a share of the others where the facts allow it."""
    seats, cards = shared.shape
    for c in range(cards):
        remaining, total, num_possible = np.float32(unseen[c]), np.float32(0.0), 0
        for s in range(seats):
            remaining -= at_least[s, c]
            open_ = at_most[s, c] > at_least[s, c]
            num_possible += open_
            shared[s, c] = max(shared[s, c], np.float32(0.0)) if open_ else np.float32(0.0)
            total += shared[s, c]
        for s in range(seats):
            even = np.float32(at_most[s, c] > at_least[s, c]) / max(1, num_possible)  # used when all odds are 0
            shared[s, c] = at_least[s, c] + remaining * (shared[s, c] / total if total > 0 else even)
