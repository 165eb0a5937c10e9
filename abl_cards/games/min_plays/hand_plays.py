"""The plays that a hand holds, with cards that no play tells apart counted together.

The cards of a hand fall into *units*: two kinds are of one unit where exchanging a card of one for a card of the other
makes every play of the hand another play of it. So suits count as far as they matter in this hand, and no further.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.types import NO_CARD

KIND_HASHES = np.random.default_rng(14).integers(1, 1 << 63, 512).astype(np.uint64)
"""A play's hash is the sum of the numbers of its cards, so an exchange of cards is a difference."""
_WHOLE_HAND_HASH = np.uint64(0x9E3779B97F4A7C15)  # is added where a play is the whole hand only


class HandPlays(NamedTuple):
    """Distinct plays, each as a row of *parts*: so many cards of a kind, or later of a unit."""

    start: NDArray[np.int64]  # [plays + 1] the parts of each play
    part_unit: NDArray[np.int64]  # [parts] the kind or unit, each once a play
    copies: NDArray[np.int64]  # [parts] its cards
    is_whole_hand: NDArray[np.bool_]  # [plays] whether it is played as a whole hand only
    hash: NDArray[np.uint64]  # [plays]
    hash_table: NDArray[np.int64]  # [2^n] the plays by their hashes, NONE for no play


NONE = -1


@njit(cache=True, nogil=True)
def new_hand_plays(max_plays, max_parts):
    """Room for so many plays of so many parts in all."""
    size = 16
    while size < 2 * max_plays:
        size *= 2
    return HandPlays(
        np.zeros(max_plays + 1, np.int64), np.zeros(max_parts, np.int64), np.zeros(max_parts, np.int64),
        np.zeros(max_plays, np.bool_), np.zeros(max_plays, np.uint64), np.full(size, NONE, np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def find_hash(table, hashes, code):
    """Where a hash is, or would be, in a table of hashes."""
    mask = np.uint64(len(table) - 1)
    place = (code ^ (code >> np.uint64(31))) & mask
    while table[place] != NONE and hashes[table[place]] != code:
        place = (place + np.uint64(1)) & mask
    return place


@njit(cache=True, nogil=True)
def distinct_plays(hand, unit, cards, begin, end, whole, whole_begin, whole_end):
    """The distinct plays among the card sets lo..hi-1, and among the whole hands; how many there are.

    They are so many cards of units, of which each kind of cards [kinds] is one.
    """
    held = np.int64(hand.sum())
    most = end - begin + whole_end - whole_begin
    plays, counts = new_hand_plays(most, most * min(held, cards.shape[1])), np.zeros(unit.max() + 1, np.int64)
    n = np.int64(0)
    for row in range(begin, end):
        n = _add_play(plays, n, unit, cards[row], counts, False)
    for row in range(whole_begin, whole_end):
        n = _add_play(plays, n, unit, whole[row], counts, True)
    return plays, n


@njit(cache=True, nogil=True)
def _add_play(plays, n, unit, cards, counts, alone):
    """Add a play of these cards unless it is there; counts [units] is zero before and after."""
    code = _WHOLE_HAND_HASH if alone else np.uint64(0)
    for card in cards:
        if card == NO_CARD:
            break
        code += KIND_HASHES[unit[card]]
        counts[unit[card]] += 1
    new = code != (_WHOLE_HAND_HASH if alone else np.uint64(0))
    if new and alone:
        new = plays.hash_table[find_hash(plays.hash_table, plays.hash, code - _WHOLE_HAND_HASH)] == NONE
    place = find_hash(plays.hash_table, plays.hash, code)
    new = new and plays.hash_table[place] == NONE
    at = plays.start[n]
    for card in cards:
        if card == NO_CARD:
            break
        each = unit[card]
        if counts[each] and new:
            plays.part_unit[at], plays.copies[at] = each, counts[each]
            at += 1
        counts[each] = 0
    if not new:
        return n
    plays.is_whole_hand[n], plays.hash[n], plays.hash_table[place], plays.start[n + 1] = alone, code, n, at
    return n + 1


@njit(cache=True, nogil=True)
def find_units(hand, plays, num_plays):
    """[kinds] the unit of each kind that is held, NONE for others; the plays are so many cards of kinds."""
    held = np.flatnonzero(hand)
    place = np.full(len(hand), NONE, np.int64)
    place[held] = np.arange(len(held))
    apart = np.zeros((len(held), len(held)), np.bool_)
    mine = np.zeros(len(held), np.int64)
    for play in range(num_plays):
        for part in range(plays.start[play], plays.start[play + 1]):
            mine[place[plays.part_unit[part]]] = plays.copies[part]
        for part in range(plays.start[play], plays.start[play + 1]):
            one = place[plays.part_unit[part]]
            for other in range(len(held)):
                if other != one and not apart[one, other] and mine[other] < hand[held[other]]:
                    code = plays.hash[play] - KIND_HASHES[held[one]] + KIND_HASHES[held[other]]
                    if not _has_play(plays, play, code):
                        apart[one, other] = apart[other, one] = True
        for part in range(plays.start[play], plays.start[play + 1]):
            mine[place[plays.part_unit[part]]] = 0
    return _join_units(len(hand), held, apart)


@njit(cache=True, nogil=True, inline="always")
def _has_play(plays, play, code):
    """Whether a play of this hash is there; instead of a whole hand one that may leave cards does as well."""
    if plays.hash_table[find_hash(plays.hash_table, plays.hash, code)] != NONE:
        return True
    return (
        plays.is_whole_hand[play]
        and plays.hash_table[find_hash(plays.hash_table, plays.hash, code - _WHOLE_HAND_HASH)] != NONE
    )


@njit(cache=True, nogil=True)
def _join_units(kinds, held, apart):
    unit, units = np.full(kinds, NONE, np.int64), np.int64(0)
    for one in range(len(held)):
        for other in range(one):
            if not apart[one, other]:
                unit[held[one]] = unit[held[other]]
                break
        if unit[held[one]] == NONE:
            unit[held[one]] = units
            units += 1
    return unit


@njit(cache=True, nogil=True)
def plays_by_unit(plays, num_plays, unit):
    """The same plays as so many cards of units, equal ones once; and how many they are."""
    found, counts = new_hand_plays(num_plays, plays.start[num_plays]), np.zeros(unit.max() + 1, np.int64)
    m = np.int64(0)
    for alone in (False, True):
        for play in range(num_plays):
            if plays.is_whole_hand[play] == alone:
                m = _add_unit_play(found, m, plays, play, unit, counts)
    return found, m


@njit(cache=True, nogil=True)
def _add_unit_play(found, m, plays, play, unit, counts):
    at, code = found.start[m], np.uint64(0)
    for part in range(plays.start[play], plays.start[play + 1]):
        each = unit[plays.part_unit[part]]
        if counts[each] == 0:
            found.part_unit[at] = each
            at += 1
        counts[each] += plays.copies[part]
        code += KIND_HASHES[each] * np.uint64(plays.copies[part])
    place = find_hash(found.hash_table, found.hash, code)
    new = found.hash_table[place] == NONE
    for part in range(found.start[m], at):
        found.copies[part] = counts[found.part_unit[part]]
        counts[found.part_unit[part]] = 0
    if not new:
        return m
    found.is_whole_hand[m], found.hash[m], found.hash_table[place], found.start[m + 1] = (
        plays.is_whole_hand[play],
        code,
        m,
        at,
    )
    return m + 1
