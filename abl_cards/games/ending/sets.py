"""The card sets of a hand as numbers: what can be laid down of it, by the engine's own lists, and nothing twice.

A hand becomes a number with a field for each class of its cards; one bit above each field stays free, so that one
subtraction tells whether the cards of a move are still there. Two kinds of cards are of one class where no move tells
them apart: for every move with one of them there is one as good with the other in its place.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.tables import NO_CARD

MOST_BITS = 48
"""Of a hand: a number of cards and what tells moves apart share a word."""
MARK_AT = 50

LEADS, FOLLOWS = 1, 2
"""When a card set may be laid down, as bits."""

NONE = -1


class Fields(NamedTuple):
    """How a hand is written as a number."""

    begin: NDArray[np.int64]  # [classes] where each begins
    most: NDArray[np.int64]  # [classes] cards of each
    whole: np.uint64  # the hand
    guard: np.uint64  # the free bits
    bits: int  # all of them, the free ones among them


class Sets(NamedTuple):
    """The card sets of one hand."""

    form: NDArray[np.int64]  # [sets]
    need: NDArray[np.uint64]  # [sets] the cards, by class
    when: NDArray[np.int64]  # [sets] LEADS, FOLLOWS or both
    field: NDArray[np.int64]  # [kinds] the class of each, NONE for what the hand has not
    fields: Fields


@njit(cache=True, nogil=True)
def _width(count):
    bits = 0
    while count >> bits:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def _ones(count):
    return (np.uint64(1) << np.uint64(_width(count))) - np.uint64(1)


@njit(cache=True, nogil=True)
def bits_of(hand):
    """How many bits a hand [kinds] takes at most."""
    total = 0
    for kind in range(len(hand)):
        if hand[kind]:
            total += _width(hand[kind]) + 1
    return total


@njit(cache=True, nogil=True)
def _find(keys, key):
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@njit(cache=True, nogil=True)
def _as_good(keys, when, first, second, first_most, second_most):
    """Whether every move with a card of the first field exists with one of the second in its place."""
    one, other = np.uint64(1) << np.uint64(first), np.uint64(1) << np.uint64(second)
    first_ones, second_ones = _ones(first_most), _ones(second_most)
    for place in range(len(keys)):
        key = keys[place]
        mine, theirs = (key >> np.uint64(first)) & first_ones, (key >> np.uint64(second)) & second_ones
        if mine > 0 and theirs < second_most:
            found = _find(keys, key - one + other)
            if found < 0 or when[found] != when[place]:
                return False
    return True


@njit(cache=True, nogil=True)
def unlike(keys, when):
    """Sorted keys without repetition; what is there twice may be laid down when either may."""
    order = np.argsort(keys)
    found, often = np.empty(len(keys), np.uint64), np.empty(len(keys), np.int64)
    count = 0
    for place in order:
        if count and found[count - 1] == keys[place]:
            often[count - 1] |= when[place]
        else:
            found[count], often[count] = keys[place], when[place]
            count += 1
    return found[:count], often[:count]


@njit(cache=True, nogil=True)
def merged(keys, when, begin, most):
    """Put fields together that no move tells apart; keys are sorted: what tells moves apart, and their cards.

    Returns [fields] the class of each, and the new keys in the order of the old ones, and the new fields.
    """
    count = len(begin)
    leader, number = np.arange(count), np.full(count, -1, np.int64)
    for j in range(count):
        for i in range(j):
            alike = leader[i] == i and _as_good(keys, when, begin[i], begin[j], most[i], most[j])
            if alike and _as_good(keys, when, begin[j], begin[i], most[j], most[i]):
                leader[j] = i
                break
    new_begin, new_most = np.empty(count, np.int64), np.zeros(count, np.int64)
    whole, guard, bits, classes = np.uint64(0), np.uint64(0), 0, 0
    for i in range(count):
        if leader[i] == i:
            number[i] = classes
            for j in range(count):
                if leader[j] == i:
                    new_most[classes] += most[j]
            new_begin[classes] = bits
            whole |= np.uint64(new_most[classes]) << np.uint64(bits)
            bits += _width(new_most[classes])
            guard |= np.uint64(1) << np.uint64(bits)
            bits += 1
            classes += 1
    found = np.empty(len(keys), np.uint64)
    for row in range(len(keys)):
        key = (keys[row] >> np.uint64(MARK_AT)) << np.uint64(MARK_AT)
        for i in range(count):
            cards = (keys[row] >> np.uint64(begin[i])) & _ones(most[i])
            key += cards << np.uint64(new_begin[number[leader[i]]])
        found[row] = key
    return number[leader], found, new_begin[:classes].copy(), new_most[:classes].copy(), whole, guard, bits


@njit(cache=True, nogil=True)
def sets_of(hand, form, cards, when):
    """The sets of a hand [kinds], from rows of moves and when they may be laid down.

    Returns the keys of the sets: form and cards; when; the class of each kind; and the fields.
    """
    no_card, held = NO_CARD, np.flatnonzero(hand)
    begin, place_of = np.zeros(len(held), np.int64), np.full(len(hand), -1, np.int64)
    at = 0
    for i in range(len(held)):
        begin[i], place_of[held[i]] = at, i
        at += _width(hand[held[i]])
    keys = np.empty(len(form), np.uint64)
    for row in range(len(form)):
        key = np.uint64(form[row]) << np.uint64(MARK_AT)
        for place in range(cards.shape[1]):
            card = cards[row, place]
            if card != no_card:
                key += np.uint64(1) << np.uint64(begin[place_of[card]])
        keys[row] = key
    keys, when = unlike(keys, when)
    number, keys, begin, most, whole, guard, bits = merged(keys, when, begin, hand[held])
    keys, when = unlike(keys, when)
    field = np.full(len(hand), -1, np.int64)
    for i in range(len(held)):
        field[held[i]] = number[i]
    return keys, when, field, begin, most, whole, guard, bits
