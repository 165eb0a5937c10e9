"""Kernels of hands.py that project estimated hands onto the consistent ones by Euclidean distance.

The problem of one observer: the nearest x to e with ``least <= x <= most``, ``sum over holders = unseen`` for every
card and ``sum over cards = left`` for every holder. Given a price for each holder, the cards are independent, and each
is a projection onto a box cut by a plane, solved exactly. The prices maximise a concave function with piecewise linear
slope; Newton's method with a line search finds its maximum in a few steps and ends exactly.

Most cards have no other upper bound than their copies: then the box is a simplex with a closed form without branches,
which the compiler vectorises. The few others are solved one by one.

The number of holders is the length of a tuple, so that it is a constant for the compiler. The compiler unrolls all
loops over holders and keeps tuples in registers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,unreachable,var-annotated"
from __future__ import annotations

import numpy as np
from numba import njit
from numba.cpython.unsafe.tuple import tuple_setitem

from abl_cards.core import copy_values, device_function, kernel

_MAX_STEPS = 60
_TOLERANCE = 1e-9  # largest error of the number of cards of a holder
_EXCLUDED_OFFSET = 1e9  # below every estimate: a holder that cannot have more of a card
_MAX_STEP_LENGTH = 64.0  # no step is longer; estimates are numbers of copies


@kernel
def project_rows(zeros, estimate, unseen, left, at_least, at_most, lo, hi, result):
    """Project the estimates lo..hi-1 of [n, holders, cards], and write them to result of equal shape.

    ``zeros`` holds a tuple of a 0.0 for each holder, as often as there are holders.
    """
    holders, cards = len(zeros), estimate.shape[2]
    value = np.empty((holders, cards))  # of the simple cards, then of the others
    spare_copies = np.empty(cards)  # copies beyond the lower bounds
    max_spare = np.empty((holders, cards))  # of the others: most they can have beyond the lower bounds
    card = np.empty(cards, np.int64)  # where each lies in the hand
    want, price, excess, slope = np.empty(holders), np.empty(holders), np.empty(holders), np.empty((holders, holders))
    for i in range(lo, hi):
        simple, end = _partition_cards(
            zeros, estimate[i], unseen[i], left[i], at_least[i], at_most[i], value, spare_copies, max_spare, card, want
        )
        for s in range(holders):
            for c in range(cards):
                result[i, s, c] = at_least[i, s, c]
        _find_prices(zeros, value, spare_copies, max_spare, simple, end, want, price, excess, slope)
        _add_parts(zeros, value, spare_copies, max_spare, card, simple, end, price, result[i])


@device_function
def _partition_cards(zeros, estimate, unseen, left, at_least, at_most, value, spare_copies, max_spare, card, want):
    """Drop cards without spare copies, and put simple cards first; return the number of simple cards and of all."""
    holders, cards = len(zeros), estimate.shape[1]
    for s in range(holders):
        want[s] = left[s]
    simple, first_other = 0, cards
    for c in range(cards):
        spare = np.int64(unseen[c])
        for s in range(holders):
            spare -= at_least[s, c]
            want[s] -= at_least[s, c]
        if spare <= 0:
            continue
        is_simple = True
        for s in range(holders):
            more = np.int64(at_most[s, c]) - at_least[s, c]
            is_simple &= more <= 0 or more >= spare
        index = simple
        if is_simple:
            simple += 1
        else:
            first_other -= 1
            index = first_other
        card[index], spare_copies[index] = c, spare
        for s in range(holders):
            more = np.int64(at_most[s, c]) - at_least[s, c]
            value[s, index] = np.float64(estimate[s, c]) - at_least[s, c] if more > 0 else -_EXCLUDED_OFFSET
            max_spare[s, index] = more
    for index in range(first_other, cards):  # close the gap
        target = simple + index - first_other
        card[target], spare_copies[target] = card[index], spare_copies[index]
        for s in range(holders):
            value[s, target], max_spare[s, target] = value[s, index], max_spare[s, index]
    return simple, simple + cards - first_other


# --- prices -----------------------------------------------------------------------------------------------------------


@device_function
def _find_prices(zeros, value, spare_copies, max_spare, simple, end, want, price, excess, slope):
    """Find the prices by Newton's method; ``excess`` ends as the cards that the holders lack."""
    holders = len(zeros)
    price[:] = 0
    step, trial_price, matrix = np.empty(holders), np.empty(holders), np.empty((holders - 1, holders - 1))
    _evaluate_prices(zeros, value, spare_copies, max_spare, simple, end, want, price, excess, slope)
    for _ in range(_MAX_STEPS):
        largest = abs(excess[0])
        for s in range(1, holders):
            largest = max(largest, abs(excess[s]))
        if largest < _TOLERANCE:
            return
        _newton_step(zeros, excess, slope, matrix, step)
        start = _dot(zeros, excess, step)
        low, high, length = 0.0, np.inf, 1.0
        at_low, at_high = start, 0.0
        for _ in range(40):  # the slope along the step falls: look for where it has almost gone
            for s in range(holders):
                trial_price[s] = price[s] + length * step[s]
            _evaluate_prices(zeros, value, spare_copies, max_spare, simple, end, want, trial_price, excess, slope)
            slope_here = _dot(zeros, excess, step)
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
        copy_values(trial_price, price, holders)


@device_function
def _dot(zeros, excess, step):
    total = excess[0] * step[0]
    for s in range(1, len(zeros)):
        total += excess[s] * step[s]
    return total


@device_function
def _newton_step(zeros, excess, slope, matrix, step):
    """Solve for the step with a fixed last price; a small ridge covers holders that no card links."""
    last, total = len(zeros) - 1, 0.0
    for s in range(last + 1):
        for t in range(last + 1):
            total += slope[s, t]  # the upper triangle; the rest is 0
    ridge = 1e-9 + 1e-7 * total
    for s in range(last):
        step[s], matrix[s, s] = excess[s], 0.0
        for t in range(last + 1):
            link = slope[min(s, t), max(s, t)]
            matrix[s, s] += link
            if t < last and t != s:
                matrix[s, t] = -link
        matrix[s, s] += ridge
    if last == 2:
        determinant = matrix[0, 0] * matrix[1, 1] - slope[0, 1] * slope[0, 1]
        step[0] = (matrix[1, 1] * excess[0] + slope[0, 1] * excess[1]) / determinant
        step[1] = (slope[0, 1] * excess[0] + matrix[0, 0] * excess[1]) / determinant
    else:
        for s in range(last):  # positive definite, so no pivoting is needed
            for t in range(s + 1, last):
                factor = matrix[t, s] / matrix[s, s]
                matrix[t] -= factor * matrix[s]
                step[t] -= factor * step[s]
        for s in range(last - 1, -1, -1):
            for t in range(s + 1, last):
                step[s] -= matrix[s, t] * step[t]
            step[s] /= matrix[s, s]
    step[last], longest = 0.0, 0.0
    for s in range(last):
        longest = max(longest, abs(step[s]))
    if longest > _MAX_STEP_LENGTH:
        for s in range(last):
            step[s] = step[s] * _MAX_STEP_LENGTH / longest


@device_function
def _evaluate_prices(zeros, value, spare_copies, max_spare, simple, end, want, price, excess, slope):
    """Compute the cards that each holder lacks at these prices, and the links above the diagonal of slope."""
    holders = len(zeros)
    _evaluate_simple(zeros, value, spare_copies, simple, price, excess, slope)
    for index in range(simple, end):
        parts, free = _project_onto_box(zeros, value, spare_copies, max_spare, index, price), 0
        for s in range(holders):
            excess[s] += parts[s]
            free += 0.0 < parts[s] < max_spare[s, index]
        if free > 1:
            for s in range(holders):
                for t in range(s + 1, holders):
                    if 0.0 < parts[s] < max_spare[s, index] and 0.0 < parts[t] < max_spare[t, index]:
                        slope[s, t] += 1.0 / free
    for s in range(holders):
        excess[s] = want[s] - excess[s]


@device_function
def _share_simply(zeros, value, price, index, spare):
    """Return the parts of a simple card: its projection onto a simplex, shifted by the greatest mean overshoot."""
    holders = len(zeros)
    parts = zeros[0]
    for s in range(holders):
        parts = tuple_setitem(parts, s, value[s, index] + price[s])
    ordered = parts
    for _ in range(holders - 1):  # a sorting network, from high to low
        for s in range(holders - 1):
            low, high = min(ordered[s], ordered[s + 1]), max(ordered[s], ordered[s + 1])
            ordered = tuple_setitem(tuple_setitem(ordered, s, high), s + 1, low)
    total, shift = ordered[0], ordered[0] - spare
    for s in range(1, holders):
        total += ordered[s]
        shift = max(shift, (total - spare) / (s + 1.0))
    for s in range(holders):
        parts = tuple_setitem(parts, s, max(parts[s] - shift, 0.0))
    return parts


@njit(cache=True, nogil=True, fastmath=True)
def _evaluate_simple(zeros, value, spare_copies, simple, price, excess, slope):
    """Add up the parts and the links of the simple cards."""
    holders = len(zeros)
    sums, links, prices = zeros[0], zeros, zeros[0]
    for s in range(holders):
        prices = tuple_setitem(prices, s, price[s])
    for index in range(simple):
        parts = _share_simply(zeros, value, prices, index, spare_copies[index])
        free, count = zeros[0], 0.0
        for s in range(holders):
            sums = tuple_setitem(sums, s, sums[s] + parts[s])
            free = tuple_setitem(free, s, 1.0 if parts[s] > 0.0 else 0.0)
            count += free[s]
        share = 1.0 / max(1.0, count)
        for s in range(holders):
            for t in range(holders):
                if t > s:
                    link = links[s][t] + share * free[s] * free[t]
                    links = tuple_setitem(links, s, tuple_setitem(links[s], t, link))
    for s in range(holders):
        excess[s] = sums[s]
        for t in range(holders):
            slope[s, t] = links[s][t]


@device_function
def _project_onto_box(zeros, value, spare_copies, max_spare, index, price):
    """Find the nearest point to value + price in a box, with parts that add up to the spare copies.

    Parts are fixed at a bound, first those of the side with the greater violation (Bitran and Hax 1981).
    """
    holders = len(zeros)
    parts, target, top, is_open = zeros[0], zeros[0], zeros[0], zeros[0]  # is_open: 1.0 or 0.0
    for s in range(holders):
        target = tuple_setitem(target, s, value[s, index] + price[s])
        top = tuple_setitem(top, s, max_spare[s, index])
        is_open = tuple_setitem(is_open, s, 1.0 if top[s] > 0 else 0.0)
    remaining = spare_copies[index]
    for _ in range(holders + 1):  # a round settles a holder at least
        count, total, under, over = 0.0, 0.0, 0.0, 0.0
        for s in range(holders):
            count += is_open[s]
            total += is_open[s] * target[s]
        if count == 0.0:
            break
        shift = (total - remaining) / count
        for s in range(holders):
            if is_open[s]:
                parts = tuple_setitem(parts, s, target[s] - shift)
            under += is_open[s] * max(0.0, -parts[s])
            over += is_open[s] * max(0.0, parts[s] - top[s])
        if under == 0.0 and over == 0.0:
            break
        down, up = under >= over, over >= under
        for s in range(holders):
            if is_open[s] and ((down and parts[s] <= 0.0) or (up and parts[s] >= top[s])):
                parts = tuple_setitem(parts, s, min(max(parts[s], 0.0), top[s]))
                is_open = tuple_setitem(is_open, s, 0.0)
                remaining -= parts[s]
    return parts


@device_function
def _add_parts(zeros, value, spare_copies, max_spare, card, simple, end, price, result):
    """Add the parts of holders at the final prices to the result."""
    for index in range(end):
        if index < simple:
            parts = _share_simply(zeros, value, price, index, spare_copies[index])
        else:
            parts = _project_onto_box(zeros, value, spare_copies, max_spare, index, price)
        for s in range(len(zeros)):
            result[s, card[index]] += parts[s]
