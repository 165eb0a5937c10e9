"""Kernels of hands.py for whole deals under an estimate: random ones, and expected copies.

A deal gives holder s ``k[s, c]`` copies of card c. The weight of a consistent deal is the number of ways to deal it,
times the product of ``estimate[s, c] ** k[s, c]``. Card c has ``unseen[c]!`` ways, divided by all ``k[s, c]!``.

Samples and means come from a dynamic programme over the cards: the weight of all ways to deal the cards from c on, by
the cards that all holders but the last lack; the last one lacks the rest. A state lies in the row of the cards that the
last but one of these holders (``b``) lacks, rows in the plane of the holder before (``a``), and a plane for each
combination of the others. With three holders there is one plane. The number of holders is the length of a tuple, as in
projection.py.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment,call-arg,unreachable,var-annotated"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel, splitmix64

MIN_ESTIMATE = 1e-6
"""Lower bound of estimates, so that all consistent deals are possible."""
_MIN_ESTIMATE_FALLBACK = 1e-3  # for a row whose weights would vanish in a double: (2 / 1e-3) ** 81 do not
MAX_COPIES = 4
MAX_STATES = 1 << 20
"""Most states of the dynamic programme."""
_MARGIN = MAX_COPIES
_SCALE_INTERVAL = 8  # cards between two layers that are scaled, few enough that weights stay within a double


class DealSamplingScratch(NamedTuple):
    """Buffers of one thread."""

    weight: NDArray[np.float64]  # [cards, ways] weight of each way to share the copies of a card
    share: NDArray[np.int64]  # [holders - 1, cards, ways] copies of the holders but the last
    n_ways: NDArray[np.int64]  # [cards] number of ways
    copies_left: NDArray[np.int64]  # [cards + 1] copies of the cards from c on
    suffix_weight: NDArray[np.float64]  # [cards + 1, states] weight of the cards from c on; see _state_strides
    prefix_weight: NDArray[np.float64]  # [states] weight of the cards before c
    next_prefix_weight: NDArray[np.float64]  # [states] weight of the cards up to c
    chance: NDArray[np.float64]  # [holders, copies + 1] weight of the copies of one card


@kernel
def new_scratch(zeros, cards, left):
    """Make buffers for a number of cards, and for holders that lack at most `left` [n, holders] cards."""
    holders, states, ways = len(zeros), np.int64(1), 1
    for i in range(len(left)):
        states = max(states, _MARGIN + _state_strides(zeros, left[i])[1])
    for s in range(1, holders):
        ways = ways * (MAX_COPIES + s) // s
    return DealSamplingScratch(
        np.empty((cards, ways)), np.empty((holders - 1, cards, ways), np.int64), np.empty(cards, np.int64),
        np.empty(cards + 1, np.int64), np.zeros((cards + 1, states)), np.zeros(states), np.zeros(states),
        np.ones((holders, MAX_COPIES + 1)),
    )  # fmt: skip


@device_function
def _state_strides(zeros, left):
    """Return the strides of the holders in the index of a state, 0 for the last one; and the length of all planes.

    The state in which holders lack some cards is at _MARGIN, plus these cards times the strides. There is a margin
    before each row and behind the last one; the margin behind a row is that before the next one.
    """
    holders = len(zeros)
    strides, stride = tuple_setitem(zeros, holders - 2, 1), np.int64(left[holders - 2]) + 1 + _MARGIN
    for index in range(3, holders + 1):
        strides = tuple_setitem(strides, holders - index, stride)
        stride *= np.int64(left[holders - index]) + 1
    return strides, stride


@device_function
def _fill_tables(zeros, scratch, estimate, unseen, left, at_least, at_most):
    """Fill the tables of one observer; return False where no deal is consistent."""
    start, total = _MARGIN, np.int64(0)
    strides = _state_strides(zeros, left)[0]
    for s in range(len(zeros)):
        start, total = start + left[s] * strides[s], total + left[s]
    for least in (MIN_ESTIMATE, _MIN_ESTIMATE_FALLBACK):
        _fill_ways(zeros, scratch, estimate, unseen, at_least, at_most, least)
        if scratch.copies_left[0] != total:
            return False
        _fill_suffix_weights(zeros, scratch, left)
        if scratch.suffix_weight[0, start] > 0.0:
            return True
    return False


@device_function
def _fill_ways(zeros, scratch, estimate, unseen, at_least, at_most, least):
    """Fill the ways to share each card; the most probable way has weight 1."""
    cards, last, chance = len(unseen), len(zeros) - 1, scratch.chance
    scratch.copies_left[cards] = 0
    for c in range(cards - 1, -1, -1):
        copies, ways, top = np.int64(unseen[c]), 0, 0.0
        scratch.copies_left[c] = scratch.copies_left[c + 1] + copies
        share, remaining = zeros, copies
        for s in range(last + 1):
            guess = max(np.float64(estimate[s, c]), least)
            for k in range(1, MAX_COPIES + 1):
                chance[s, k] = chance[s, k - 1] * guess / k
            if s < last:
                share, remaining = tuple_setitem(share, s, np.int64(at_least[s, c])), remaining - at_least[s, c]
        while True:
            fits = at_least[last, c] <= remaining <= at_most[last, c]
            for s in range(last):
                fits = fits and share[s] <= at_most[s, c]
            if fits:
                weight = chance[0, share[0]]
                for s in range(1, last):
                    weight *= chance[s, share[s]]
                weight *= chance[last, remaining]
                scratch.weight[c, ways] = weight
                for s in range(last):
                    scratch.share[s, c, ways] = share[s]
                top = max(top, weight)
                ways += 1
            is_next = False  # the next way: one more copy for a holder, and the least for those after it
            for index in range(last):
                s = last - 1 - index
                if not is_next:
                    if remaining > 0 and share[s] < at_most[s, c]:
                        share, remaining, is_next = tuple_setitem(share, s, share[s] + 1), remaining - 1, True
                    else:
                        remaining += share[s] - at_least[s, c]
                        share = tuple_setitem(share, s, np.int64(at_least[s, c]))
            if not is_next:
                break
        scratch.n_ways[c] = ways
        for way in range(ways):
            scratch.weight[c, way] /= top


@device_function
def _fill_suffix_weights(zeros, scratch, left):
    """Fill ``suffix_weight`` from the last card to the first.

    A way to share a card shifts a whole plane by one distance, so it is added in one long loop, which is vectorised;
    the margins are empty, and terms that would cross the edge of a row fall into them.
    """
    cards, a, b = len(scratch.n_ways), len(zeros) - 3, len(zeros) - 2
    strides, end = _state_strides(zeros, left)
    row, most_a, most_rest = strides[a], np.int64(left[a]), np.int64(left[b]) + left[b + 1]
    scratch.suffix_weight[cards, : _MARGIN + row] = 0.0
    scratch.suffix_weight[cards, _MARGIN] = 1.0
    for c in range(cards - 1, -1, -1):
        layer, beyond = scratch.suffix_weight[c], scratch.suffix_weight[c + 1]
        for start in range(0, end, (most_a + 1) * row):
            lack, rest = _plane_at(zeros, strides, left, start, scratch.copies_left[c])
            first, last = max(0, rest - most_rest), min(most_a, rest)
            if first > last:
                continue
            layer[start + first * row : start + _MARGIN + (last + 1) * row] = 0.0
            for way in range(scratch.n_ways[c]):
                x, source, fits = scratch.share[a, c, way], start - scratch.share[b, c, way], True
                rest_before = scratch.copies_left[c + 1] - (scratch.copies_left[c] - rest)
                for s in range(a):
                    source -= scratch.share[s, c, way] * strides[s]
                    rest_before += scratch.share[s, c, way]
                    fits = fits and scratch.share[s, c, way] <= lack[s]
                lo, hi = max(first, x), min(last, min(most_a, rest_before) + x) + 1
                if fits and lo < hi:
                    moved = beyond[_MARGIN + source + (lo - x) * row :]
                    _add_scaled(
                        layer[_MARGIN + start + lo * row : _MARGIN + start + hi * row], scratch.weight[c, way], moved
                    )
            for margin in range(start + (first + 1) * row, start + (last + 2) * row, row):
                layer[margin : margin + _MARGIN] = 0.0
        if c % _SCALE_INTERVAL == 0:
            _normalise_layer(zeros, layer, scratch.copies_left[c], left)


@device_function
def _plane_at(zeros, strides, left, start, copies):
    """Return the cards that the holders before ``a`` lack in a plane, and the rest of a number of copies."""
    lack = zeros
    for s in range(len(zeros) - 3):
        lack = tuple_setitem(lack, s, start // strides[s] % (np.int64(left[s]) + 1))
        copies -= lack[s]
    return lack, copies


@device_function
def _add_scaled(layer, weight, moved):
    for i in range(len(layer)):
        layer[i] += weight * moved[i]


@device_function
def _normalise_layer(zeros, layer, copies, left):
    """Scale the greatest weight that is read later to 1, to avoid underflow."""
    strides, end = _state_strides(zeros, left)
    a, row, top = len(zeros) - 3, strides[len(zeros) - 3], 0.0
    most_a, most_b, most_last = np.int64(left[a]), np.int64(left[a + 1]), np.int64(left[a + 2])
    planes = range(0, end, (most_a + 1) * row)
    for start in planes:
        rest = _plane_at(zeros, strides, left, start, copies)[1]
        for x in range(max(0, rest - most_b - most_last), min(most_a, rest) + 1):
            for y in range(max(0, rest - x - most_last), min(most_b, rest - x) + 1):
                top = max(top, layer[_MARGIN + start + x * row + y])
    if top > 0.0:
        for start in planes:
            rest = _plane_at(zeros, strides, left, start, copies)[1]
            first, last = max(0, rest - most_b - most_last), min(most_a, rest)
            if first <= last:
                layer[start + first * row : _MARGIN + start + (last + 1) * row] /= top


@device_function
def _state_after(zeros, share, c, way, lack, strides, state, rest, most_last):
    """Return the state after a way to share a card, or -1 where a holder would have too many cards.

    ``rest`` are the copies of the cards after it. Elsewhere a layer holds no valid weights.
    """
    fits = True
    for s in range(len(zeros) - 1):
        copies = share[s, c, way]
        fits = fits and copies <= lack[s]
        state -= copies * strides[s]
        rest -= lack[s] - copies
    return state if fits and 0 <= rest <= most_last else -1


@kernel
def sample_rows(zeros, estimate, unseen, left, at_least, at_most, keys, lo, hi, deals):
    """Fill deals [n, draws, holders, cards] for rows lo..hi-1 by keys [n, draws]; return a row without deals, or -1.

    ``zeros`` is a tuple of a 0 for each holder. The holder of most cards should be the last.
    """
    scratch = new_scratch(zeros, estimate.shape[2], left)
    for i in range(lo, hi):
        if not _fill_tables(zeros, scratch, estimate[i], unseen[i], left[i], at_least[i], at_most[i]):
            return i
        for draw in range(keys.shape[1]):
            _sample_row(zeros, scratch, unseen[i], left[i], keys[i, draw], deals[i, draw])
    return -1


@device_function
def _sample_row(zeros, scratch, unseen, left, key, deal):
    """Sample card by card, each way in proportion to its weight times that of its continuations."""
    last, state, lack, most_last = len(zeros) - 1, np.int64(_MARGIN), zeros, np.int64(left[len(zeros) - 1])
    strides = _state_strides(zeros, left)[0]
    for s in range(last):
        lack, state = tuple_setitem(lack, s, np.int64(left[s])), state + left[s] * strides[s]
    for c in range(len(unseen)):
        if unseen[c] == 0:
            for s in range(last + 1):
                deal[s, c] = 0
            continue
        beyond, rest, total, chosen = scratch.suffix_weight[c + 1], scratch.copies_left[c + 1], 0.0, -1
        for way in range(scratch.n_ways[c]):
            after = _state_after(zeros, scratch.share, c, way, lack, strides, state, rest, most_last)
            if after >= 0:
                total += scratch.weight[c, way] * beyond[after]
        mark = total * ((splitmix64(key, np.uint64(c)) >> np.uint64(11)) * 2.0**-53)
        for way in range(scratch.n_ways[c]):
            after = _state_after(zeros, scratch.share, c, way, lack, strides, state, rest, most_last)
            if after < 0:
                continue
            weight = scratch.weight[c, way] * beyond[after]
            if weight > 0.0:
                chosen = way  # the last possible one where rounding leaves a remainder
                mark -= weight
                if mark < 0.0:
                    break
        remaining = np.int64(unseen[c])
        for s in range(last):
            copies = scratch.share[s, c, chosen]
            deal[s, c], remaining, state = copies, remaining - copies, state - copies * strides[s]
            lack = tuple_setitem(lack, s, lack[s] - copies)
        deal[last, c] = remaining


@kernel
def expected_rows(zeros, estimate, unseen, left, at_least, at_most, lo, hi, expected):
    """Fill expected [n, holders, cards] for rows lo..hi-1 with mean copies; return a row without deals, or -1."""
    scratch = new_scratch(zeros, estimate.shape[2], left)
    for i in range(lo, hi):
        if not _fill_tables(zeros, scratch, estimate[i], unseen[i], left[i], at_least[i], at_most[i]):
            return i
        _expected_row(zeros, scratch, unseen[i], left[i], expected[i])
    return -1


@device_function
def _expected_row(zeros, scratch, unseen, left, expected):
    """Compute the means of one observer from prefix weights, ways and suffix weights."""
    last, most_last, mean, first_state = len(zeros) - 1, np.int64(left[-1]), np.zeros(len(zeros)), np.int64(_MARGIN)
    strides, end = _state_strides(zeros, left)
    for s in range(last):
        first_state += left[s] * strides[s]
    scratch.prefix_weight[:] = 0.0
    scratch.prefix_weight[first_state] = 1.0
    for c in range(len(unseen)):
        scratch.next_prefix_weight[:] = 0.0
        beyond, rest, total, top = scratch.suffix_weight[c + 1], scratch.copies_left[c + 1], 0.0, 0.0
        mean[:] = 0.0
        for state in range(_MARGIN, _MARGIN + end):
            if scratch.prefix_weight[state] == 0.0:
                continue
            lack, remainder = zeros, state - _MARGIN
            for s in range(last):
                lack = tuple_setitem(lack, s, remainder // strides[s])
                remainder -= lack[s] * strides[s]
            for way in range(scratch.n_ways[c]):
                after = _state_after(zeros, scratch.share, c, way, lack, strides, state, rest, most_last)
                if after < 0:
                    continue
                moved = scratch.prefix_weight[state] * scratch.weight[c, way]
                scratch.next_prefix_weight[after] += moved
                top = max(top, scratch.next_prefix_weight[after])
                weight = moved * beyond[after]
                total += weight
                for s in range(last):
                    mean[s] += weight * scratch.share[s, c, way]
        expected[0, c] = mean[0] / total
        remaining = unseen[c] - expected[0, c]
        for s in range(1, last):
            expected[s, c] = mean[s] / total
            remaining -= expected[s, c]
        expected[last, c] = remaining
        for state in range(len(scratch.prefix_weight)):
            scratch.prefix_weight[state] = scratch.next_prefix_weight[state] / top
