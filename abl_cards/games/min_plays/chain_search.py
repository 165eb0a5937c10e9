"""About how many plays it takes to empty a hand when nobody answers, so that it leads every time: games of one pack.

A search lays aside chains in all ways; what stays of each rank is a single, a pair, a trio or four, and a table says
how few plays those are when trios, planes and fours carry what they can. Kickers are counted, not looked at: where it
matters *which* cards go together the number can be too low, and where a group had to be broken up for the sake of
kickers it can be too high. The tests of each game say how often.

A hand is a *key*: four bits a rank, the copies of the lowest rank of thirteen in the lowest ones, then the two jokers
where there are any.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import map_ranges

RANKS, KEY_FIELDS = 13, 15
_MEMO_BITS = 18
_KEY_BITS, _VALUE_BITS = 60, 5
_MIX = 0x9E3779B97F4A7C15 & ((1 << _KEY_BITS) - 1) | 1
_UNREACHABLE = 99
_MAX_DEPTH = 64
_CARRIER_SHAPES = (3, 1), (3, 2), (4, 1), (4, 2)


class Chain(NamedTuple):
    """Equal groups of ranks in a row that carry nothing."""

    key: int
    num_trios: int  # how many, 0 for other chains


class ChainPlayTable(NamedTuple):
    """What the search reads."""

    chain: NDArray[np.uint64]  # [chains] key of each
    trio_length: NDArray[np.int64]  # [chains] length of a trio chain, 0 for other chains
    extended_plane: NDArray[
        np.int64
    ]  # [planes, lengths] the number of the planes with one more of a length; -1 where too many
    rest_plays: NDArray[
        np.uint8
    ]  # [singles, pairs, trios, bombs, rocket, planes] plays of what is no chain, planes included
    memo: NDArray[np.uint64]  # [2^18] keys asked lately and their plays


@dataclass(frozen=True)
class Carriers:
    """What may carry kickers."""

    trio_single: bool
    trio_pair: bool
    plane_singles: frozenset[int]  # lengths
    plane_pairs: frozenset[int]
    four_singles: bool
    four_pairs: bool

    @classmethod
    def from_groups(cls, carrying: Iterable[tuple[int, int, int]]) -> Carriers:
        """From the cards of each group, the groups in a row and the cards of each kicker of all that carries."""
        lengths: dict[tuple[int, int], set[int]] = {}
        for copies, length, size in carrying:
            lengths.setdefault((copies, size), set()).add(length)
        (trio_single, plane_singles), (trio_pair, plane_pairs), (four_singles, _), (four_pairs, _) = (
            (1 in found, frozenset(found - {1})) for found in (lengths.get(key, set()) for key in _CARRIER_SHAPES)
        )
        return cls(trio_single, trio_pair, plane_singles, plane_pairs, four_singles, four_pairs)


@dataclass(frozen=True)
class ChainSearchCounter:
    """Counts plays on all cores; the tables behind it are shared by the process."""

    table: ChainPlayTable

    @classmethod
    def from_chains(cls, chains: frozenset[Chain], carriers: Carriers, max_cards: int) -> ChainSearchCounter:
        """The counter of a game of hands of so many cards."""
        return cls(
            _build_table(tuple(sorted(chains, key=lambda chain: (-_size(chain.key), chain))), carriers, max_cards)
        )

    def min_plays(self, hands: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[n] the plays of hands given as keys [n]."""
        plays = np.zeros(len(hands), np.uint8)
        map_ranges(len(hands), lambda lo, hi: _count(self.table, hands, lo, hi, plays))
        return plays

    def min_plays_after(
        self, hands: NDArray[np.uint64], start: NDArray[np.int64], played: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions: hands [n], the first move of each [n + 1], cards laid down.

        All cards are given as keys.
        """
        plays = np.zeros(len(played), np.uint8)
        map_ranges(
            len(hands), lambda lo, hi: _count_after(self.table, hands, start, played, lo, hi, plays), min_size=16
        )
        return plays


def _size(key: int) -> int:
    return sum(key >> shift & 15 for shift in range(0, 4 * KEY_FIELDS, 4))


def planes_of(num_trios: int, max_length: int) -> Iterator[tuple[int, ...]]:
    """The trio chains that so many trios make at once, by their lengths up to ``max_length``; none at all too.

    >>> sorted(planes_of(5, 5))
    [(), (2,), (2, 2), (2, 3), (3,), (4,), (5,)]
    """
    yield ()
    for last in range(2, min(num_trios, max_length) + 1):
        for others in planes_of(num_trios - last, last):
            yield (*others, last)


@cache
def _build_table(chains: tuple[Chain, ...], carriers: Carriers, max_cards: int) -> ChainPlayTable:
    most = max_cards // 3
    planes = sorted(planes_of(most, most))
    numbers = {each: number for number, each in enumerate(planes)}
    plane = np.full((len(planes), most + 1), -1, np.int64)
    for number, each in enumerate(planes):
        for length in range(2, most + 1):
            plane[number, length] = numbers.get(tuple(sorted((*each, length))), -1)
    options = [_plane_options(each, carriers) for each in planes]
    starts = np.cumsum([0, *(len(each) for each in options)])
    flat = np.array([option for each in options for option in each], np.int64).reshape(-1, 2)
    rest = np.zeros((*(max_cards // size + 1 for size in (1, 2, 3, 4)), 2, len(planes)), np.uint8)
    flags = np.array([carriers.trio_single, carriers.trio_pair, carriers.four_singles, carriers.four_pairs], np.bool_)
    _fill_rest(rest, starts, flat, np.array([len(each) for each in planes]), flags)
    return ChainPlayTable(
        chain=np.array([chain.key for chain in chains], np.uint64),
        trio_length=np.array([chain.num_trios for chain in chains], np.int64),
        extended_plane=plane,
        rest_plays=rest,
        memo=np.full(1 << _MEMO_BITS, 0xFFFFFFFFFFFFFFFF, np.uint64),
    )


def _plane_options(planes: tuple[int, ...], carriers: Carriers) -> list[tuple[int, int]]:
    """How many single and pair kickers a set of planes may carry together."""
    found = {(0, 0)}
    for length in planes:
        more = {(0, 0)}
        more |= {(length, 0)} if length in carriers.plane_singles else set()
        more |= {(0, length)} if length in carriers.plane_pairs else set()
        found = {(one + a, two + b) for one, two in found for a, b in more}
    return sorted(found)


@njit(cache=True)
def _fill_rest(rest, starts, options, planes, flags):
    """Fill the table of what is no chain."""
    ones, twos, threes, fours, _, kinds = rest.shape
    for n1 in range(ones):
        for n2 in range(twos):
            for n3 in range(threes):
                for n4 in range(fours):
                    for kind in range(kinds):
                        apart = (
                            _min_rest_plays(n1, n2, n3, n4, starts[kind], starts[kind + 1], options, flags)
                            + planes[kind]
                        )
                        rest[n1, n2, n3, n4, 0, kind] = apart
                        two = (
                            _min_rest_plays(n1 + 2, n2, n3, n4, starts[kind], starts[kind + 1], options, flags)
                            + planes[kind]
                        )
                        rest[n1, n2, n3, n4, 1, kind] = min(apart + 1, two)


@njit(cache=True)
def _min_rest_plays(n1, n2, n3, n4, begin, end, options, flags):
    """The least number of plays of so many singles, pairs, trios and bombs beside planes, which are not counted."""
    best = _UNREACHABLE
    for option in range(begin, end):
        for x in range(n4 + 1 if flags[2] else 1):
            for y in range(n4 + 1 - x if flags[3] else 1):
                singles, pairs = options[option, 0] + 2 * x, options[option, 1] + 2 * y
                if pairs <= n2:
                    plays = n4 + _min_plays_with_carriers(n1, n2 - pairs, n3, singles, flags[0], flags[1])
                    best = min(best, plays)
    return best


@njit(cache=True)
def _min_plays_with_carriers(n1, n2, n3, singles, trio_single, trio_pair):
    """Plays of singles, pairs and trios when exactly so many single cards go elsewhere, and trios carry the rest."""
    if n1 + 2 * n2 + 3 * n3 < singles:
        return _UNREACHABLE
    used = min(n1, singles)
    n1, singles = n1 - used, singles - used
    used = min(n2, singles // 2)
    n2, singles = n2 - used, singles - 2 * used
    if singles and n2:  # one card of a pair: the other one stays
        n2, n1, singles = n2 - 1, n1 + 1, singles - 1
    used = min(n3, singles // 3)
    n3, singles = n3 - used, singles - 3 * used
    if singles:  # one or two cards of a trio
        n3, n1, n2 = n3 - 1, n1 + (singles == 2), n2 + (singles == 1)
    free = n3
    if trio_single:
        used = min(n1, free)
        n1, free = n1 - used, free - used
    if trio_pair:
        used = min(n2, free)
        n2, free = n2 - used, free - used
    # Three trios that carry nothing: one of them goes with the other two, as a pair and a single.
    while trio_single and trio_pair and free >= 3:
        n3, free = n3 - 1, free - 3
    return n1 + n2 + n3


@njit(cache=True, nogil=True)
def _min_leaf_plays(table, key, planes):
    """Plays of what is left when no more chains are laid aside."""
    n1, n2, n3, n4 = 0, 0, 0, 0
    for rank in range(RANKS):
        count = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))
        n1 += count == 1
        n2 += count == 2
        n3 += count == 3
        n4 += count == 4
    jokers = np.int64(key >> np.uint64(4 * RANKS))
    rocket = 1 if jokers == 17 else 0
    if jokers == 1 or jokers == 16:
        n1 += 1
    return np.int64(table.rest_plays[n1, n2, n3, n4, rocket, planes])


_GUARD_BITS = np.uint64(sum(8 << 4 * rank for rank in range(KEY_FIELDS)))


@njit(cache=True, nogil=True)
def _search_min_plays(table, key, scratch):
    """The least number of plays of a key: chains are laid aside in the order of the table, each again and again."""
    chain, trios, plane = table.chain, table.trio_length, table.extended_plane
    fit = np.int64(0)
    usable = scratch[0]
    for number in range(len(chain)):
        if ((key | _GUARD_BITS) - chain[number]) & _GUARD_BITS == _GUARD_BITS:
            usable[fit] = number
            fit += 1
    best = _min_leaf_plays(table, key, np.int64(0))
    depth, stack = np.int64(0), scratch[1]
    keys = scratch[2].view(np.uint64)
    kinds, counts = scratch[3], scratch[4]
    stack[0], keys[0], kinds[0], counts[0] = 0, key, 0, 0
    while depth >= 0:
        at = stack[depth]
        if at == fit or counts[depth] + 2 > best:
            depth -= 1
            continue
        stack[depth] = at + 1
        number = usable[at]
        if ((keys[depth] | _GUARD_BITS) - chain[number]) & _GUARD_BITS != _GUARD_BITS:
            continue
        kind = kinds[depth]
        if trios[number]:
            kind = plane[kind, trios[number]]
            if kind < 0:
                continue
        depth += 1
        stack[depth], keys[depth], kinds[depth] = at, keys[depth - 1] - chain[number], kind
        # Planes are counted in the table of the rest.
        counts[depth] = counts[depth - 1] + (0 if trios[number] else 1)
        best = min(best, counts[depth] + _min_leaf_plays(table, keys[depth], kind))
    return best


@njit(cache=True, nogil=True)
def _new_chain_scratch(table):
    """Scratch paper: chains that fit, and a stack no deeper than a hand has cards."""
    return np.zeros((5, max(_MAX_DEPTH, len(table.chain))), np.int64)


@njit(cache=True, nogil=True, inline="always")
def _cached_min_plays(table, key, scratch):
    """The plays of a key, from memory where it was asked lately."""
    mixed = (key * np.uint64(_MIX)) & np.uint64((1 << _KEY_BITS) - 1)
    place = mixed >> np.uint64(_KEY_BITS - _MEMO_BITS)
    tag = mixed & np.uint64((1 << (_KEY_BITS - _MEMO_BITS)) - 1)
    entry = table.memo[place]
    if entry >> np.uint64(_VALUE_BITS) != tag:
        entry = (tag << np.uint64(_VALUE_BITS)) | np.uint64(_search_min_plays(table, key, scratch))
        table.memo[place] = entry
    return entry & np.uint64((1 << _VALUE_BITS) - 1)


@njit(cache=True, nogil=True)
def _count(table, hands, lo, hi, plays):
    room = _new_chain_scratch(table)
    for i in range(lo, hi):
        plays[i] = _cached_min_plays(table, hands[i], room)


@njit(cache=True, nogil=True)
def _count_after(table, hands, start, played, lo, hi, plays):
    room = _new_chain_scratch(table)
    for i in range(lo, hi):
        for move in range(start[i], start[i + 1]):
            plays[move] = _cached_min_plays(table, hands[i] - played[move], room)
