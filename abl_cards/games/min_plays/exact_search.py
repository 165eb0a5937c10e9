"""Minimum number of plays that empty a hand of few parts, by dynamic programming over all parts of the hand.

A part of a hand is a *key*: a field of bits for each unit, as wide as its number of cards needs, plus a guard bit that
stays clear. The search assumes that a part can lead every play of the hand whose cards it holds, and that a play of a
whole hand is the last one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import copy_values, device_function
from abl_cards.games.types import NO_CARD

MAX_PARTS = 1 << 16
"""Maximum number of parts of a hand that is counted exactly."""
UNREACHABLE = 200
"""Result for a hand that no plays empty."""
_MAX_UNITS = 16  # as each unit multiplies the number of parts by at least two
_LAST_PLAY, _DOES_NOT_FIT = 16, 17  # values next to positions: a play of a whole hand, a play that does not fit


class ExactSearchState(NamedTuple):
    """Working arrays of the search for one hand; positions number the units that the hand holds."""

    place_unit: NDArray[np.int64]  # [16] unit at each position
    shift: NDArray[np.int64]  # [16] first bit of the field of each position in a key
    stride: NDArray[np.int64]  # [16] difference of the index of a part for one card of the unit
    num_places: NDArray[np.int64]  # [1] number of positions
    guard_bits: NDArray[np.uint64]  # [1] highest bit of each field
    play_key: NDArray[np.uint64]  # [plays] key of each play, sorted by lowest position
    play_delta: NDArray[np.int64]  # [plays] difference of the index of a part for each play
    # [18] plays with lowest position p are the rows first_play[p] .. first_play[p + 1] - 1; then plays of whole hands
    first_play: NDArray[np.int64]
    memo: NDArray[np.uint8]  # [parts] one more than the number of plays of each part; 0 if not computed
    last_play_memo: NDArray[np.uint8]  # [parts] one more than the number if a play of a whole hand may be the last
    unit_place: NDArray[np.int64]  # [units] position of each unit
    whole_hand: NDArray[np.int64]  # [2] index and key of the whole hand
    stack: NDArray[np.int64]  # [cards + 1, 4] index of the part, next play, best so far, key


@device_function
def new_exact_search(max_plays, max_cards, num_units):
    """Allocate the arrays of the search.

    Args:
        max_plays: Maximum number of plays of a hand.
        max_cards: Maximum number of cards of a hand.
        num_units: Maximum number of units.
    """
    return ExactSearchState(
        np.zeros(_MAX_UNITS, np.int64), np.zeros(_MAX_UNITS, np.int64), np.zeros(_MAX_UNITS, np.int64),
        np.zeros(1, np.int64), np.zeros(1, np.uint64), np.zeros(max_plays, np.uint64), np.zeros(max_plays, np.int64),
        np.zeros(_DOES_NOT_FIT + 1, np.int64), np.zeros(MAX_PARTS, np.uint8),
        np.zeros(MAX_PARTS, np.uint8), np.zeros(num_units, np.int64), np.zeros(2, np.int64),
        np.zeros((max_cards + 1, 4), np.int64),
    )  # fmt: skip


@device_function
def count_parts(counts):
    """Count the parts of a hand, including itself and the empty part.

    Args:
        counts: int64 [units], cards of each unit.

    Returns:
        Number of parts, at most MAX_PARTS + 1.
    """
    parts = np.int64(1)
    for count in counts:
        parts *= count + 1
        if parts > MAX_PARTS:
            return np.int64(MAX_PARTS + 1)
    return parts


@device_function
def load_hand_plays(search, plays, num_plays, counts):
    """Prepare the search for a hand of at most MAX_PARTS parts.

    Args:
        search: ExactSearchState that is modified.
        plays: HandPlays of units.
        num_plays: Number of plays.
        counts: int64 [units], cards of each unit in the hand.
    """
    num_positions, bit, parts = np.int64(0), np.int64(0), np.int64(1)
    unit_position, guard_bits, key = search.unit_place, np.uint64(0), np.uint64(0)
    for unit in range(len(counts)):
        if counts[unit]:
            search.place_unit[num_positions], search.shift[num_positions], search.stride[num_positions] = (
                unit,
                bit,
                parts,
            )
            unit_position[unit] = num_positions
            key += np.uint64(counts[unit]) << np.uint64(bit)
            while counts[unit] >> np.int64(bit - search.shift[num_positions]):
                bit += 1
            guard_bits |= np.uint64(1) << np.uint64(bit)
            bit, num_positions, parts = bit + 1, num_positions + 1, parts * (counts[unit] + 1)
    search.guard_bits[0] = guard_bits
    search.num_places[0] = num_positions
    search.whole_hand[0], search.whole_hand[1] = parts - 1, np.int64(key)
    search.memo[:parts] = 0
    search.last_play_memo[:parts] = 0
    _sort_plays(search, plays, num_plays, counts, unit_position)


@device_function
def _sort_plays(search, plays, n, counts, unit_position):
    """Store the plays that fit in the hand, sorted by lowest position."""
    lowest = np.zeros(n, np.int64)
    num_plays = np.zeros(_DOES_NOT_FIT + 1, np.int64)
    for play in range(n):
        position_or_code = np.int64(_LAST_PLAY)
        for part in range(plays.start[play], plays.start[play + 1]):
            if plays.copies[part] > counts[plays.part_unit[part]]:
                position_or_code = np.int64(_DOES_NOT_FIT)
                break
            if not plays.is_whole_hand[play]:
                position_or_code = min(position_or_code, unit_position[plays.part_unit[part]])
        lowest[play] = position_or_code
        num_plays[position_or_code] += 1
    offset = np.int64(0)
    for position_or_code in range(_DOES_NOT_FIT + 1):
        search.first_play[position_or_code] = offset
        offset += num_plays[position_or_code]
    copy_values(search.first_play, num_plays, len(num_plays))
    for play in range(n):
        if lowest[play] < _DOES_NOT_FIT:
            row = num_plays[lowest[play]]
            num_plays[lowest[play]] += 1
            key, delta = np.uint64(0), np.int64(0)
            for part in range(plays.start[play], plays.start[play + 1]):
                position = unit_position[plays.part_unit[part]]
                key += np.uint64(plays.copies[part]) << np.uint64(search.shift[position])
                delta += plays.copies[part] * search.stride[position]
            search.play_key[row], search.play_delta[row] = key, delta


@device_function
def min_plays_of_part(search, counts):
    """Return the fewest plays that empty a part of the hand.

    Args:
        search: ExactSearchState of the hand.
        counts: int64 [units], cards of each unit in the part.

    Returns:
        Number of plays; UNREACHABLE if no plays empty the part.
    """
    index, key = np.int64(0), np.uint64(0)
    for position in range(search.num_places[0]):
        count = counts[search.place_unit[position]]
        index += count * search.stride[position]
        key += np.uint64(count) << np.uint64(search.shift[position])
    return _min_plays(search, index, key)


@device_function
def min_plays_after_cards(search, unit, cards):
    """Return the fewest plays that empty the rest of the hand after some cards are played.

    Args:
        search: ExactSearchState of the hand.
        unit: int64 [kinds], unit of each kind of card.
        cards: uint8 [max_cards], cards that are played, padded with NO_CARD.

    Returns:
        Number of plays; UNREACHABLE if no plays empty the rest.
    """
    index, key = search.whole_hand[0], np.uint64(search.whole_hand[1])
    for card in cards:
        if card == NO_CARD:
            break
        position = search.unit_place[unit[card]]
        index -= search.stride[position]
        key -= np.uint64(1) << np.uint64(search.shift[position])
    return _min_plays(search, index, key)


@device_function
def _min_plays(search, index, key):
    """Return the fewest plays of a part; here, a play of a whole hand may be the last one."""
    if index == 0:
        return np.int64(0)
    first, last = search.first_play[_LAST_PLAY], search.first_play[_DOES_NOT_FIT]
    if first == last:
        return _search_parts(search, index, key)
    if search.last_play_memo[index] == 0:
        best, guard_bits = _search_parts(search, index, key), search.guard_bits[0]
        for play in range(first, last):
            if ((key | guard_bits) - search.play_key[play]) & guard_bits == guard_bits:
                rest_index = index - search.play_delta[play]
                best = min(
                    best,
                    1 + (_search_parts(search, rest_index, key - search.play_key[play]) if rest_index else np.int64(0)),
                )
        search.last_play_memo[index] = min(best, np.int64(UNREACHABLE)) + 1
    return np.int64(search.last_play_memo[index]) - 1


@device_function
def _lowest_position(shift, num_positions, key):
    """Return the first position of a key that has cards."""
    position = 0
    while position + 1 < num_positions and key & ((np.uint64(1) << np.uint64(shift[position + 1])) - np.uint64(1)) == 0:
        position += 1
    return position


@device_function
def _search_parts(search, index, key):
    """Return the fewest plays of a part without plays of whole hands; results are stored in the memo."""
    stack, memo, play_keys, play_deltas, first_play, shift, guard_bits, num_positions = (
        search.stack, search.memo, search.play_key, search.play_delta, search.first_play, search.shift,
        search.guard_bits[0], search.num_places[0],
    )  # fmt: skip
    depth = 0
    if memo[index]:
        return np.int64(memo[index]) - 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = (
        index,
        first_play[_lowest_position(shift, num_positions, key)],
        UNREACHABLE,
        np.int64(key),
    )
    while depth >= 0:
        part, part_key = stack[depth, 0], np.uint64(stack[depth, 3])
        end = first_play[_lowest_position(shift, num_positions, part_key) + 1]
        is_pushed = False
        while memo[part] == 0 and stack[depth, 1] < end:
            play = stack[depth, 1]
            rest_index = part - play_deltas[play]
            if ((part_key | guard_bits) - play_keys[play]) & guard_bits != guard_bits:
                stack[depth, 1] += 1
            elif rest_index == 0:
                stack[depth, 2], stack[depth, 1] = 1, end
            elif memo[rest_index]:
                stack[depth, 2] = min(stack[depth, 2], np.int64(memo[rest_index]))
                stack[depth, 1] += 1
            else:
                depth += 1
                rest_key = part_key - play_keys[play]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = (
                    rest_index,
                    first_play[_lowest_position(shift, num_positions, rest_key)],
                    UNREACHABLE,
                )
                stack[depth, 3] = np.int64(rest_key)
                is_pushed = True
                break
        if not is_pushed:
            if memo[part] == 0:
                memo[part] = min(UNREACHABLE, stack[depth, 2]) + 1
            depth -= 1
    return np.int64(memo[index]) - 1
