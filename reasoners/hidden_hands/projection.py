"""Kernels of hands.py that project estimated hands onto the consistent ones by Euclidean distance.

The problem of one observer: the nearest x to e with ``least <= x <= most``, ``sum over seats = unseen`` for every card
and ``sum over cards = left`` for every seat. Given a price for each seat, the cards are independent, and each is a
projection onto a box cut by a plane, solved exactly. The prices maximise a concave function of three variables with
piecewise linear slope; Newton's method with a line search finds its maximum in a few steps and ends exactly.

Most cards have no other upper bound than their copies: then the box is a simplex with a closed form without branches,
which the compiler vectorises. The few others are solved one by one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

SEATS = 3
"""Other seats; in a game with fewer seats the last ones have no cards."""
_MAX_STEPS = 60
_TOLERANCE = 1e-9  # largest error of the number of cards of a seat
_EXCLUDED_OFFSET = 1e9  # below every estimate: a seat that cannot hold more of a card
_MAX_STEP_LENGTH = 64.0  # no step is longer; estimates are numbers of copies


@njit(cache=True, nogil=True)
def project_rows(estimate, unseen, left, at_least, at_most, lo, hi, result):
    """Project the estimates lo..hi-1 of [n, 3, cards], and write them to result of equal shape."""
    cards = estimate.shape[2]
    value = np.empty((SEATS, cards))  # of the simple cards, then of the others
    spare_copies = np.empty(cards)  # copies beyond the lower bounds
    max_spare = np.empty((SEATS, cards))  # of the others: most they can have beyond the lower bounds
    card = np.empty(cards, np.int64)  # where each lies in the hand
    want, price, excess, slope = np.empty(SEATS), np.empty(SEATS), np.empty(SEATS), np.empty(3)
    for i in range(lo, hi):
        simple, end = _partition_cards(
            estimate[i], unseen[i], left[i], at_least[i], at_most[i], value, spare_copies, max_spare, card, want
        )
        _fill_fixed(at_least[i], result[i])
        _find_prices(value, spare_copies, max_spare, simple, end, want, price, excess, slope)
        _write_result(value, spare_copies, max_spare, card, simple, end, price, at_least[i], result[i])


@njit(cache=True, nogil=True)
def _partition_cards(estimate, unseen, left, at_least, at_most, value, spare_copies, max_spare, card, want):
    """Drop cards without spare copies, and put simple cards first; return the number of simple cards and of all."""
    cards = estimate.shape[1]
    for s in range(SEATS):
        want[s] = left[s]
    simple, first_other = 0, cards
    for c in range(cards):
        spare = np.int64(unseen[c])
        for s in range(SEATS):
            spare -= at_least[s, c]
            want[s] -= at_least[s, c]
        if spare <= 0:
            continue
        is_simple = True
        for s in range(SEATS):
            more = np.int64(at_most[s, c]) - at_least[s, c]
            is_simple &= more <= 0 or more >= spare
        index = simple
        if is_simple:
            simple += 1
        else:
            first_other -= 1
            index = first_other
        card[index], spare_copies[index] = c, spare
        for s in range(SEATS):
            more = np.int64(at_most[s, c]) - at_least[s, c]
            value[s, index] = np.float64(estimate[s, c]) - at_least[s, c] if more > 0 else -_EXCLUDED_OFFSET
            max_spare[s, index] = more
    for index in range(first_other, cards):  # close the gap
        target = simple + index - first_other
        card[target], spare_copies[target] = card[index], spare_copies[index]
        for s in range(SEATS):
            value[s, target], max_spare[s, target] = value[s, index], max_spare[s, index]
    return simple, simple + cards - first_other


@njit(cache=True, nogil=True)
def _fill_fixed(at_least, result):
    for s in range(SEATS):
        for c in range(result.shape[1]):
            result[s, c] = at_least[s, c]


# --- prices -----------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _find_prices(value, spare_copies, max_spare, simple, end, want, price, excess, slope):
    """Find the prices by Newton's method; ``excess`` ends as the cards that the seats lack."""
    price[:] = 0
    step = np.empty(SEATS)
    trial_price = np.empty(SEATS)
    _evaluate_prices(value, spare_copies, max_spare, simple, end, want, price, excess, slope)
    for _ in range(_MAX_STEPS):
        if max(abs(excess[0]), abs(excess[1]), abs(excess[2])) < _TOLERANCE:
            return
        _newton_step(excess, slope, step)
        start = _dot(excess, step)
        low, high, length = 0.0, np.inf, 1.0
        at_low, at_high = start, 0.0
        for _ in range(40):  # the slope along the step falls: look for where it has almost gone
            for s in range(SEATS):
                trial_price[s] = price[s] + length * step[s]
            _evaluate_prices(value, spare_copies, max_spare, simple, end, want, trial_price, excess, slope)
            slope_here = _dot(excess, step)
            if abs(slope_here) <= 0.5 * start:
                break
            if slope_here > 0:
                low, at_low = length, slope_here
            else:
                high, at_high = length, slope_here
            if high == np.inf:
                length *= 4.0
            else:
                length = low + (high - low) * min(0.9, max(0.1, at_low / (at_low - at_high)))
        price[:] = trial_price


@njit(cache=True, nogil=True, inline="always")
def _dot(excess, step):
    return excess[0] * step[0] + excess[1] * step[1] + excess[2] * step[2]


@njit(cache=True, nogil=True)
def _newton_step(excess, slope, step):
    """Solve for the step with a fixed third price; a small ridge covers seats that no card links."""
    ridge = 1e-9 + 1e-7 * (slope[0] + slope[1] + slope[2])
    a, b = slope[0] + slope[1] + ridge, slope[0] + slope[2] + ridge
    determinant = a * b - slope[0] * slope[0]
    step[0] = (b * excess[0] + slope[0] * excess[1]) / determinant
    step[1] = (slope[0] * excess[0] + a * excess[1]) / determinant
    step[2] = 0.0
    longest = max(abs(step[0]), abs(step[1]))
    if longest > _MAX_STEP_LENGTH:
        step[0], step[1] = step[0] * _MAX_STEP_LENGTH / longest, step[1] * _MAX_STEP_LENGTH / longest


@njit(cache=True, nogil=True)
def _evaluate_prices(value, spare_copies, max_spare, simple, end, want, price, excess, slope):
    """Compute the cards that each seat lacks at these prices, and the links 0-1, 0-2, 1-2 of the slope's Laplacian."""
    _evaluate_simple(value[0], value[1], value[2], spare_copies, simple, price, excess, slope)
    for index in range(simple, end):
        x, y, z = _project_onto_box(value, spare_copies, max_spare, index, price)
        excess[0], excess[1], excess[2] = excess[0] + x, excess[1] + y, excess[2] + z
        free0 = 0.0 < x < max_spare[0, index]
        free1 = 0.0 < y < max_spare[1, index]
        free2 = 0.0 < z < max_spare[2, index]
        if free0 + free1 + free2 > 1:
            share = 1.0 / (free0 + free1 + free2)
            slope[0] += share * free0 * free1
            slope[1] += share * free0 * free2
            slope[2] += share * free1 * free2
    for s in range(SEATS):
        excess[s] = want[s] - excess[s]


@njit(cache=True, nogil=True, fastmath=True)
def _evaluate_simple(value0, value1, value2, spare_copies, simple, price, excess, slope):
    """Evaluate the simple cards: the shift of the projection onto a simplex is the greatest mean overshoot of seats."""
    sum0 = sum1 = sum2 = link01 = link02 = link12 = 0.0
    price0, price1, price2 = price[0], price[1], price[2]
    for index in range(simple):
        a, b, c, r = value0[index] + price0, value1[index] + price1, value2[index] + price2, spare_copies[index]
        most, least = max(a, max(b, c)), min(a, min(b, c))
        two = most + max(min(a, b), min(max(a, b), c))
        shift = max(most - r, max(0.5 * (two - r), (two + least - r) * (1.0 / 3.0)))
        x, y, z = max(a - shift, 0.0), max(b - shift, 0.0), max(c - shift, 0.0)
        free0 = 1.0 if x > 0.0 else 0.0
        free1 = 1.0 if y > 0.0 else 0.0
        free2 = 1.0 if z > 0.0 else 0.0
        share = 1.0 / max(1.0, free0 + free1 + free2)
        sum0 += x
        sum1 += y
        sum2 += z
        link01 += share * free0 * free1
        link02 += share * free0 * free2
        link12 += share * free1 * free2
    excess[0], excess[1], excess[2] = sum0, sum1, sum2
    slope[0], slope[1], slope[2] = link01, link02, link12


@njit(cache=True, nogil=True)
def _project_onto_box(value, spare_copies, max_spare, index, price):
    """Find the nearest point to value + price in a box, with parts that add up to the spare copies.

    Parts are fixed at a bound, first those of the side with the greater violation (Bitran and Hax 1981).
    """
    a, b, c = value[0, index] + price[0], value[1, index] + price[1], value[2, index] + price[2]
    top0, top1, top2 = max_spare[0, index], max_spare[1, index], max_spare[2, index]
    x = y = z = 0.0
    open0, open1, open2 = top0 > 0, top1 > 0, top2 > 0
    r = spare_copies[index]
    for _ in range(SEATS + 1):  # a round settles a seat at least
        if not (open0 or open1 or open2):
            break
        shift = (open0 * a + open1 * b + open2 * c - r) / (np.int64(open0) + open1 + open2)
        x, y, z = (a - shift if open0 else x), (b - shift if open1 else y), (c - shift if open2 else z)
        under = open0 * max(0.0, -x) + open1 * max(0.0, -y) + open2 * max(0.0, -z)
        over = open0 * max(0.0, x - top0) + open1 * max(0.0, y - top1) + open2 * max(0.0, z - top2)
        if under == 0.0 and over == 0.0:
            break
        down, up = under >= over, over >= under
        if open0 and ((down and x <= 0.0) or (up and x >= top0)):
            x, open0 = min(max(x, 0.0), top0), False
            r -= x
        if open1 and ((down and y <= 0.0) or (up and y >= top1)):
            y, open1 = min(max(y, 0.0), top1), False
            r -= y
        if open2 and ((down and z <= 0.0) or (up and z >= top2)):
            z, open2 = min(max(z, 0.0), top2), False
            r -= z
    return x, y, z


@njit(cache=True, nogil=True)
def _write_result(value, spare_copies, max_spare, card, simple, end, price, at_least, result):
    """Write the hands at the final prices."""
    for index in range(simple):
        a, b, c = value[0, index] + price[0], value[1, index] + price[1], value[2, index] + price[2]
        most, least, r = max(a, max(b, c)), min(a, min(b, c)), spare_copies[index]
        two = most + max(min(a, b), min(max(a, b), c))
        shift = max(most - r, max(0.5 * (two - r), (two + least - r) / 3.0))
        card_index = card[index]
        result[0, card_index] += max(a - shift, 0.0)
        result[1, card_index] += max(b - shift, 0.0)
        result[2, card_index] += max(c - shift, 0.0)
    for index in range(simple, end):
        x, y, z = _project_onto_box(value, spare_copies, max_spare, index, price)
        card_index = card[index]
        result[0, card_index] += x
        result[1, card_index] += y
        result[2, card_index] += z
