"""The kernels of hands.py for more holders than three: the hands and what lies aside, as many as there are.

The same problems as in projection.py and deals.py, in the same arrays, but with loops over the holders. The dynamic
programme over the cards counts what every holder but the last still lacks, which is as much room as the product of
what they hold: so the holder of the most cards is to be the last.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.core import splitmix64

MIN_ESTIMATE = 1e-6
"""Smaller estimates count as this much: no deal that the facts allow is impossible."""
MAX_STATES = 1 << 20
"""Of the dynamic programme."""
_INFINITE_COST = 1e18
_MAX_STEPS, _TOLERANCE, _MAX_STEP_LENGTH = 60, 1e-9, 64.0

# --- the projection ---------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def project_rows(estimate, unseen, left, at_least, at_most, lo, hi, result):
    """Project the estimates lo..hi-1 of [n, holders, cards]; fill result of the same shape."""
    holders = estimate.shape[1]
    price, tried, excess, step = np.empty(holders), np.empty(holders), np.empty(holders), np.empty(holders)
    slope, some = np.empty((holders, holders)), np.empty(holders)
    for i in range(lo, hi):
        row = estimate[i], unseen[i], left[i], at_least[i], at_most[i]
        price[:] = 0
        _evaluate_prices(row, price, some, excess, slope, result[i])
        for _ in range(_MAX_STEPS):
            if np.abs(excess).max() < _TOLERANCE:
                break
            _newton_step(excess, slope, step)
            start, low, high, length = np.sum(excess * step), 0.0, np.inf, 1.0
            for _ in range(40):
                tried[:] = price + length * step
                _evaluate_prices(row, tried, some, excess, slope, result[i])
                here = np.sum(excess * step)
                if abs(here) <= 0.5 * start:
                    break
                if here > 0:
                    low = length
                else:
                    high = length
                length = length * 4.0 if high == np.inf else 0.5 * (low + high)
            price[:] = tried


@njit(cache=True, nogil=True)
def _newton_step(excess, slope, step):
    """Solve for the step with the last price left as it is; a little ridge where no card links two holders."""
    last = len(excess) - 1
    matrix, total = np.empty((last, last)), np.abs(slope).sum()
    for s in range(last):
        for t in range(last):
            matrix[s, t] = -slope[s, t]
        matrix[s, s] = slope[s].sum() + 1e-9 + 1e-7 * total
        step[s] = excess[s]
    for s in range(last):  # positive definite: no row has to change places
        for t in range(s + 1, last):
            factor = matrix[t, s] / matrix[s, s]
            matrix[t] -= factor * matrix[s]
            step[t] -= factor * step[s]
    for s in range(last - 1, -1, -1):
        for t in range(s + 1, last):
            step[s] -= matrix[s, t] * step[t]
        step[s] /= matrix[s, s]
    step[last] = 0.0
    longest = np.abs(step).max()
    if longest > _MAX_STEP_LENGTH:
        step *= _MAX_STEP_LENGTH / longest


@njit(cache=True, nogil=True)
def _evaluate_prices(row, price, some, excess, slope, result):
    """What each holder lacks at these prices, and how cards link any two of them; fills result [holders, cards]."""
    estimate, unseen, left, at_least, at_most = row
    holders, cards = estimate.shape
    slope[:] = 0
    for s in range(holders):
        excess[s] = left[s]
    for c in range(cards):
        rest = np.float64(unseen[c])
        for s in range(holders):
            rest -= at_least[s, c]
        free = _project_onto_box(estimate, at_least, at_most, price, c, rest, some)
        for s in range(holders):
            result[s, c] = at_least[s, c] + some[s]
            excess[s] -= at_least[s, c] + some[s]
        if free > 1:
            for s in range(holders):
                for t in range(holders):
                    if s != t and _is_free(some, at_least, at_most, s, c) and _is_free(some, at_least, at_most, t, c):
                        slope[s, t] += 1.0 / free


@njit(cache=True, nogil=True, inline="always")
def _is_free(some, at_least, at_most, s, c):
    return 0.0 < some[s] < np.float64(at_most[s, c]) - at_least[s, c]


@njit(cache=True, nogil=True)
def _project_onto_box(estimate, at_least, at_most, price, c, rest, some):
    """The nearest point of a box whose parts add up to rest; returns how many of them are at no bound.

    Parts are pinned to a bound for good, those of the side that is violated more (Bitran and Hax 1981).
    """
    holders = len(some)
    going = np.zeros(holders, np.bool_)
    for s in range(holders):
        some[s] = 0.0
        going[s] = rest > 0 and at_most[s, c] > at_least[s, c]
    for _ in range(holders + 1):
        count, total = 0, 0.0
        for s in range(holders):
            if going[s]:
                count += 1
                total += np.float64(estimate[s, c]) - at_least[s, c] + price[s]
        if count == 0:
            break
        shift, under, over = (total - rest) / count, 0.0, 0.0
        for s in range(holders):
            if going[s]:
                some[s] = np.float64(estimate[s, c]) - at_least[s, c] + price[s] - shift
                under += max(0.0, -some[s])
                over += max(0.0, some[s] - (np.float64(at_most[s, c]) - at_least[s, c]))
        if under == 0.0 and over == 0.0:
            break
        for s in range(holders):
            top = np.float64(at_most[s, c]) - at_least[s, c]
            if going[s] and ((under >= over and some[s] <= 0.0) or (over >= under and some[s] >= top)):
                some[s], going[s] = min(max(some[s], 0.0), top), False
                rest -= some[s]
    free = 0
    for s in range(holders):
        free += _is_free(some, at_least, at_most, s, c)
    return free


# --- the most probable deal -------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def most_probable_rows(estimate, unseen, left, at_least, at_most, lo, hi, deals):
    """Fill deals [n, holders, cards] for the rows lo..hi-1; a row that nothing is consistent with stays unbalanced."""
    holders, cards = estimate.shape[1:]
    log, excess = np.empty((holders, cards)), np.empty(holders, np.int64)
    cost, card = np.empty((holders, holders)), np.empty((holders, holders), np.int64)
    for i in range(lo, hi):
        for s in range(holders):
            excess[s] = -left[i, s]
            for c in range(cards):
                log[s, c] = np.log(max(np.float64(estimate[i, s, c]), MIN_ESTIMATE))
        for c in range(cards):
            rest = np.int64(unseen[i, c])
            for s in range(holders):
                deals[i, s, c] = at_least[i, s, c]
                rest -= at_least[i, s, c]
            for _ in range(rest):
                best, gain = -1, -_INFINITE_COST
                for s in range(holders):
                    worth = log[s, c] - np.log(deals[i, s, c] + 1.0)
                    if deals[i, s, c] < at_most[i, s, c] and worth > gain:
                        best, gain = s, worth
                if best >= 0:
                    deals[i, best, c] += 1
        for s in range(holders):
            excess[s] += np.int64(deals[i, s].sum())
        while _balance(log, at_least[i], at_most[i], deals[i], excess, cost, card):
            pass


@njit(cache=True, nogil=True)
def _balance(log, at_least, at_most, deal, excess, cost, card):
    """Move a card along the cheapest path from a holder with too many to one with too few; False where none can."""
    holders, giver, taker = len(excess), excess.argmax(), excess.argmin()
    if excess[giver] <= 0 or excess[taker] >= 0:
        return False
    cost[:], card[:] = _INFINITE_COST, -1
    for c in range(deal.shape[1]):
        for s in range(holders):
            if deal[s, c] > at_least[s, c]:
                lost = log[s, c] - np.log(np.float64(deal[s, c]))
                for t in range(holders):
                    if t != s and deal[t, c] < at_most[t, c]:
                        dearer = lost - log[t, c] + np.log(deal[t, c] + 1.0)
                        if dearer < cost[s, t]:
                            cost[s, t], card[s, t] = dearer, c
    far, before = np.full(holders, _INFINITE_COST), np.full(holders, -1)
    far[giver] = 0.0
    for _ in range(holders - 1):
        for s in range(holders):
            for t in range(holders):
                if far[s] < 0.5 * _INFINITE_COST and t != giver and far[s] + cost[s, t] < far[t] - 1e-12:
                    far[t], before[t] = far[s] + cost[s, t], s
    if far[taker] >= 0.5 * _INFINITE_COST:
        return False
    at = taker
    for _ in range(holders):
        if at == giver:
            break
        deal[before[at], card[before[at], at]] -= 1
        deal[at, card[before[at], at]] += 1
        at = before[at]
    excess[giver] -= 1
    excess[taker] += 1
    return True


# --- the dynamic programme --------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _strides(left):
    """How far apart numbers of states are that differ by a card of each holder but the last; and how many there are."""
    strides, states = np.zeros(len(left), np.int64), np.int64(1)
    for s in range(len(left) - 2, -1, -1):
        strides[s] = states
        states *= np.int64(left[s]) + 1
    return strides, states


@njit(cache=True, nogil=True)
def _fill_ways(estimate, unseen, at_least, at_most, share, weight):
    """Fill share [ways, holders], weight [ways] with the ways to share one card; returns how many there are."""
    holders, ways, top = len(estimate), 0, 0.0
    copies = np.zeros(holders, np.int64)
    while True:
        rest = np.int64(unseen) - copies[: holders - 1].sum()
        if at_least[holders - 1] <= rest <= at_most[holders - 1]:
            copies[holders - 1] = rest
            chance, fits = 1.0, True
            for s in range(holders):
                fits &= at_least[s] <= copies[s] <= at_most[s]
                for k in range(copies[s]):
                    chance *= max(np.float64(estimate[s]), MIN_ESTIMATE) / (k + 1)
            if fits:
                share[ways], weight[ways] = copies, chance
                top = max(top, chance)
                ways += 1
        place = holders - 2
        while place >= 0:
            copies[place] += 1
            if copies[: holders - 1].sum() <= unseen:
                break
            copies[place] = 0
            place -= 1
        if place < 0:
            break
    for way in range(ways):
        weight[way] /= top
    return ways


@njit(cache=True, nogil=True)
def _fill_suffix_weights(unseen, shares, weights, ways, left, strides, behind):
    """Fill behind [cards + 1, states]: the weight of the cards from c on where the holders lack as many as the state.

    What the last one lacks is what remains; a way leads to no state where somebody would lack less than nothing.
    """
    cards, last, states = len(ways), len(left) - 1, behind.shape[1]
    lack, lacking = np.empty((states, last), np.int64), np.empty(states, np.int64)
    for state in range(states):
        rest, lacking[state] = state, 0
        for s in range(last):
            lack[state, s] = rest // strides[s]
            rest -= lack[state, s] * strides[s]
            lacking[state] += lack[state, s]
    behind[cards] = 0.0
    behind[cards, 0] = 1.0
    remaining, steps = np.int64(0), np.empty(shares.shape[1], np.int64)
    for c in range(cards - 1, -1, -1):
        remaining += np.int64(unseen[c])
        for way in range(ways[c]):
            steps[way] = 0
            for s in range(last):
                steps[way] += shares[c, way, s] * strides[s]
        layer, beyond, share, weight, top = behind[c], behind[c + 1], shares[c], weights[c], 0.0
        for state in range(states):
            layer[state] = 0.0
            if not 0 <= remaining - lacking[state] <= left[last]:
                continue
            total = 0.0
            for way in range(ways[c]):
                fits = True
                for s in range(last):
                    fits &= share[way, s] <= lack[state, s]
                if fits:
                    total += weight[way] * beyond[state - steps[way]]
            layer[state] = total
            top = max(top, total)
        if top > 0.0:
            layer /= top


@njit(cache=True, nogil=True)
def _new_scratch(unseen, holders):
    """Tables for the ways to share each card of observers who do not see these [n, cards]."""
    cards, most = unseen.shape[1], np.int64(unseen.max()) + 1
    shares = np.empty((cards, most ** (holders - 1), holders), np.int64)
    return shares, np.empty(shares.shape[:2]), np.empty(cards, np.int64)


@njit(cache=True, nogil=True)
def sample_rows(estimate, unseen, left, at_least, at_most, keys, lo, hi, deals):
    """Fill deals [n, draws, holders, cards] for rows lo..hi-1 from keys [n, draws]; a row without deals, or -1."""
    holders, cards = estimate.shape[1:]
    shares, weights, ways = _new_scratch(unseen, holders)
    for i in range(lo, hi):
        strides, states = _strides(left[i])
        behind = np.empty((cards + 1, states))
        if not _fill_tables(estimate[i], unseen[i], left[i], at_least[i], at_most[i], shares, weights, ways, behind):
            return i
        for draw in range(keys.shape[1]):
            state = states - 1
            for c in range(cards):
                way = _sample_way(
                    shares[c], weights[c], ways[c], strides, left[i], state, behind[c + 1], keys[i, draw], c
                )
                for s in range(holders):
                    deals[i, draw, s, c] = shares[c, way, s]
                    state -= shares[c, way, s] * strides[s]
    return -1


@njit(cache=True, nogil=True)
def _fill_tables(estimate, unseen, left, at_least, at_most, shares, weights, ways, behind):
    """Fill the tables of one observer; False where nothing is consistent."""
    if unseen.astype(np.int64).sum() != left.astype(np.int64).sum():
        return False
    for c in range(len(unseen)):
        ways[c] = _fill_ways(estimate[:, c], unseen[c], at_least[:, c], at_most[:, c], shares[c], weights[c])
    strides, states = _strides(left)
    _fill_suffix_weights(unseen, shares, weights, ways, left, strides, behind)
    return behind[0, states - 1] > 0.0


@njit(cache=True, nogil=True)
def _sample_way(share, weight, ways, strides, left, state, beyond, key, c):
    """One of the ways to share a card, as often as its weight and that of what can follow demand."""
    total, chosen = 0.0, -1
    for way in range(ways):
        total += weight[way] * _suffix_weight_after(share[way], strides, left, state, beyond)
    mark = total * ((splitmix64(key, np.uint64(c)) >> np.uint64(11)) * 2.0**-53)
    for way in range(ways):
        each = weight[way] * _suffix_weight_after(share[way], strides, left, state, beyond)
        if each > 0.0:
            chosen = way  # the last possible one where rounding leaves a little over
            mark -= each
            if mark < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def _suffix_weight_after(copies, strides, left, state, beyond):
    """The weight of what can follow where the holders have been given these copies; none where one would be over."""
    rest, to = state, state
    for s in range(len(left) - 1):
        lack = rest // strides[s]
        rest -= lack * strides[s]
        if copies[s] > lack:
            return 0.0
        to -= copies[s] * strides[s]
    return beyond[to]


@njit(cache=True, nogil=True)
def expected_rows(estimate, unseen, left, at_least, at_most, lo, hi, expected):
    """Fill expected [n, holders, cards] for the rows lo..hi-1: mean copies over all deals; returns as sample_rows."""
    holders, cards = estimate.shape[1:]
    shares, weights, ways = _new_scratch(unseen, holders)
    for i in range(lo, hi):
        strides, states = _strides(left[i])
        behind = np.empty((cards + 1, states))
        if not _fill_tables(estimate[i], unseen[i], left[i], at_least[i], at_most[i], shares, weights, ways, behind):
            return i
        before, after = np.zeros(states), np.zeros(states)
        before[states - 1] = 1.0
        for c in range(cards):
            after[:], expected[i, :, c], total = 0.0, 0.0, 0.0
            mean = np.zeros(holders)
            for state in range(states):
                if before[state] == 0.0:
                    continue
                for way in range(ways[c]):
                    follows = _suffix_weight_after(shares[c, way], strides, left[i], state, behind[c + 1])
                    if follows > 0.0:
                        moved, to = before[state] * weights[c, way], state
                        for s in range(holders):
                            to -= shares[c, way, s] * strides[s]
                            mean[s] += moved * follows * shares[c, way, s]
                        after[to] += moved
                        total += moved * follows
            expected[i, :, c] = mean / total
            before[:] = after / after.max()
    return -1
