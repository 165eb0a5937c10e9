"""Kernels of hands.py for more than three holders: any number of hands, and the cards aside.

They solve the problems of projection.py and deal_sampling.py on equal arrays, with loops over the holders. The states
of the dynamic programme are the cards that all holders but the last lack; their number is the product of the sizes of
these hands, so the holder of most cards must be the last.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.core import splitmix64

MIN_ESTIMATE = 1e-6
"""Lower bound of estimates, so that all consistent deals are possible."""
MAX_STATES = 1 << 20
"""Most states of the dynamic programme."""
_INFINITE_COST = 1e18
_MAX_STEPS, _TOLERANCE, _MAX_STEP_LENGTH = 60, 1e-9, 64.0

# --- the projection ---------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def project_rows(estimate, unseen, left, at_least, at_most, lo, hi, result):
    """Project the estimates lo..hi-1 of [n, holders, cards], and write them to result of equal shape."""
    holders = estimate.shape[1]
    price, trial_price, excess, step = np.empty(holders), np.empty(holders), np.empty(holders), np.empty(holders)
    slope, parts = np.empty((holders, holders)), np.empty(holders)
    for i in range(lo, hi):
        row = estimate[i], unseen[i], left[i], at_least[i], at_most[i]
        price[:] = 0
        _evaluate_prices(row, price, parts, excess, slope, result[i])
        for _ in range(_MAX_STEPS):
            if np.abs(excess).max() < _TOLERANCE:
                break
            _newton_step(excess, slope, step)
            start, low, high, length = np.sum(excess * step), 0.0, np.inf, 1.0
            for _ in range(40):
                trial_price[:] = price + length * step
                _evaluate_prices(row, trial_price, parts, excess, slope, result[i])
                slope_here = np.sum(excess * step)
                if abs(slope_here) <= 0.5 * start:
                    break
                if slope_here > 0:
                    low = length
                else:
                    high = length
                length = length * 4.0 if high == np.inf else 0.5 * (low + high)
            price[:] = trial_price


@njit(cache=True, nogil=True)
def _newton_step(excess, slope, step):
    """Solve for the step with a fixed last price; a small ridge covers holders that no card links."""
    last = len(excess) - 1
    matrix, total = np.empty((last, last)), np.abs(slope).sum()
    for s in range(last):
        for t in range(last):
            matrix[s, t] = -slope[s, t]
        matrix[s, s] = slope[s].sum() + 1e-9 + 1e-7 * total
        step[s] = excess[s]
    for s in range(last):  # positive definite, so no pivoting is needed
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
def _evaluate_prices(row, price, parts, excess, slope, result):
    """Compute the cards that each holder lacks at these prices, the links of holders, and result [holders, cards]."""
    estimate, unseen, left, at_least, at_most = row
    holders, cards = estimate.shape
    slope[:] = 0
    for s in range(holders):
        excess[s] = left[s]
    for c in range(cards):
        spare_copies = np.float64(unseen[c])
        for s in range(holders):
            spare_copies -= at_least[s, c]
        free = _project_onto_box(estimate, at_least, at_most, price, c, spare_copies, parts)
        for s in range(holders):
            result[s, c] = at_least[s, c] + parts[s]
            excess[s] -= at_least[s, c] + parts[s]
        if free > 1:
            for s in range(holders):
                for t in range(holders):
                    if s != t and _is_free(parts, at_least, at_most, s, c) and _is_free(parts, at_least, at_most, t, c):
                        slope[s, t] += 1.0 / free


@njit(cache=True, nogil=True, inline="always")
def _is_free(parts, at_least, at_most, s, c):
    return 0.0 < parts[s] < np.float64(at_most[s, c]) - at_least[s, c]


@njit(cache=True, nogil=True)
def _project_onto_box(estimate, at_least, at_most, price, c, spare_copies, parts):
    """Find the nearest point of a box with parts that add up to the spare copies; return the parts at no bound.

    Parts are fixed at a bound, first those of the side with the greater violation (Bitran and Hax 1981).
    """
    holders = len(parts)
    is_open = np.zeros(holders, np.bool_)
    for s in range(holders):
        parts[s] = 0.0
        is_open[s] = spare_copies > 0 and at_most[s, c] > at_least[s, c]
    for _ in range(holders + 1):
        count, total = 0, 0.0
        for s in range(holders):
            if is_open[s]:
                count += 1
                total += np.float64(estimate[s, c]) - at_least[s, c] + price[s]
        if count == 0:
            break
        shift, under, over = (total - spare_copies) / count, 0.0, 0.0
        for s in range(holders):
            if is_open[s]:
                parts[s] = np.float64(estimate[s, c]) - at_least[s, c] + price[s] - shift
                under += max(0.0, -parts[s])
                over += max(0.0, parts[s] - (np.float64(at_most[s, c]) - at_least[s, c]))
        if under == 0.0 and over == 0.0:
            break
        for s in range(holders):
            top = np.float64(at_most[s, c]) - at_least[s, c]
            if is_open[s] and ((under >= over and parts[s] <= 0.0) or (over >= under and parts[s] >= top)):
                parts[s], is_open[s] = min(max(parts[s], 0.0), top), False
                spare_copies -= parts[s]
    free = 0
    for s in range(holders):
        free += _is_free(parts, at_least, at_most, s, c)
    return free


# --- the most probable deal -------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def most_probable_rows(estimate, unseen, left, at_least, at_most, lo, hi, deals):
    """Fill deals [n, holders, cards] for the rows lo..hi-1; the counts of a row without consistent deals are wrong."""
    holders, cards = estimate.shape[1:]
    log, excess = np.empty((holders, cards)), np.empty(holders, np.int64)
    cost, card = np.empty((holders, holders)), np.empty((holders, holders), np.int64)
    for i in range(lo, hi):
        for s in range(holders):
            excess[s] = -left[i, s]
            for c in range(cards):
                log[s, c] = np.log(max(np.float64(estimate[i, s, c]), MIN_ESTIMATE))
        for c in range(cards):
            remaining = np.int64(unseen[i, c])
            for s in range(holders):
                deals[i, s, c] = at_least[i, s, c]
                remaining -= at_least[i, s, c]
            for _ in range(remaining):
                best, gain = -1, -_INFINITE_COST
                for s in range(holders):
                    value = log[s, c] - np.log(deals[i, s, c] + 1.0)
                    if deals[i, s, c] < at_most[i, s, c] and value > gain:
                        best, gain = s, value
                if best >= 0:
                    deals[i, best, c] += 1
        for s in range(holders):
            excess[s] += np.int64(deals[i, s].sum())
        while _balance(log, at_least[i], at_most[i], deals[i], excess, cost, card):
            pass


@njit(cache=True, nogil=True)
def _balance(log, at_least, at_most, deal, excess, cost, card):
    """Move a card along the cheapest path from a holder with too many to one with too few; return False without one."""
    holders, giver, taker = len(excess), excess.argmax(), excess.argmin()
    if excess[giver] <= 0 or excess[taker] >= 0:
        return False
    cost[:], card[:] = _INFINITE_COST, -1
    for c in range(deal.shape[1]):
        for s in range(holders):
            if deal[s, c] > at_least[s, c]:
                value_lost = log[s, c] - np.log(np.float64(deal[s, c]))
                for t in range(holders):
                    if t != s and deal[t, c] < at_most[t, c]:
                        move_cost = value_lost - log[t, c] + np.log(deal[t, c] + 1.0)
                        if move_cost < cost[s, t]:
                            cost[s, t], card[s, t] = move_cost, c
    distance, predecessor = np.full(holders, _INFINITE_COST), np.full(holders, -1)
    distance[giver] = 0.0
    for _ in range(holders - 1):
        for s in range(holders):
            for t in range(holders):
                if distance[s] < 0.5 * _INFINITE_COST and t != giver and distance[s] + cost[s, t] < distance[t] - 1e-12:
                    distance[t], predecessor[t] = distance[s] + cost[s, t], s
    if distance[taker] >= 0.5 * _INFINITE_COST:
        return False
    holder = taker
    for _ in range(holders):
        if holder == giver:
            break
        deal[predecessor[holder], card[predecessor[holder], holder]] -= 1
        deal[holder, card[predecessor[holder], holder]] += 1
        holder = predecessor[holder]
    excess[giver] -= 1
    excess[taker] += 1
    return True


# --- the dynamic programme --------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _strides(left):
    """Return the strides of the holders in the index of a state, 0 for the last one; and the number of states."""
    strides, states = np.zeros(len(left), np.int64), np.int64(1)
    for s in range(len(left) - 2, -1, -1):
        strides[s] = states
        states *= np.int64(left[s]) + 1
    return strides, states


@njit(cache=True, nogil=True)
def _fill_ways(estimate, unseen, at_least, at_most, share, weight):
    """Fill share [ways, holders] and weight [ways] with the ways to share one card; return their number."""
    holders, ways, top = len(estimate), 0, 0.0
    copies = np.zeros(holders, np.int64)
    while True:
        remaining = np.int64(unseen) - copies[: holders - 1].sum()
        if at_least[holders - 1] <= remaining <= at_most[holders - 1]:
            copies[holders - 1] = remaining
            chance, is_possible = 1.0, True
            for s in range(holders):
                is_possible &= at_least[s] <= copies[s] <= at_most[s]
                for k in range(copies[s]):
                    chance *= max(np.float64(estimate[s]), MIN_ESTIMATE) / (k + 1)
            if is_possible:
                share[ways], weight[ways] = copies, chance
                top = max(top, chance)
                ways += 1
        index = holders - 2
        while index >= 0:
            copies[index] += 1
            if copies[: holders - 1].sum() <= unseen:
                break
            copies[index] = 0
            index -= 1
        if index < 0:
            break
    for way in range(ways):
        weight[way] /= top
    return ways


@njit(cache=True, nogil=True)
def _fill_suffix_weights(unseen, shares, weights, ways, left, strides, behind):
    """Fill behind [cards + 1, states]: the weight of the cards from c on, by the cards that the holders lack.

    The last holder lacks the remaining cards; a way leads to no state in which a holder has too many.
    """
    cards, last, states = len(ways), len(left) - 1, behind.shape[1]
    lack, lacking = np.empty((states, last), np.int64), np.empty(states, np.int64)
    for state in range(states):
        remainder, lacking[state] = state, 0
        for s in range(last):
            lack[state, s] = remainder // strides[s]
            remainder -= lack[state, s] * strides[s]
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
    """Make tables for the ways to share each card, for the unseen copies [n, cards]."""
    cards, most = unseen.shape[1], np.int64(unseen.max()) + 1
    shares = np.empty((cards, most ** (holders - 1), holders), np.int64)
    return shares, np.empty(shares.shape[:2]), np.empty(cards, np.int64)


@njit(cache=True, nogil=True)
def sample_rows(estimate, unseen, left, at_least, at_most, keys, lo, hi, deals):
    """Fill deals [n, draws, holders, cards] for rows lo..hi-1 by keys [n, draws]; return a row without deals, or -1."""
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
    """Fill the tables of one observer; return False where no deal is consistent."""
    if unseen.astype(np.int64).sum() != left.astype(np.int64).sum():
        return False
    for c in range(len(unseen)):
        ways[c] = _fill_ways(estimate[:, c], unseen[c], at_least[:, c], at_most[:, c], shares[c], weights[c])
    strides, states = _strides(left)
    _fill_suffix_weights(unseen, shares, weights, ways, left, strides, behind)
    return behind[0, states - 1] > 0.0


@njit(cache=True, nogil=True)
def _sample_way(share, weight, ways, strides, left, state, beyond, key, c):
    """Sample a way to share a card in proportion to its weight times that of its continuations."""
    total, chosen = 0.0, -1
    for way in range(ways):
        total += weight[way] * _suffix_weight_after(share[way], strides, left, state, beyond)
    mark = total * ((splitmix64(key, np.uint64(c)) >> np.uint64(11)) * 2.0**-53)
    for way in range(ways):
        product = weight[way] * _suffix_weight_after(share[way], strides, left, state, beyond)
        if product > 0.0:
            chosen = way  # the last possible one where rounding leaves a little over
            mark -= product
            if mark < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def _suffix_weight_after(copies, strides, left, state, beyond):
    """Return the suffix weight after holders receive these copies; 0 if one would have too many cards."""
    remainder, to = state, state
    for s in range(len(left) - 1):
        lack = remainder // strides[s]
        remainder -= lack * strides[s]
        if copies[s] > lack:
            return 0.0
        to -= copies[s] * strides[s]
    return beyond[to]


@njit(cache=True, nogil=True)
def expected_rows(estimate, unseen, left, at_least, at_most, lo, hi, expected):
    """Fill expected [n, holders, cards] for rows lo..hi-1 with mean copies; return a row without deals, or -1."""
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
