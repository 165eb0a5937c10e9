"""The card sets of a hand as numbers: what can be laid down of it, by the engine's own lists, and nothing twice.

A hand becomes a number with a field for each class of its cards; one bit above each field stays free, so that one
subtraction tells whether the cards of a move are still there. Two kinds of cards are of one class where no move tells
them apart: for every move with one of them there is one as good with the other in its place.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.types import NO_CARD

MAX_HAND_BITS = 48
"""Of a hand: a number of cards and what tells moves apart share a word."""
MARK_SHIFT = 50

LEADS, FOLLOWS = 1, 2
"""When a card set may be laid down, as bits."""

NONE = -1


@njit(cache=True, nogil=True)
def bit_width(count):
    """How many bits a number takes."""
    bits = 0
    while count >> bits:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def low_bits_mask(count):
    """As many ones as that."""
    return (np.uint64(1) << np.uint64(bit_width(count))) - np.uint64(1)


@njit(cache=True, nogil=True)
def find_key(keys, key):
    """The first place of a key among sorted ones, or NONE."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@njit(cache=True, nogil=True)
def _is_interchangeable(keys, when, first, second, first_most, second_most):
    """Whether every move with a card of the first field exists with one of the second in its place."""
    one, other = np.uint64(1) << np.uint64(first), np.uint64(1) << np.uint64(second)
    first_ones, second_ones = low_bits_mask(first_most), low_bits_mask(second_most)
    for place in range(len(keys)):
        key = keys[place]
        mine, theirs = (key >> np.uint64(first)) & first_ones, (key >> np.uint64(second)) & second_ones
        if mine > 0 and theirs < second_most:
            found = find_key(keys, key - one + other)
            if found < 0 or when[found] != when[place]:
                return False
    return True


@njit(cache=True, nogil=True)
def deduplicate_keys(keys, lead_follow):
    """Sorted keys without repetition; what is there twice may be laid down when either may."""
    order = np.argsort(keys)
    found, often = np.empty(len(keys), np.uint64), np.empty(len(keys), np.int64)
    count = 0
    for place in order:
        if count and found[count - 1] == keys[place]:
            often[count - 1] |= lead_follow[place]
        else:
            found[count], often[count] = keys[place], lead_follow[place]
            count += 1
    return found[:count], often[:count]


@njit(cache=True, nogil=True)
def merge_fields(keys, lead_follow, field_start, max_count):
    """Put fields together that no move tells apart; keys are sorted: what tells moves apart, and their cards.

    Returns [fields] the class of each, and the new keys in the order of the old ones, and the new fields.
    """
    count = len(field_start)
    leader, number = np.arange(count), np.full(count, -1, np.int64)
    for j in range(count):
        for i in range(j):
            alike = leader[i] == i and _is_interchangeable(
                keys, lead_follow, field_start[i], field_start[j], max_count[i], max_count[j]
            )
            if alike and _is_interchangeable(
                keys, lead_follow, field_start[j], field_start[i], max_count[j], max_count[i]
            ):
                leader[j] = i
                break
    new_begin, new_most = np.empty(count, np.int64), np.zeros(count, np.int64)
    whole, guard, bits, classes = np.uint64(0), np.uint64(0), 0, 0
    for i in range(count):
        if leader[i] == i:
            number[i] = classes
            for j in range(count):
                if leader[j] == i:
                    new_most[classes] += max_count[j]
            new_begin[classes] = bits
            whole |= np.uint64(new_most[classes]) << np.uint64(bits)
            bits += bit_width(new_most[classes])
            guard |= np.uint64(1) << np.uint64(bits)
            bits += 1
            classes += 1
    found = np.empty(len(keys), np.uint64)
    for row in range(len(keys)):
        key = (keys[row] >> np.uint64(MARK_SHIFT)) << np.uint64(MARK_SHIFT)
        for i in range(count):
            cards = (keys[row] >> np.uint64(field_start[i])) & low_bits_mask(max_count[i])
            key += cards << np.uint64(new_begin[number[leader[i]]])
        found[row] = key
    return number[leader], found, new_begin[:classes].copy(), new_most[:classes].copy(), whole, guard, bits


@njit(cache=True, nogil=True)
def compute_fields(hands):
    """How hands [n, kinds] are written: where the field of each kind begins, NONE for what a hand has not.

    And [n] the bits that stay free, and how many bits there are.
    """
    n, kinds = hands.shape
    begin, guard, bits = np.full((n, kinds), NONE, np.int64), np.zeros(n, np.uint64), np.zeros(n, np.int64)
    for hand in range(n):
        at = 0
        for kind in range(kinds):
            if hands[hand, kind]:
                begin[hand, kind] = at
                at += bit_width(hands[hand, kind])
                if at <= MAX_HAND_BITS:
                    guard[hand] |= np.uint64(1) << np.uint64(at)
                at += 1
        bits[hand] = at
    return begin, guard, bits


@njit(cache=True, nogil=True)
def _encode_set(form, cards, row, begin):
    no_card = NO_CARD
    key = np.uint64(form[row]) << np.uint64(MARK_SHIFT)
    for place in range(cards.shape[1]):
        card = cards[row, place]
        if card != no_card:
            key += np.uint64(1) << np.uint64(begin[card])
    return key


@njit(cache=True, nogil=True)
def encode_sets(field_start, bits, leads, lead_form, lead_cards, follows, follow_form, follow_cards, flag):
    """The card sets of hands, from lists of what each leads, and may do so only when flag says, and of what follows.

    Returns the keys of the sets, form and cards, hand after hand and sorted; when; and where each hand begins.
    """
    hands, total = len(field_start), len(lead_form) + len(follow_form)
    keys, when = np.empty(total, np.uint64), np.empty(total, np.int64)
    start, count = np.zeros(hands + 1, np.int64), 0
    for hand in range(hands):
        first, others = leads[hand + 1] - leads[hand], follows[hand + 1] - follows[hand]
        mine, often = np.empty(first + others, np.uint64), np.empty(first + others, np.int64)
        if bits[hand] > MAX_HAND_BITS:
            mine, often = mine[:0], often[:0]
            first = others = 0
        for row in range(first):
            mine[row] = _encode_set(lead_form, lead_cards, leads[hand] + row, field_start[hand])
            often[row] = flag
        for row in range(others):
            mine[first + row] = _encode_set(follow_form, follow_cards, follows[hand] + row, field_start[hand])
            often[first + row] = FOLLOWS
        few, either = deduplicate_keys(mine, often)
        keys[count : count + len(few)], when[count : count + len(few)] = few, either
        count += len(few)
        start[hand + 1] = count
    return keys[:count].copy(), when[:count].copy(), start
