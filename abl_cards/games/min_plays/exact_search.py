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

from abl_cards.games.types import NO_CARD

MAX_PARTS = 1 << 16
"""Parts of a hand that are looked at: more are not counted exactly."""
UNREACHABLE = 200
"""Plays of a hand that no plays empty."""
_MAX_UNITS = 16  # as each has two counts at least
_LAST_PLAY, _DOES_NOT_FIT = 16, 17  # beside places: what is the last play, and what the hand lacks


class ExactSearchState(NamedTuple):
    """What the search knows of a hand; places are units that it holds."""

    place_unit: NDArray[np.int64]  # [16] the unit at each place
    shift: NDArray[np.int64]  # [16] where its field begins in a key
    stride: NDArray[np.int64]  # [16] what a card of it adds to the number of a part
    num_places: NDArray[np.int64]  # [1] how many places there are
    guard_bits: NDArray[np.uint64]  # [1] the highest bit of each field
    play_key: NDArray[np.uint64]  # [plays] in the order of the lowest places
    play_delta: NDArray[np.int64]  # [plays] what a play adds to the number of a part
    first_play: NDArray[
        np.int64
    ]  # [18] the plays whose lowest place is p are first[p] .. first[p + 1] - 1; then the alone
    memo: NDArray[np.uint8]  # [parts] one more than the plays of each part, 0 where it was not looked at
    last_play_memo: NDArray[np.uint8]  # [parts] the same where a play may be the last one
    unit_place: NDArray[np.int64]  # [units] the place of each
    whole_hand: NDArray[np.int64]  # [2] the number and the key of the whole hand
    stack: NDArray[np.int64]  # [cards + 1, 4] part, next play, best so far, key


@njit(cache=True, nogil=True)
def new_exact_search(max_plays, max_cards, num_units):
    """Room for hands of so many cards and units at most, and so many plays."""
    return ExactSearchState(
        np.zeros(_MAX_UNITS, np.int64), np.zeros(_MAX_UNITS, np.int64), np.zeros(_MAX_UNITS, np.int64),
        np.zeros(1, np.int64), np.zeros(1, np.uint64), np.zeros(max_plays, np.uint64), np.zeros(max_plays, np.int64),
        np.zeros(_DOES_NOT_FIT + 1, np.int64), np.zeros(MAX_PARTS, np.uint8),
        np.zeros(MAX_PARTS, np.uint8), np.zeros(num_units, np.int64), np.zeros(2, np.int64),
        np.zeros((max_cards + 1, 4), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def count_parts(counts):
    """How many parts a hand has, itself and nothing among them; one more than MAX_PARTS where there are more."""
    parts = np.int64(1)
    for count in counts:
        parts *= count + 1
        if parts > MAX_PARTS:
            return np.int64(MAX_PARTS + 1)
    return parts


@njit(cache=True, nogil=True)
def load_hand_plays(search, plays, num_plays, counts):
    """Look at a hand that has so many cards of each unit, MAX_PARTS parts at most, and n plays of units."""
    places, bit, parts = np.int64(0), np.int64(0), np.int64(1)
    place, tops, key = search.unit_place, np.uint64(0), np.uint64(0)
    for unit in range(len(counts)):
        if counts[unit]:
            search.place_unit[places], search.shift[places], search.stride[places] = unit, bit, parts
            place[unit] = places
            key += np.uint64(counts[unit]) << np.uint64(bit)
            while counts[unit] >> np.int64(bit - search.shift[places]):
                bit += 1
            tops |= np.uint64(1) << np.uint64(bit)
            bit, places, parts = bit + 1, places + 1, parts * (counts[unit] + 1)
    search.guard_bits[0] = tops
    search.num_places[0] = places
    search.whole_hand[0], search.whole_hand[1] = parts - 1, np.int64(key)
    search.memo[:parts] = 0
    search.last_play_memo[:parts] = 0
    _sort_plays(search, plays, num_plays, counts, place)


@njit(cache=True, nogil=True)
def _sort_plays(search, plays, n, counts, place):
    """Write down the plays that the hand holds, by their lowest places."""
    lowest = np.zeros(n, np.int64)
    size = np.zeros(_DOES_NOT_FIT + 1, np.int64)
    for play in range(n):
        low = np.int64(_LAST_PLAY)
        for part in range(plays.start[play], plays.start[play + 1]):
            if plays.copies[part] > counts[plays.part_unit[part]]:
                low = np.int64(_DOES_NOT_FIT)
                break
            if not plays.is_whole_hand[play]:
                low = min(low, place[plays.part_unit[part]])
        lowest[play] = low
        size[low] += 1
    at = np.int64(0)
    for low in range(_DOES_NOT_FIT + 1):
        search.first_play[low] = at
        at += size[low]
    size[:] = search.first_play
    for play in range(n):
        if lowest[play] < _DOES_NOT_FIT:
            row = size[lowest[play]]
            size[lowest[play]] += 1
            key, delta = np.uint64(0), np.int64(0)
            for part in range(plays.start[play], plays.start[play + 1]):
                here = place[plays.part_unit[part]]
                key += np.uint64(plays.copies[part]) << np.uint64(search.shift[here])
                delta += plays.copies[part] * search.stride[here]
            search.play_key[row], search.play_delta[row] = key, delta


@njit(cache=True, nogil=True)
def min_plays_of_part(search, counts):
    """The least number of plays of a part of the hand, given by its cards of each unit; UNREACHABLE where none are."""
    at, rest = np.int64(0), np.uint64(0)
    for place in range(search.num_places[0]):
        count = counts[search.place_unit[place]]
        at += count * search.stride[place]
        rest += np.uint64(count) << np.uint64(search.shift[place])
    return _min_plays(search, at, rest)


@njit(cache=True, nogil=True)
def min_plays_after_cards(search, unit, cards):
    """The same of what is left of the whole hand after some cards; unit [kinds] is that of each."""
    at, rest = search.whole_hand[0], np.uint64(search.whole_hand[1])
    for card in cards:
        if card == NO_CARD:
            break
        place = search.unit_place[unit[card]]
        at -= search.stride[place]
        rest -= np.uint64(1) << np.uint64(search.shift[place])
    return _min_plays(search, at, rest)


@njit(cache=True, nogil=True)
def _min_plays(search, at, rest):
    """The least number of plays of a part; only here a play may be the last one."""
    if at == 0:
        return np.int64(0)
    first, last = search.first_play[_LAST_PLAY], search.first_play[_DOES_NOT_FIT]
    if first == last:
        return _search_parts(search, at, rest)
    if search.last_play_memo[at] == 0:
        best, tops = _search_parts(search, at, rest), search.guard_bits[0]
        for play in range(first, last):
            if ((rest | tops) - search.play_key[play]) & tops == tops:
                left = at - search.play_delta[play]
                best = min(
                    best, 1 + (_search_parts(search, left, rest - search.play_key[play]) if left else np.int64(0))
                )
        search.last_play_memo[at] = min(best, np.int64(UNREACHABLE)) + 1
    return np.int64(search.last_play_memo[at]) - 1


@njit(cache=True, nogil=True, inline="always")
def _lowest_place(shift, places, key):
    """The first place that has cards, by where the next one begins."""
    place = 0
    while place + 1 < places and key & ((np.uint64(1) << np.uint64(shift[place + 1])) - np.uint64(1)) == 0:
        place += 1
    return place


@njit(cache=True, nogil=True)
def _search_parts(search, at, rest):
    """Look at parts from the given one down; what is found out is kept, one more than it, in the memo."""
    stack, memo, key, delta, first, shift, tops, places = (
        search.stack, search.memo, search.play_key, search.play_delta, search.first_play, search.shift,
        search.guard_bits[0], search.num_places[0],
    )  # fmt: skip
    depth = 0
    if memo[at]:
        return np.int64(memo[at]) - 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = (
        at,
        first[_lowest_place(shift, places, rest)],
        UNREACHABLE,
        np.int64(rest),
    )
    while depth >= 0:
        here, mine = stack[depth, 0], np.uint64(stack[depth, 3])
        end = first[_lowest_place(shift, places, mine) + 1]
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
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = (
                    left,
                    first[_lowest_place(shift, places, gone)],
                    UNREACHABLE,
                )
                stack[depth, 3] = np.int64(gone)
                pushed = True
                break
        if not pushed:
            if memo[here] == 0:
                memo[here] = min(UNREACHABLE, stack[depth, 2]) + 1
            depth -= 1
    return np.int64(memo[at]) - 1
