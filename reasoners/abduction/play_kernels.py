"""Numba kernels that match perceived cards with the card sets of plays."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"
from __future__ import annotations

import numpy as np

from abl_cards.core import copy_values, kernel
from abl_cards.reasoners.abduction.plan_kernels import double_rows


@kernel
def least_changes(cards, hand):
    """Return int64[m] how many cards of a hand must change for each card set; `hand` [kinds] counts the cards.

    `cards` [m, length] holds the cards of the sets, sorted.
    """
    changes, length = np.empty(len(cards), np.int64), cards.shape[1]
    for row in range(len(cards)):
        missing, equal = 0, 0
        for index in range(length):
            card = cards[row, index]
            equal = equal + 1 if index > 0 and cards[row, index - 1] == card else 1
            if hand[card] < equal:
                missing += 1
        changes[row] = missing
    return changes


@kernel
def arrange(cards, changes, current, free, most):
    """Return the orders of card sets that differ from `current` at up to `most` free positions.

    `cards` [m, length] holds the cards of the sets, sorted, `changes` [m] the least number of changes of each, `free`
    [length] whether a position may change. The result is int16[found, length] cards, and int32[found] their card set.
    """
    length = len(current)
    out, rows, num_orders = np.empty((64, length), np.int16), np.empty(64, np.int32), 0
    chosen, spent = np.full(length + 1, -1, np.int64), np.zeros(length + 1, np.int64)
    used = np.zeros(length, np.bool_)
    for row in range(len(cards)):
        if changes[row] > most:
            continue
        depth = 0
        chosen[0] = -1
        used[:] = False
        while depth >= 0:
            if chosen[depth] >= 0:
                used[chosen[depth]] = False
            index = chosen[depth] + 1
            changed = 0
            while index < length:
                same_as_before = index > 0 and cards[row, index] == cards[row, index - 1] and not used[index - 1]
                if not used[index] and not same_as_before:
                    changed = 1 if cards[row, index] != current[depth] else 0
                    if spent[depth] + changed <= most and (free[depth] or not changed):
                        break
                index += 1
            if index == length:
                depth -= 1
                continue
            chosen[depth] = index
            used[index] = True
            if depth + 1 < length:
                spent[depth + 1] = spent[depth] + changed
                depth += 1
                chosen[depth] = -1
                continue
            if num_orders == len(out):
                out = double_rows(out)
                more_rows = np.empty(2 * num_orders, np.int32)
                copy_values(rows, more_rows, num_orders)
                rows = more_rows
            for position in range(length):
                out[num_orders, position] = cards[row, chosen[position]]
            rows[num_orders] = row
            num_orders += 1
    return out[:num_orders], rows[:num_orders]


@kernel
def most_probable_orders(cards, scores, k):
    """Return the k best orders, int16[k, length], of card sets [m, length], by scores [length, kinds].

    Missing ones are -1. Cards of a set are sorted.
    """
    length = scores.shape[0]
    best = np.empty(scores.shape[1])
    for kind in range(scores.shape[1]):
        best[kind] = scores[:, kind].max()
    out, value = np.full((k, length), np.int16(-1)), np.full(k, -np.inf)
    chosen, total = np.full(length + 1, -1, np.int64), np.zeros(length + 1)
    used, bound = np.zeros(length, np.bool_), np.empty(length + 1)
    for position in range(length, -1, -1):
        bound[position] = 0.0 if position == length else bound[position + 1] + scores[position].max()
    for row in range(len(cards)):
        limit = 0.0
        for position in range(length):
            limit += best[cards[row, position]]
        if limit <= value[k - 1]:
            continue
        depth = 0
        chosen[0] = -1
        used[:] = False
        while depth >= 0:
            if chosen[depth] >= 0:
                used[chosen[depth]] = False
            index = chosen[depth] + 1
            while index < length:
                same_as_before = index > 0 and cards[row, index] == cards[row, index - 1] and not used[index - 1]
                if not used[index] and not same_as_before:
                    new = total[depth] + scores[depth, cards[row, index]]
                    if new + bound[depth + 1] > value[k - 1]:
                        break
                index += 1
            if index == length:
                depth -= 1
                continue
            chosen[depth] = index
            used[index] = True
            new = total[depth] + scores[depth, cards[row, index]]
            if depth + 1 < length:
                depth += 1
                total[depth] = new
                chosen[depth] = -1
                continue
            place = k - 1
            while place > 0 and value[place - 1] < new:
                value[place] = value[place - 1]
                out[place] = out[place - 1]
                place -= 1
            value[place] = new
            for position in range(length):
                out[place, position] = cards[row, chosen[position]]
    return out
