"""The least number of plays that empty a hand of few parts: every part of it is looked at once.

A part of a hand is a *key*: a field of bits a unit, as wide as its cards need, with one bit more, which stays clear.
It rests on this: what a hand can lead a part of it can lead, too, where it holds the cards; and a play that goes as a
whole hand only is the last one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.tables import NO_CARD

MOST_PARTS = 1 << 16
"""Parts of a hand that are looked at: more are not counted exactly."""
FAR = 200
"""Plays of a hand that no plays empty."""
_MOST_UNITS = 16  # as each has two counts at least
_ALONE, _UNFIT = 16, 17  # beside places: what is the last play, and what the hand lacks


class Search(NamedTuple):
    """What the search knows of a hand; places are units that it holds."""

    unit: NDArray[np.int64]  # [16] the unit at each place
    shift: NDArray[np.int64]  # [16] where its field begins in a key
    stride: NDArray[np.int64]  # [16] what a card of it adds to the number of a part
    shape: NDArray[np.int64]  # [1] how many places there are
    tops: NDArray[np.uint64]  # [1] the highest bit of each field
    key: NDArray[np.uint64]  # [plays] in the order of the lowest places
    delta: NDArray[np.int64]  # [plays] what a play adds to the number of a part
    first: NDArray[np.int64]  # [18] the plays whose lowest place is p are first[p] .. first[p + 1] - 1; then the alone
    memo: NDArray[np.uint8]  # [parts] one more than the plays of each part, 0 where it was not looked at
    answered: NDArray[np.uint8]  # [parts] the same where a play may be the last one
    place: NDArray[np.int64]  # [units] the place of each
    whole: NDArray[np.int64]  # [2] the number and the key of the whole hand
    stack: NDArray[np.int64]  # [cards + 1, 4] part, next play, best so far, key


@njit(cache=True, nogil=True)
def new_search(plays, cards, units):
    """Room for hands of so many cards and units at most, and so many plays."""
    return Search(
        np.zeros(_MOST_UNITS, np.int64), np.zeros(_MOST_UNITS, np.int64), np.zeros(_MOST_UNITS, np.int64),
        np.zeros(1, np.int64), np.zeros(1, np.uint64), np.zeros(plays, np.uint64), np.zeros(plays, np.int64),
        np.zeros(_UNFIT + 1, np.int64), np.zeros(MOST_PARTS, np.uint8),
        np.zeros(MOST_PARTS, np.uint8), np.zeros(units, np.int64), np.zeros(2, np.int64),
        np.zeros((cards + 1, 4), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def parts_of(counts):
    """How many parts a hand has, itself and nothing among them; one more than MOST_PARTS where there are more."""
    parts = np.int64(1)
    for count in counts:
        parts *= count + 1
        if parts > MOST_PARTS:
            return np.int64(MOST_PARTS + 1)
    return parts


@njit(cache=True, nogil=True)
def begin_search(search, plays, n, counts):
    """Look at a hand that has so many cards of each unit, MOST_PARTS parts at most, and n plays of units."""
    places, bit, parts = np.int64(0), np.int64(0), np.int64(1)
    place, tops, key = search.place, np.uint64(0), np.uint64(0)
    for unit in range(len(counts)):
        if counts[unit]:
            search.unit[places], search.shift[places], search.stride[places] = unit, bit, parts
            place[unit] = places
            key += np.uint64(counts[unit]) << np.uint64(bit)
            while counts[unit] >> np.int64(bit - search.shift[places]):
                bit += 1
            tops |= np.uint64(1) << np.uint64(bit)
            bit, places, parts = bit + 1, places + 1, parts * (counts[unit] + 1)
    search.tops[0] = tops
    search.shape[0] = places
    search.whole[0], search.whole[1] = parts - 1, np.int64(key)
    search.memo[:parts] = 0
    search.answered[:parts] = 0
    _sort_plays(search, plays, n, counts, place)


@njit(cache=True, nogil=True)
def _sort_plays(search, plays, n, counts, place):
    """Write down the plays that the hand holds, by their lowest places."""
    lowest = np.zeros(n, np.int64)
    size = np.zeros(_UNFIT + 1, np.int64)
    for play in range(n):
        low = np.int64(_ALONE)
        for part in range(plays.start[play], plays.start[play + 1]):
            if plays.copies[part] > counts[plays.what[part]]:
                low = np.int64(_UNFIT)
                break
            if not plays.alone[play]:
                low = min(low, place[plays.what[part]])
        lowest[play] = low
        size[low] += 1
    at = np.int64(0)
    for low in range(_UNFIT + 1):
        search.first[low] = at
        at += size[low]
    size[:] = search.first
    for play in range(n):
        if lowest[play] < _UNFIT:
            row = size[lowest[play]]
            size[lowest[play]] += 1
            key, delta = np.uint64(0), np.int64(0)
            for part in range(plays.start[play], plays.start[play + 1]):
                here = place[plays.what[part]]
                key += np.uint64(plays.copies[part]) << np.uint64(search.shift[here])
                delta += plays.copies[part] * search.stride[here]
            search.key[row], search.delta[row] = key, delta


@njit(cache=True, nogil=True)
def fewest(search, counts):
    """The least number of plays of a part of the hand, given by its cards of each unit; FAR where there are none."""
    at, rest = np.int64(0), np.uint64(0)
    for place in range(search.shape[0]):
        count = counts[search.unit[place]]
        at += count * search.stride[place]
        rest += np.uint64(count) << np.uint64(search.shift[place])
    return _fewest(search, at, rest)


@njit(cache=True, nogil=True)
def fewest_after(search, unit, cards):
    """The same of what is left of the whole hand after some cards; unit [kinds] is that of each."""
    at, rest = search.whole[0], np.uint64(search.whole[1])
    for card in cards:
        if card == NO_CARD:
            break
        place = search.place[unit[card]]
        at -= search.stride[place]
        rest -= np.uint64(1) << np.uint64(search.shift[place])
    return _fewest(search, at, rest)


@njit(cache=True, nogil=True)
def _fewest(search, at, rest):
    """The least number of plays of a part; only here a play may be the last one."""
    if at == 0:
        return np.int64(0)
    first, last = search.first[_ALONE], search.first[_UNFIT]
    if first == last:
        return _look(search, at, rest)
    if search.answered[at] == 0:
        best, tops = _look(search, at, rest), search.tops[0]
        for play in range(first, last):
            if ((rest | tops) - search.key[play]) & tops == tops:
                left = at - search.delta[play]
                best = min(best, 1 + (_look(search, left, rest - search.key[play]) if left else np.int64(0)))
        search.answered[at] = min(best, np.int64(FAR)) + 1
    return np.int64(search.answered[at]) - 1


@njit(cache=True, nogil=True, inline="always")
def _lowest(shift, places, key):
    """The first place that has cards, by where the next one begins."""
    place = 0
    while place + 1 < places and key & ((np.uint64(1) << np.uint64(shift[place + 1])) - np.uint64(1)) == 0:
        place += 1
    return place


@njit(cache=True, nogil=True)
def _look(search, at, rest):
    """Look at parts from the given one down; what is found out is kept, one more than it, in the memo."""
    stack, memo, key, delta, first, shift, tops, places = (
        search.stack, search.memo, search.key, search.delta, search.first, search.shift, search.tops[0],
        search.shape[0],
    )  # fmt: skip
    depth = 0
    if memo[at]:
        return np.int64(memo[at]) - 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = at, first[_lowest(shift, places, rest)], FAR, np.int64(rest)
    while depth >= 0:
        here, mine = stack[depth, 0], np.uint64(stack[depth, 3])
        end = first[_lowest(shift, places, mine) + 1]
        pushed = False
        while memo[here] == 0 and stack[depth, 1] < end:
            play = stack[depth, 1]
            left = here - delta[play]
            if ((mine | tops) - key[play]) & tops != tops:
                stack[depth, 1] += 1
            elif left == 0:
                stack[depth, 2], stack[depth, 1] = 1, end
            elif memo[left]:
                stack[depth, 2] = min(stack[depth, 2], np.int64(memo[left]))
                stack[depth, 1] += 1
            else:
                depth += 1
                gone = mine - key[play]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = left, first[_lowest(shift, places, gone)], FAR
                stack[depth, 3] = np.int64(gone)
                pushed = True
                break
        if not pushed:
            if memo[here] == 0:
                memo[here] = min(FAR, stack[depth, 2]) + 1
            depth -= 1
    return np.int64(memo[at]) - 1
