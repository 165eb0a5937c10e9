"""Plays of a hand, with interchangeable cards counted together.

The cards of a hand are grouped into *units*. Two kinds of cards are in one unit if exchanging them turns every play of
the hand into a play of the hand. So suits are ignored where they do not matter.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel
from abl_cards.games.types import NO_CARD

KIND_HASHES = np.random.default_rng(14).integers(1, 1 << 63, 512).astype(np.uint64)
"""Hashes of units; the hash of a play is the sum over its cards, so exchanging a card adds a difference."""
_WHOLE_HAND_HASH = np.uint64(0x9E3779B97F4A7C15)  # added for plays that are legal as a whole hand only


class HandPlays(NamedTuple):
    """Distinct plays of a hand, each as *parts*: a number of cards of one unit."""

    start: NDArray[np.int64]  # [plays + 1] offsets of the parts of each play
    part_unit: NDArray[np.int64]  # [parts] unit, or kind of card before units are known; distinct within a play
    copies: NDArray[np.int64]  # [parts] number of cards
    is_whole_hand: NDArray[np.bool_]  # [plays] the play is legal as a whole hand only
    hash: NDArray[np.uint64]  # [plays] hash of each play
    hash_table: NDArray[np.int64]  # [2^n] plays by their hashes, NONE for empty slots


NONE = -1
"""Index that stands for no play or no unit."""


@device_function
def new_hand_plays(max_plays, max_parts):
    """Allocate arrays for plays.

    Args:
        max_plays: Maximum number of plays.
        max_parts: Maximum number of parts of all plays.
    """
    size = 16
    while size < 2 * max_plays:
        size *= 2
    return HandPlays(
        np.zeros(max_plays + 1, np.int64), np.zeros(max_parts, np.int64), np.zeros(max_parts, np.int64),
        np.zeros(max_plays, np.bool_), np.zeros(max_plays, np.uint64), np.full(size, NONE, np.int64),
    )  # fmt: skip


@device_function
def find_hash(table, hashes, code):
    """Find the slot of a hash in an open-addressing table, or the empty slot for it.

    Args:
        table: int64 [2^n], indices of entries, NONE for empty slots.
        hashes: uint64 [entries], hash of each entry.
        code: Hash to find.
    """
    mask = np.uint64(len(table) - 1)
    slot = (code ^ (code >> np.uint64(31))) & mask
    while table[slot] != NONE and hashes[table[slot]] != code:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def distinct_plays(hand, unit, cards, begin, end, whole, whole_begin, whole_end):
    """Collect the distinct plays of a hand as cards of units.

    Args:
        hand: uint8 [kinds], copies of each card.
        unit: int64 [kinds], unit of each kind of card.
        cards: uint8 [moves, max_cards], card sets that can be led.
        begin: First row of the hand.
        end: End of its rows, exclusive.
        whole: uint8 [moves, max_cards], card sets that can be led as a whole hand only.
        whole_begin: First row of the hand.
        whole_end: End of its rows, exclusive.

    Returns:
        HandPlays, and the number of plays.
    """
    num_cards = np.int64(hand.sum())
    max_plays = end - begin + whole_end - whole_begin
    plays, counts = (
        new_hand_plays(max_plays, max_plays * min(num_cards, cards.shape[1])),
        np.zeros(unit.max() + 1, np.int64),
    )
    num_plays = np.int64(0)
    for row in range(begin, end):
        num_plays = _add_play(plays, num_plays, unit, cards[row], counts, np.bool_(False))
    for row in range(whole_begin, whole_end):
        num_plays = _add_play(plays, num_plays, unit, whole[row], counts, np.bool_(True))
    return plays, num_plays


@device_function
def _add_play(plays, n, unit, cards, counts, is_whole_hand):
    """Add a play unless it is stored; ``counts`` [units] is zero before and after. Returns the number of plays."""
    code = _WHOLE_HAND_HASH if is_whole_hand else np.uint64(0)
    for card in cards:
        if card == NO_CARD:
            break
        code += KIND_HASHES[unit[card]]
        counts[unit[card]] += 1
    is_new = code != (_WHOLE_HAND_HASH if is_whole_hand else np.uint64(0))
    if is_new and is_whole_hand:
        is_new = plays.hash_table[find_hash(plays.hash_table, plays.hash, code - _WHOLE_HAND_HASH)] == NONE
    slot = find_hash(plays.hash_table, plays.hash, code)
    is_new = is_new and plays.hash_table[slot] == NONE
    part = plays.start[n]
    for card in cards:
        if card == NO_CARD:
            break
        card_unit = unit[card]
        if counts[card_unit] and is_new:
            plays.part_unit[part], plays.copies[part] = card_unit, counts[card_unit]
            part += 1
        counts[card_unit] = 0
    if not is_new:
        return n
    plays.is_whole_hand[n], plays.hash[n], plays.hash_table[slot], plays.start[n + 1] = is_whole_hand, code, n, part
    return n + 1


@kernel
def find_units(hand, plays, num_plays):
    """Find the units of a hand.

    Args:
        hand: uint8 [kinds], copies of each card.
        plays: HandPlays whose units are the kinds of cards.
        num_plays: Number of plays.

    Returns:
        int64 [kinds], unit of each kind in the hand; NONE for other kinds.
    """
    held = np.flatnonzero(hand)
    held_index = np.full(len(hand), NONE, np.int64)
    held_index[held] = np.arange(len(held))
    are_distinct = np.zeros((len(held), len(held)), np.bool_)
    play_counts = np.zeros(len(held), np.int64)
    for play in range(num_plays):
        for part in range(plays.start[play], plays.start[play + 1]):
            play_counts[held_index[plays.part_unit[part]]] = plays.copies[part]
        for part in range(plays.start[play], plays.start[play + 1]):
            index = held_index[plays.part_unit[part]]
            for other_index in range(len(held)):
                if (
                    other_index != index
                    and not are_distinct[index, other_index]
                    and play_counts[other_index] < hand[held[other_index]]
                ):
                    code = plays.hash[play] - KIND_HASHES[held[index]] + KIND_HASHES[held[other_index]]
                    if not _has_play(plays, play, code):
                        are_distinct[index, other_index] = are_distinct[other_index, index] = True
        for part in range(plays.start[play], plays.start[play + 1]):
            play_counts[held_index[plays.part_unit[part]]] = 0
    return _join_units(len(hand), held, are_distinct)


@device_function
def _has_play(plays, play, code):
    """Return True if a play with this hash is stored; for a play of a whole hand also if it is legal in any hand."""
    if plays.hash_table[find_hash(plays.hash_table, plays.hash, code)] != NONE:
        return True
    return (
        plays.is_whole_hand[play]
        and plays.hash_table[find_hash(plays.hash_table, plays.hash, code - _WHOLE_HAND_HASH)] != NONE
    )


@device_function
def _join_units(kinds, held, are_distinct):
    unit, num_units = np.full(kinds, NONE, np.int64), np.int64(0)
    for index in range(len(held)):
        for other_index in range(index):
            if not are_distinct[index, other_index]:
                unit[held[index]] = unit[held[other_index]]
                break
        if unit[held[index]] == NONE:
            unit[held[index]] = num_units
            num_units += 1
    return unit


@kernel
def plays_by_unit(plays, num_plays, unit):
    """Convert plays of kinds of cards to plays of units, without repetitions.

    Args:
        plays: HandPlays whose units are the kinds of cards.
        num_plays: Number of plays.
        unit: int64 [kinds], unit of each kind of card.

    Returns:
        HandPlays, and the number of plays.
    """
    unit_plays, counts = new_hand_plays(num_plays, plays.start[num_plays]), np.zeros(unit.max() + 1, np.int64)
    num_unit_plays = np.int64(0)
    for is_whole_hand in (False, True):
        for play in range(num_plays):
            if plays.is_whole_hand[play] == is_whole_hand:
                num_unit_plays = _add_unit_play(unit_plays, num_unit_plays, plays, play, unit, counts)
    return unit_plays, num_unit_plays


@device_function
def _add_unit_play(unit_plays, num_unit_plays, plays, play, unit, counts):
    next_part, code = unit_plays.start[num_unit_plays], np.uint64(0)
    for part in range(plays.start[play], plays.start[play + 1]):
        part_unit = unit[plays.part_unit[part]]
        if counts[part_unit] == 0:
            unit_plays.part_unit[next_part] = part_unit
            next_part += 1
        counts[part_unit] += plays.copies[part]
        code += KIND_HASHES[part_unit] * np.uint64(plays.copies[part])
    slot = find_hash(unit_plays.hash_table, unit_plays.hash, code)
    is_new = unit_plays.hash_table[slot] == NONE
    for part in range(unit_plays.start[num_unit_plays], next_part):
        unit_plays.copies[part] = counts[unit_plays.part_unit[part]]
        counts[unit_plays.part_unit[part]] = 0
    if not is_new:
        return num_unit_plays
    (
        unit_plays.is_whole_hand[num_unit_plays],
        unit_plays.hash[num_unit_plays],
        unit_plays.hash_table[slot],
        unit_plays.start[num_unit_plays + 1],
    ) = (
        plays.is_whole_hand[play],
        code,
        num_unit_plays,
        next_part,
    )
    return num_unit_plays + 1
