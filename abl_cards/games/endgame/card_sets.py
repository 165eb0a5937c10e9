"""Card sets of a hand as integer keys, from the move lists of the engine, without duplicates.

A hand is a number with a field for each class of its cards and a free guard bit above each field. So one subtraction
decides whether the cards of a move are still held. Two kinds of cards are in one class if they are
interchangeable: for every move with one of them there is an equal move with the other.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function, kernel
from abl_cards.games.types import NO_CARD

MAX_HAND_BITS = 48
"""Most bits of a hand, as the cards and the mark of a move share a word."""
MARK_SHIFT = 50
"""First bit of the mark (form or equivalence class) in a key."""

LEADS, FOLLOWS = 1, 2
"""Bits that tell whether a card set may be played when leading and when following."""

NONE = -1
"""Value for no field, move or class."""


@device_function
def bit_width(count):
    """Return the number of bits of a number."""
    bits = 0
    while count >> bits:
        bits += 1
    return bits


@device_function
def low_bits_mask(count):
    """Return a mask with as many ones as the number has bits."""
    return (np.uint64(1) << np.uint64(bit_width(count))) - np.uint64(1)


@device_function
def find_key(keys, key):
    """Return the first position of a key among sorted keys, or -1."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@device_function
def _is_interchangeable(keys, lead_follow, first, second, first_most, second_most):
    """Return True if every move with a card of the first field exists with a card of the second field instead."""
    first_unit, second_unit = np.uint64(1) << np.uint64(first), np.uint64(1) << np.uint64(second)
    first_ones, second_ones = low_bits_mask(first_most), low_bits_mask(second_most)
    for index in range(len(keys)):
        key = keys[index]
        first_count, second_count = (key >> np.uint64(first)) & first_ones, (key >> np.uint64(second)) & second_ones
        if first_count > 0 and second_count < second_most:
            match = find_key(keys, key - first_unit + second_unit)
            if match < 0 or lead_follow[match] != lead_follow[index]:
                return False
    return True


@device_function
def deduplicate_keys(keys, lead_follow):
    """Sort keys and remove duplicates, whose LEADS and FOLLOWS bits are combined.

    Args:
        keys: uint64 [sets].
        lead_follow: int64 [sets], bits.

    Returns:
        Sorted keys and their bits.
    """
    order = np.argsort(keys)
    unique_keys, unique_bits = np.empty(len(keys), np.uint64), np.empty(len(keys), np.int64)
    count = 0
    for index in order:
        if count and unique_keys[count - 1] == keys[index]:
            unique_bits[count - 1] |= lead_follow[index]
        else:
            unique_keys[count], unique_bits[count] = keys[index], lead_follow[index]
            count += 1
    return unique_keys[:count], unique_bits[:count]


@device_function
def merge_fields(keys, lead_follow, field_start, max_count):
    """Merge the fields of interchangeable cards.

    Args:
        keys: uint64 [sets], sorted keys.
        lead_follow: int64 [sets], bits.
        field_start: int64 [fields], first bit of each field.
        max_count: int64 [fields], largest count of each field.

    Returns:
        Class of each field; new keys in the order of the old ones; first bit and largest count of each new field; the
        full hand; its guard bits; number of bits.
    """
    count = len(field_start)
    leader, class_index = np.arange(count), np.full(count, -1, np.int64)
    for j in range(count):
        for i in range(j):
            is_merged = leader[i] == i and _is_interchangeable(
                keys, lead_follow, field_start[i], field_start[j], max_count[i], max_count[j]
            )
            if is_merged and _is_interchangeable(
                keys, lead_follow, field_start[j], field_start[i], max_count[j], max_count[i]
            ):
                leader[j] = i
                break
    new_start, new_max = np.empty(count, np.int64), np.zeros(count, np.int64)
    full_hand, guard_bits, bits, classes = np.uint64(0), np.uint64(0), 0, 0
    for i in range(count):
        if leader[i] == i:
            class_index[i] = classes
            for j in range(count):
                if leader[j] == i:
                    new_max[classes] += max_count[j]
            new_start[classes] = bits
            full_hand |= np.uint64(new_max[classes]) << np.uint64(bits)
            bits += bit_width(new_max[classes])
            guard_bits |= np.uint64(1) << np.uint64(bits)
            bits += 1
            classes += 1
    new_keys = np.empty(len(keys), np.uint64)
    for row in range(len(keys)):
        key = (keys[row] >> np.uint64(MARK_SHIFT)) << np.uint64(MARK_SHIFT)
        for i in range(count):
            cards = (keys[row] >> np.uint64(field_start[i])) & low_bits_mask(max_count[i])
            key += cards << np.uint64(new_start[class_index[leader[i]]])
        new_keys[row] = key
    return (
        class_index[leader],
        new_keys,
        new_start[:classes].copy(),
        new_max[:classes].copy(),
        full_hand,
        guard_bits,
        bits,
    )


@kernel
def compute_fields(hands):
    """Assign fields to the cards of hands.

    Args:
        hands: uint8 [n, kinds].

    Returns:
        int64 [n, kinds] first bit of each field, ``NONE`` for kinds not held; uint64 [n] guard bits; int64 [n] number
        of bits.
    """
    n, kinds = hands.shape
    field_start, guard_bits, bits = np.full((n, kinds), NONE, np.int64), np.zeros(n, np.uint64), np.zeros(n, np.int64)
    for hand in range(n):
        bit = 0
        for kind in range(kinds):
            if hands[hand, kind]:
                field_start[hand, kind] = bit
                bit += bit_width(hands[hand, kind])
                if bit <= MAX_HAND_BITS:
                    guard_bits[hand] |= np.uint64(1) << np.uint64(bit)
                bit += 1
        bits[hand] = bit
    return field_start, guard_bits, bits


@device_function
def _encode_set(form, cards, row, begin):
    """Return the key of a row of card sets."""
    no_card = NO_CARD
    key = np.uint64(form[row]) << np.uint64(MARK_SHIFT)
    for position in range(cards.shape[1]):
        card = cards[row, position]
        if card != no_card:
            key += np.uint64(1) << np.uint64(begin[card])
    return key


@kernel
def encode_sets(field_start, bits, leads, lead_form, lead_cards, follows, follow_form, follow_cards, flag):
    """Encode the card sets of hands.

    Args:
        field_start: int64 [hands, kinds], first bit of each field.
        bits: int64 [hands], number of bits; hands with too many get no card sets.
        leads: int64 [hands + 1], start of each hand in the list of leads.
        lead_form: int16 [leads].
        lead_cards: uint8 [leads, max cards].
        follows: int64 [hands + 1], start of each hand in the list of other plays.
        follow_form: int16 [follows].
        follow_cards: uint8 [follows, max cards].
        flag: LEADS and FOLLOWS bits of the leads.

    Returns:
        Keys, sorted within each hand; their LEADS and FOLLOWS bits; int64 [hands + 1] start of each hand.
    """
    hands, total = len(field_start), len(lead_form) + len(follow_form)
    keys, lead_follow = np.empty(total, np.uint64), np.empty(total, np.int64)
    start, count = np.zeros(hands + 1, np.int64), 0
    for hand in range(hands):
        num_leads, num_follows = leads[hand + 1] - leads[hand], follows[hand + 1] - follows[hand]
        hand_keys, hand_bits = np.empty(num_leads + num_follows, np.uint64), np.empty(num_leads + num_follows, np.int64)
        if bits[hand] > MAX_HAND_BITS:
            hand_keys, hand_bits = hand_keys[:0], hand_bits[:0]
            num_leads = num_follows = 0
        for row in range(num_leads):
            hand_keys[row] = _encode_set(lead_form, lead_cards, leads[hand] + row, field_start[hand])
            hand_bits[row] = flag
        for row in range(num_follows):
            hand_keys[num_leads + row] = _encode_set(follow_form, follow_cards, follows[hand] + row, field_start[hand])
            hand_bits[num_leads + row] = FOLLOWS
        unique_keys, unique_bits = deduplicate_keys(hand_keys, hand_bits)
        keys[count : count + len(unique_keys)], lead_follow[count : count + len(unique_keys)] = unique_keys, unique_bits
        count += len(unique_keys)
        start[hand + 1] = count
    return keys[:count].copy(), lead_follow[:count].copy(), start
