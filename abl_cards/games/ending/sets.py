"""The card sets of a hand as numbers: what can be laid down of it, by the engine's own lists, and nothing twice.

A hand becomes a number with a field for each class of its cards; one bit above each field stays free, so that one
subtraction tells whether the cards of a move are still there. Two kinds of cards are of one class where no move tells
them apart: for every move with one of them there is the same move with the other.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.tables import NO_CARD

MOST_BITS, FORM_AT = 48, 50
"""A number of cards and a form share a word, while classes are looked for."""

LEADS, FOLLOWS = 1, 2
"""When a card set may be laid down, as bits."""


class Sets(NamedTuple):
    """The card sets of one hand."""

    form: NDArray[np.int64]  # [sets]
    need: NDArray[np.uint64]  # [sets] the cards, by class
    when: NDArray[np.int64]  # [sets] LEADS, FOLLOWS or both
    shift: NDArray[np.int64]  # [kinds] where the field of its class begins; -1 for what the hand has not
    hand: np.uint64  # the whole of it
    guard: np.uint64  # the free bits
    fields: NDArray[np.int64]  # [classes] where each begins
    bits: int  # all of them, the free ones among them


@njit(cache=True, nogil=True)
def _width(count):
    bits = 0
    while count >> bits:
        bits += 1
    return bits


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
def _alike(keys, when, first, second, first_size, second_size, first_most, second_most):
    """Whether every move with a card of the first kind exists with one of the second in its place."""
    one, other = np.uint64(1) << np.uint64(first), np.uint64(1) << np.uint64(second)
    for place in range(len(keys)):
        key = keys[place]
        mine = (key >> np.uint64(first)) & first_size
        theirs = (key >> np.uint64(second)) & second_size
        if mine > 0 and theirs < second_most:
            found = _find(keys, key - one + other)
            if found < 0 or when[found] != when[place]:
                return False
    return True


@njit(cache=True, nogil=True)
def _unlike(keys, when):
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
def sets_of(hand, form, cards, when):
    """The sets of a hand [kinds], from rows of moves and when they may be laid down; see Sets."""
    kinds, no_card = len(hand), NO_CARD
    low = np.full(kinds, -1, np.int64)
    held = np.flatnonzero(hand)
    at = 0
    for kind in held:
        low[kind] = at
        at += _width(hand[kind])
    keys = np.empty(len(form), np.uint64)
    for row in range(len(form)):
        key = np.uint64(form[row]) << np.uint64(FORM_AT)
        for place in range(cards.shape[1]):
            card = cards[row, place]
            if card != no_card:
                key += np.uint64(1) << np.uint64(low[card])
        keys[row] = key
    keys, when = _unlike(keys, when)
    group = held.copy()
    for j in range(len(held)):
        for i in range(j):
            if group[i] != held[i]:
                continue
            a, b = held[i], held[j]
            masks = (
                (np.uint64(1) << np.uint64(_width(hand[a]))) - np.uint64(1),
                (np.uint64(1) << np.uint64(_width(hand[b]))) - np.uint64(1),
            )
            if _alike(keys, when, low[a], low[b], masks[0], masks[1], hand[a], hand[b]) and _alike(
                keys, when, low[b], low[a], masks[1], masks[0], hand[b], hand[a]
            ):
                group[j] = a
                break
    shift = np.full(kinds, -1, np.int64)
    fields = np.empty(len(held), np.int64)
    whole, guard, bits, classes = np.uint64(0), np.uint64(0), 0, 0
    for i in range(len(held)):
        if group[i] == held[i]:
            count = 0
            for j in range(len(held)):
                if group[j] == held[i]:
                    count += hand[held[j]]
                    shift[held[j]] = bits
            fields[classes] = bits
            classes += 1
            whole |= np.uint64(count) << np.uint64(bits)
            bits += _width(count)
            guard |= np.uint64(1) << np.uint64(bits)
            bits += 1
    for row in range(len(keys)):
        key = (keys[row] >> np.uint64(FORM_AT)) << np.uint64(FORM_AT)
        for i in range(len(held)):
            size = (np.uint64(1) << np.uint64(_width(hand[held[i]]))) - np.uint64(1)
            key += ((keys[row] >> np.uint64(low[held[i]])) & size) << np.uint64(shift[held[i]])
        keys[row] = key
    keys, when = _unlike(keys, when)
    forms = (keys >> np.uint64(FORM_AT)).astype(np.int64)
    need = keys & ((np.uint64(1) << np.uint64(FORM_AT)) - np.uint64(1))
    return forms, need, when, shift, whole, guard, fields[:classes], bits


NONE = -1


@njit(cache=True, nogil=True)
def plays_of(seat, form, when, forms, row_of, allowed, passing, all_forms):
    """The classes of plays to beat, and who may answer them with what.

    Moves [moves] are those of seats, seat by seat; forms [n] are what may come to be beaten; row_of [seats, forms + 1]
    is the column of allowed [forms, columns] where it is said what each may lay on it, the last one what it may lead.
    Returns lays [forms], first [seats, classes + 1] and answers; see Position.
    """
    moves, seats = len(form), row_of.shape[0]
    lots = np.empty(moves, np.uint64)
    lot = np.uint64(0x9E3779B97F4A7C15)
    for move in range(moves):
        lots[move] = lot
        lot = (lot ^ (lot >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(move)
    legal = np.zeros((len(forms) + 1, moves), np.bool_)
    marks, lays = np.zeros(len(forms) + 1, np.uint64), np.full(all_forms, NONE, np.int64)
    chosen, classes = np.zeros(len(forms) + 1, np.int64), 0
    for trick in range(len(forms) + 1):
        play = all_forms if trick == 0 else forms[trick - 1]
        flag = LEADS if trick == 0 else FOLLOWS
        for move in range(moves):
            row = row_of[seat[move], play]
            legal[trick, move] = (when[move] & flag) != 0 and row >= 0 and allowed[form[move], row] != 0
            if legal[trick, move]:
                marks[trick] += lots[move]
        same = -1
        for place in range(1, classes):
            if marks[chosen[place]] == marks[trick] and (legal[chosen[place]] == legal[trick]).all():
                same = place
        if same < 0 or trick == 0:
            same = classes
            chosen[classes] = trick
            classes += 1
        if trick:
            lays[play] = same
    first = np.zeros((seats, classes + 1), np.int64)
    answers = np.empty(classes * moves, np.int64)
    count = 0
    for owner in range(seats):
        for place in range(classes):
            first[owner, place] = count
            for move in range(moves):
                if seat[move] == owner and legal[chosen[place], move]:
                    answers[count] = move
                    count += 1
        first[owner, classes] = count
    lays[passing] = NONE
    return lays, first, answers[:count].copy()
