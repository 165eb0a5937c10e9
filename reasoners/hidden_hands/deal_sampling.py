"""Kernels of hands.py for whole deals under an estimate: the most probable one, random ones, and expected copies.

A deal gives seat s ``k[s, c]`` copies of card c. The weight of a consistent deal is the number of ways to deal it,
times the product of ``estimate[s, c] ** k[s, c]``. Card c has ``unseen[c]! / (k[0, c]! * k[1, c]! * k[2, c]!)`` ways.

* The most probable deal is a flow of least convex cost from cards to seats. Every copy is first assigned to its best
  seat; then copies move along the cheapest path, from a seat with too many cards to one with too few, one at a time. A
  path has at most one more seat, since there are three.
* Samples and means come from a dynamic programme over the cards: the weight of all ways to deal the cards from c on, by
  the cards that the first two seats lack; the third one lacks the rest.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import splitmix64

SEATS = 3
"""Other seats; in a game with fewer seats the last ones have no cards. A card has up to four copies."""
MIN_ESTIMATE = 1e-6
"""Lower bound of estimates, so that all consistent deals are possible."""
_MIN_ESTIMATE_FALLBACK = 1e-3  # for a row whose weights would vanish in a double: (2 / 1e-3) ** 81 do not
_INFINITE_COST = 1e18
_MAX_WAYS = 15  # to share four copies among three seats
_LOG = np.log(np.arange(1.0, 6.0))  # of the numbers from 1
MAX_COPIES = 4
_MARGIN = MAX_COPIES
_SCALE_INTERVAL = 8  # cards between two layers that are scaled, few enough that weights stay within a double

# --- the most probable deal -------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def most_probable_rows(estimate, unseen, left, at_least, at_most, lo, hi, deals):
    """Fill deals [n, 3, cards] for the rows lo..hi-1; the counts of a row without consistent deals are wrong."""
    cards = estimate.shape[2]
    log = np.empty((SEATS, cards))
    excess = np.empty(SEATS, np.int64)
    cost, card = np.empty((SEATS, SEATS)), np.empty((SEATS, SEATS), np.int64)
    for i in range(lo, hi):
        for s in range(SEATS):
            excess[s] = -left[i, s]
            for c in range(cards):
                log[s, c] = np.log(max(np.float64(estimate[i, s, c]), MIN_ESTIMATE))
        _assign_greedily(log, unseen[i], at_least[i], at_most[i], deals[i], excess)
        while _balance(log, at_least[i], at_most[i], deals[i], excess, cost, card):
            pass


@njit(cache=True, nogil=True)
def _assign_greedily(log, unseen, at_least, at_most, deal, excess):
    """Assign every copy to its most probable seat, regardless of the sizes of hands."""
    for c in range(len(unseen)):
        remaining = np.int64(unseen[c])
        for s in range(SEATS):
            deal[s, c] = at_least[s, c]
            remaining -= at_least[s, c]
            excess[s] += at_least[s, c]
        for _ in range(remaining):
            best, gain = -1, -_INFINITE_COST
            for s in range(SEATS):
                if deal[s, c] < at_most[s, c] and log[s, c] - _LOG[deal[s, c]] > gain:
                    best, gain = s, log[s, c] - _LOG[deal[s, c]]
            if best >= 0:
                deal[best, c] += 1
                excess[best] += 1


@njit(cache=True, nogil=True)
def _balance(log, at_least, at_most, deal, excess, cost, card):
    """Move a card along the cheapest path from a seat with too many to one with too few; return False without one."""
    giver, taker = np.int64(0), np.int64(0)
    for s in range(SEATS):
        giver = s if excess[s] > excess[giver] else giver
        taker = s if excess[s] < excess[taker] else taker
    if excess[giver] <= 0 or excess[taker] >= 0:
        return False
    _find_cheapest_moves(log, at_least, at_most, deal, cost, card)
    over = SEATS - giver - taker
    detour = cost[giver, over] + cost[over, taker]
    if min(cost[giver, taker], detour) >= 0.5 * _INFINITE_COST:
        return False
    if cost[giver, taker] <= detour:
        _move_card(deal, card[giver, taker], giver, taker)
    else:
        _move_card(deal, card[giver, over], giver, over)
        _move_card(deal, card[over, taker], over, taker)
    excess[giver] -= 1
    excess[taker] += 1
    return True


@njit(cache=True, nogil=True)
def _find_cheapest_moves(log, at_least, at_most, deal, cost, card):
    """Find for each pair of seats the card that moves from one to the other at least cost, and the cost."""
    cost[:], card[:] = _INFINITE_COST, -1
    for c in range(deal.shape[1]):
        for s in range(SEATS):
            if deal[s, c] <= at_least[s, c]:
                continue
            value_lost = log[s, c] - _LOG[deal[s, c] - 1]
            for t in range(SEATS):
                if t != s and deal[t, c] < at_most[t, c]:
                    move_cost = value_lost - log[t, c] + _LOG[deal[t, c]]
                    if move_cost < cost[s, t]:
                        cost[s, t], card[s, t] = move_cost, c


@njit(cache=True, nogil=True)
def _move_card(deal, card, giver, taker):
    deal[giver, card] -= 1
    deal[taker, card] += 1


# --- the dynamic programme --------------------------------------------------------------------------------------------


class DealSamplingScratch(NamedTuple):
    """Buffers of one thread."""

    weight: NDArray[np.float64]  # [cards, 15] weight of each way to share the copies of a card
    first: NDArray[np.int64]  # [cards, 15] copies of the first seat
    second: NDArray[np.int64]  # [cards, 15] copies of the second seat
    n_ways: NDArray[np.int64]  # [cards] number of ways
    copies_left: NDArray[np.int64]  # [cards + 1] copies of the cards from c on
    suffix_weight: NDArray[np.float64]  # [cards + 1, index of a and b] weight of the cards from c on; see _row_stride
    prefix_weight: NDArray[np.float64]  # [a, b] weight of the cards before c
    next_prefix_weight: NDArray[np.float64]  # [a, b] weight of the cards up to c


@njit(cache=True, nogil=True)
def new_scratch(cards, most):
    """Make buffers for a number of cards, and for seats that lack at most `most` cards."""
    return DealSamplingScratch(
        np.empty((cards, _MAX_WAYS)), np.empty((cards, _MAX_WAYS), np.int64), np.empty((cards, _MAX_WAYS), np.int64),
        np.empty(cards, np.int64), np.empty(cards + 1, np.int64),
        np.zeros((cards + 1, _MARGIN + (most + 1) * (most + 1 + _MARGIN))),
        np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1)),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _row_stride(left):
    """Return the length of a row of ``suffix_weight``.

    The weight where the first seats lack a and b cards is at _MARGIN + a * row + b. There is a margin before each row
    and behind the last one; the margin behind a row is that before the next one.
    """
    return np.int64(left[1]) + 1 + _MARGIN


@njit(cache=True, nogil=True)
def _fill_tables(scratch, estimate, unseen, left, at_least, at_most):
    """Fill the tables of one observer; return False where no deal is consistent."""
    for least in (MIN_ESTIMATE, _MIN_ESTIMATE_FALLBACK):
        _fill_ways(scratch, estimate, unseen, at_least, at_most, least)
        if scratch.copies_left[0] != np.int64(left[0]) + left[1] + left[2]:
            return False
        _fill_suffix_weights(scratch, left)
        if scratch.suffix_weight[0, _MARGIN + left[0] * _row_stride(left) + left[1]] > 0.0:
            return True
    return False


@njit(cache=True, nogil=True)
def _fill_ways(scratch, estimate, unseen, at_least, at_most, least):
    """Fill the ways to share each card; the most probable way has weight 1."""
    cards, chance = len(unseen), np.ones((SEATS, MAX_COPIES + 1))
    scratch.copies_left[cards] = 0
    for c in range(cards - 1, -1, -1):
        copies, ways, top = np.int64(unseen[c]), 0, 0.0
        scratch.copies_left[c] = scratch.copies_left[c + 1] + copies
        for s in range(SEATS):
            guess = max(np.float64(estimate[s, c]), least)
            for k in range(1, MAX_COPIES + 1):
                chance[s, k] = chance[s, k - 1] * guess / k
        for x in range(at_least[0, c], min(copies, np.int64(at_most[0, c])) + 1):
            for y in range(at_least[1, c], min(copies - x, np.int64(at_most[1, c])) + 1):
                z = np.int64(copies) - x - y
                if z < at_least[2, c] or z > at_most[2, c]:
                    continue
                weight = chance[0, x] * chance[1, y] * chance[2, z]
                scratch.weight[c, ways], scratch.first[c, ways], scratch.second[c, ways] = weight, x, y
                top = max(top, weight)
                ways += 1
        scratch.n_ways[c] = ways
        for way in range(ways):
            scratch.weight[c, way] /= top


@njit(cache=True, nogil=True)
def _fill_suffix_weights(scratch, left):
    """Fill ``suffix_weight`` from the last card to the first.

    A way to share a card shifts a whole layer by one distance, so it is added in one long loop, which is vectorised;
    the margins are empty, and terms that would cross the edge of a row fall into them.
    """
    cards, most0, most1, most2 = len(scratch.n_ways), np.int64(left[0]), np.int64(left[1]), np.int64(left[2])
    row, last_before = _row_stride(left), 0
    scratch.suffix_weight[cards, : _MARGIN + row] = 0.0
    scratch.suffix_weight[cards, _MARGIN] = 1.0
    for c in range(cards - 1, -1, -1):
        first, last = max(0, scratch.copies_left[c] - most1 - most2), min(most0, scratch.copies_left[c])
        layer, beyond = scratch.suffix_weight[c], scratch.suffix_weight[c + 1]
        layer[first * row : _MARGIN + (last + 1) * row] = 0.0
        for way in range(scratch.n_ways[c]):
            x, y = scratch.first[c, way], scratch.second[c, way]
            lo, hi = max(first, x), min(last, last_before + x) + 1
            if lo < hi:
                moved = beyond[_MARGIN + (lo - x) * row - y :]
                _add_scaled(layer[_MARGIN + lo * row : _MARGIN + hi * row], scratch.weight[c, way], moved)
        for a in range(first, last + 1):
            layer[(a + 1) * row : (a + 1) * row + _MARGIN] = 0.0
        if c % _SCALE_INTERVAL == 0:
            _normalise_layer(layer, scratch.copies_left[c], row, first, last, most1, most2)
        last_before = last


@njit(cache=True, nogil=True)
def _add_scaled(layer, weight, moved):
    for i in range(len(layer)):
        layer[i] += weight * moved[i]


@njit(cache=True, nogil=True)
def _normalise_layer(layer, remaining, row, first, last, most1, most2):
    """Scale the greatest weight that is read later to 1, to avoid underflow."""
    top = 0.0
    for a in range(first, last + 1):
        for b in range(max(0, remaining - a - most2), min(most1, remaining - a) + 1):
            top = max(top, layer[_MARGIN + a * row + b])
    if top > 0.0:
        layer[first * row : _MARGIN + (last + 1) * row] /= top


@njit(cache=True, nogil=True, inline="always")
def _is_possible(remaining, x, y, most0, most1, most2):
    """Return whether the seats can lack x, y and the remainder; elsewhere a layer holds no valid weights."""
    return 0 <= x <= most0 and 0 <= y <= most1 and 0 <= remaining - x - y <= most2


@njit(cache=True, nogil=True)
def sample_rows(estimate, unseen, left, at_least, at_most, keys, lo, hi, deals):
    """Fill deals [n, draws, 3, cards] for rows lo..hi-1 by keys [n, draws]; return a row without deals, or -1."""
    scratch = new_scratch(estimate.shape[2], np.int64(left.max()))
    for i in range(lo, hi):
        if not _fill_tables(scratch, estimate[i], unseen[i], left[i], at_least[i], at_most[i]):
            return i
        for draw in range(keys.shape[1]):
            _sample_row(scratch, unseen[i], left[i], keys[i, draw], deals[i, draw])
    return -1


@njit(cache=True, nogil=True)
def _sample_row(scratch, unseen, left, key, deal):
    """Sample card by card, each way in proportion to its weight times that of its continuations."""
    a, b, rest_of = np.int64(left[0]), np.int64(left[1]), np.int64(left[2])
    most0, most1, most2, row = a, b, rest_of, _row_stride(left)
    for c in range(len(unseen)):
        if unseen[c] == 0:
            deal[0, c] = deal[1, c] = deal[2, c] = 0
            continue
        beyond, remaining, total = scratch.suffix_weight[c + 1], scratch.copies_left[c + 1], 0.0
        for way in range(scratch.n_ways[c]):
            x, y = a - scratch.first[c, way], b - scratch.second[c, way]
            if _is_possible(remaining, x, y, most0, most1, most2):
                total += scratch.weight[c, way] * beyond[_MARGIN + x * row + y]
        mark = total * ((splitmix64(key, np.uint64(c)) >> np.uint64(11)) * 2.0**-53)
        chosen = -1
        for way in range(scratch.n_ways[c]):
            x, y = a - scratch.first[c, way], b - scratch.second[c, way]
            if not _is_possible(remaining, x, y, most0, most1, most2):
                continue
            weight = scratch.weight[c, way] * beyond[_MARGIN + x * row + y]
            if weight > 0.0:
                chosen = way  # the last possible one where rounding leaves a remainder
                mark -= weight
                if mark < 0.0:
                    break
        deal[0, c], deal[1, c] = scratch.first[c, chosen], scratch.second[c, chosen]
        deal[2, c] = np.int64(unseen[c]) - scratch.first[c, chosen] - scratch.second[c, chosen]
        a, b = a - scratch.first[c, chosen], b - scratch.second[c, chosen]


@njit(cache=True, nogil=True)
def expected_rows(estimate, unseen, left, at_least, at_most, lo, hi, expected):
    """Fill expected [n, 3, cards] for rows lo..hi-1 with mean copies; return a row without deals, or -1."""
    scratch = new_scratch(estimate.shape[2], np.int64(left.max()))
    for i in range(lo, hi):
        if not _fill_tables(scratch, estimate[i], unseen[i], left[i], at_least[i], at_most[i]):
            return i
        _expected_row(scratch, unseen[i], left[i], expected[i])
    return -1


@njit(cache=True, nogil=True)
def _expected_row(scratch, unseen, left, expected):
    """Compute the means of one observer from prefix weights, ways and suffix weights."""
    most0, most1, most2 = np.int64(left[0]), np.int64(left[1]), np.int64(left[2])
    row = _row_stride(left)
    scratch.prefix_weight[:] = 0.0
    scratch.prefix_weight[most0, most1] = 1.0
    for c in range(len(unseen)):
        scratch.next_prefix_weight[:] = 0.0
        beyond, remaining, total, of_first, of_second, top = (
            scratch.suffix_weight[c + 1],
            scratch.copies_left[c + 1],
            0.0,
            0.0,
            0.0,
            0.0,
        )
        for a in range(max(0, scratch.copies_left[c] - most1 - most2), min(most0, scratch.copies_left[c]) + 1):
            for b in range(max(0, scratch.copies_left[c] - a - most2), min(most1, scratch.copies_left[c] - a) + 1):
                if scratch.prefix_weight[a, b] == 0.0:
                    continue
                for way in range(scratch.n_ways[c]):
                    x, y = a - scratch.first[c, way], b - scratch.second[c, way]
                    if not _is_possible(remaining, x, y, most0, most1, most2):
                        continue
                    moved = scratch.prefix_weight[a, b] * scratch.weight[c, way]
                    scratch.next_prefix_weight[x, y] += moved
                    top = max(top, scratch.next_prefix_weight[x, y])
                    weight = moved * beyond[_MARGIN + x * row + y]
                    total += weight
                    of_first += weight * scratch.first[c, way]
                    of_second += weight * scratch.second[c, way]
        expected[0, c], expected[1, c] = of_first / total, of_second / total
        expected[2, c] = unseen[c] - expected[0, c] - expected[1, c]
        scratch.prefix_weight[:] = scratch.next_prefix_weight / top
