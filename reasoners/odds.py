"""Copies shared by odds: the kernels behind the plain estimates of hands.py."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

_LITTLE = np.float32(1e-9)
"""Odds of a card that an estimate gives nobody, though it is somewhere."""


@njit(cache=True, nogil=True)
def share_by_count(unseen, left, at_least, at_most, lo, hi, shared):
    """Fill shared [n, seats, cards] for the rows lo..hi-1: a copy is as likely with a seat as it has cards open."""
    seats, cards = at_least.shape[1:]
    open_cards = np.empty(seats, np.float32)
    for i in range(lo, hi):
        for s in range(seats):
            known = 0
            for c in range(cards):
                known += at_least[i, s, c]
            open_cards[s] = left[i, s] - known
        for s in range(seats):
            for c in range(cards):
                shared[i, s, c] = open_cards[s]
        _share(unseen[i], at_least[i], at_most[i], shared[i])


@njit(cache=True, nogil=True)
def share_by_hints(estimate, hints, unseen, at_least, at_most, lo, hi, shared):
    """The same, in proportion to an estimate times the exponentials of hints, both [n, seats, cards]."""
    seats, cards = at_least.shape[1:]
    for i in range(lo, hi):
        for s in range(seats):
            for c in range(cards):
                more = estimate[i, s, c] - np.float32(at_least[i, s, c])
                shared[i, s, c] = more * np.exp(hints[i, s, c]) if unseen[i, c] > 0 else np.float32(0.0)
        _share(unseen[i], at_least[i], at_most[i], shared[i])


@njit(cache=True, nogil=True)
def _share(unseen, at_least, at_most, shared):
    """Replace odds by copies: what is known, and of the rest what the odds say where the facts allow it."""
    seats, cards = shared.shape
    for c in range(cards):
        rest, total = np.float32(unseen[c]), np.float32(0.0)
        for s in range(seats):
            rest -= at_least[s, c]
            odds = max(shared[s, c], _LITTLE) if at_most[s, c] > at_least[s, c] else np.float32(0.0)
            shared[s, c] = odds
            total += odds
        each = rest / total if total > 0 else np.float32(0.0)
        for s in range(seats):
            shared[s, c] = at_least[s, c] + each * shared[s, c]
