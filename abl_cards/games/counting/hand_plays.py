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

from abl_cards.games.tables import NO_CARD

SALT = np.random.default_rng(14).integers(1, 1 << 63, 512).astype(np.uint64)
"""A play's hash is the sum of the numbers of its cards, so an exchange of cards is a difference."""
_ALONE = np.uint64(0x9E3779B97F4A7C15)  # is added where a play is the whole hand only


class Plays(NamedTuple):
    """Distinct plays, each as a row of *parts*: so many cards of a kind, or later of a unit."""

    start: NDArray[np.int64]  # [plays + 1] the parts of each play
    what: NDArray[np.int64]  # [parts] the kind or unit, each once a play
    copies: NDArray[np.int64]  # [parts] its cards
    alone: NDArray[np.bool_]  # [plays] whether it is played as a whole hand only
    hash: NDArray[np.uint64]  # [plays]
    table: NDArray[np.int64]  # [2^n] the plays by their hashes, NONE for no play


NONE = -1


@njit(cache=True, nogil=True)
def new_plays(most, parts):
    """Room for so many plays of so many parts in all."""
    size = 16
    while size < 2 * most:
        size *= 2
    return Plays(
        np.zeros(most + 1, np.int64), np.zeros(parts, np.int64), np.zeros(parts, np.int64), np.zeros(most, np.bool_),
        np.zeros(most, np.uint64), np.full(size, NONE, np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def find(table, hashes, code):
    """Where a hash is, or would be, in a table of hashes."""
    mask = np.uint64(len(table) - 1)
    place = (code ^ (code >> np.uint64(31))) & mask
    while table[place] != NONE and hashes[table[place]] != code:
        place = (place + np.uint64(1)) & mask
    return place


@njit(cache=True, nogil=True)
def plays_of(hand, unit, cards, lo, hi, whole, whole_lo, whole_hi):
    """The distinct plays among the card sets lo..hi-1, and among the whole hands; how many there are.

    They are so many cards of units, of which each kind of cards [kinds] is one.
    """
    held = np.int64(hand.sum())
    most = hi - lo + whole_hi - whole_lo
    plays, counts = new_plays(most, most * min(held, cards.shape[1])), np.zeros(unit.max() + 1, np.int64)
    n = np.int64(0)
    for row in range(lo, hi):
        n = _add(plays, n, unit, cards[row], counts, False)
    for row in range(whole_lo, whole_hi):
        n = _add(plays, n, unit, whole[row], counts, True)
    return plays, n


@njit(cache=True, nogil=True)
def _add(plays, n, unit, cards, counts, alone):
    """Add a play of these cards unless it is there; counts [units] is zero before and after."""
    code = _ALONE if alone else np.uint64(0)
    for card in cards:
        if card == NO_CARD:
            break
        code += SALT[unit[card]]
        counts[unit[card]] += 1
    new = code != (_ALONE if alone else np.uint64(0))
    if new and alone:
        new = plays.table[find(plays.table, plays.hash, code - _ALONE)] == NONE
    place = find(plays.table, plays.hash, code)
    new = new and plays.table[place] == NONE
    at = plays.start[n]
    for card in cards:
        if card == NO_CARD:
            break
        each = unit[card]
        if counts[each] and new:
            plays.what[at], plays.copies[at] = each, counts[each]
            at += 1
        counts[each] = 0
    if not new:
        return n
    plays.alone[n], plays.hash[n], plays.table[place], plays.start[n + 1] = alone, code, n, at
    return n + 1


@njit(cache=True, nogil=True)
def units_of(hand, plays, n):
    """[kinds] the unit of each kind that is held, NONE for others; the plays are so many cards of kinds."""
    held = np.flatnonzero(hand)
    place = np.full(len(hand), NONE, np.int64)
    place[held] = np.arange(len(held))
    apart = np.zeros((len(held), len(held)), np.bool_)
    mine = np.zeros(len(held), np.int64)
    for play in range(n):
        for part in range(plays.start[play], plays.start[play + 1]):
            mine[place[plays.what[part]]] = plays.copies[part]
        for part in range(plays.start[play], plays.start[play + 1]):
            one = place[plays.what[part]]
            for other in range(len(held)):
                if other != one and not apart[one, other] and mine[other] < hand[held[other]]:
                    code = plays.hash[play] - SALT[held[one]] + SALT[held[other]]
                    if not _there(plays, play, code):
                        apart[one, other] = apart[other, one] = True
        for part in range(plays.start[play], plays.start[play + 1]):
            mine[place[plays.what[part]]] = 0
    return _joined(len(hand), held, apart)


@njit(cache=True, nogil=True, inline="always")
def _there(plays, play, code):
    """Whether a play of this hash is there; instead of a whole hand one that may leave cards does as well."""
    if plays.table[find(plays.table, plays.hash, code)] != NONE:
        return True
    return plays.alone[play] and plays.table[find(plays.table, plays.hash, code - _ALONE)] != NONE


@njit(cache=True, nogil=True)
def _joined(kinds, held, apart):
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
def by_units(plays, n, unit):
    """The same plays as so many cards of units, equal ones once; and how many they are."""
    found, counts = new_plays(n, plays.start[n]), np.zeros(unit.max() + 1, np.int64)
    m = np.int64(0)
    for alone in (False, True):
        for play in range(n):
            if plays.alone[play] == alone:
                m = _add_merged(found, m, plays, play, unit, counts)
    return found, m


@njit(cache=True, nogil=True)
def _add_merged(found, m, plays, play, unit, counts):
    at, code = found.start[m], np.uint64(0)
    for part in range(plays.start[play], plays.start[play + 1]):
        each = unit[plays.what[part]]
        if counts[each] == 0:
            found.what[at] = each
            at += 1
        counts[each] += plays.copies[part]
        code += SALT[each] * np.uint64(plays.copies[part])
    place = find(found.table, found.hash, code)
    new = found.table[place] == NONE
    for part in range(found.start[m], at):
        found.copies[part] = counts[found.what[part]]
        counts[found.what[part]] = 0
    if not new:
        return m
    found.alone[m], found.hash[m], found.table[place], found.start[m + 1] = plays.alone[play], code, m, at
    return m + 1
