"""Approximate number of plays that empty a hand which leads every time, in games of one pack with chains and kickers.

The search removes chains in all combinations. The rest of each rank is a single, a pair, a trio or four, and a table
gives the fewest plays of these when trios, planes and fours carry as many kickers as they can. Kickers are counted, not
chosen: the result can be too low where it matters *which* cards go together, and too high where a group would have to
be broken up for kickers. The tests of each game measure how often.

A hand is a *key*: four bits for each of thirteen ranks, the lowest rank first, then the two jokers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel, map_ranges

RANKS, KEY_FIELDS = 13, 15
_MEMO_BITS = 18
_KEY_BITS, _VALUE_BITS = 60, 5
_MIX = 0x9E3779B97F4A7C15 & ((1 << _KEY_BITS) - 1) | 1
_UNREACHABLE = 99
_MAX_DEPTH = 64
_CARRIER_SHAPES = (3, 1), (3, 2), (4, 1), (4, 2)


class Chain(NamedTuple):
    """Groups of equal size in consecutive ranks, without kickers."""

    key: int  # cards of the chain
    num_trios: int  # number of trios, 0 for other chains


class ChainPlayTable(NamedTuple):
    """Tables that the search reads; a set of planes (chains of trios) is given by its index."""

    chain: NDArray[np.uint64]  # [chains] key of each chain
    trio_length: NDArray[np.int64]  # [chains] length of a chain of trios, 0 for other chains
    # [sets of planes, lengths] index of the set with one more plane of a length; -1 if that takes too many cards
    extended_plane: NDArray[np.int64]
    # [singles, pairs, trios, bombs, rocket, sets of planes] plays of the cards in no chain, and of the planes
    rest_plays: NDArray[np.uint8]
    memo: NDArray[np.uint64]  # [2^18] cache of keys and their plays


@dataclass(frozen=True)
class Carriers:
    """Groups that may carry kickers."""

    trio_single: bool  # a trio with one single card
    trio_pair: bool  # a trio with a pair
    plane_singles: frozenset[int]  # lengths of planes with a single card for each trio
    plane_pairs: frozenset[int]  # lengths of planes with a pair for each trio
    four_singles: bool  # four equal cards with two single cards
    four_pairs: bool  # four equal cards with two pairs

    @classmethod
    def from_groups(cls, carrying: Iterable[tuple[int, int, int]]) -> Carriers:
        """Make the carriers from all forms with kickers.

        Args:
            carrying: Cards of each group, number of groups, and cards of each kicker, for each form.
        """
        lengths: dict[tuple[int, int], set[int]] = {}
        for copies, length, size in carrying:
            lengths.setdefault((copies, size), set()).add(length)
        (trio_single, plane_singles), (trio_pair, plane_pairs), (four_singles, _), (four_pairs, _) = (
            (1 in form_lengths, frozenset(form_lengths - {1}))
            for form_lengths in (lengths.get(key, set()) for key in _CARRIER_SHAPES)
        )
        return cls(trio_single, trio_pair, plane_singles, plane_pairs, four_singles, four_pairs)


@dataclass(frozen=True)
class ChainSearchCounter:
    """Counter of plays of hands given as keys, on all cores; equal games of a process share its tables."""

    table: ChainPlayTable

    @classmethod
    def from_chains(cls, chains: frozenset[Chain], carriers: Carriers, max_cards: int) -> ChainSearchCounter:
        """Make the counter of a game.

        Args:
            chains: Chains without kickers.
            carriers: Groups that may carry kickers.
            max_cards: Maximum number of cards of a hand.
        """
        return cls(
            _build_table(tuple(sorted(chains, key=lambda chain: (-_size(chain.key), chain))), carriers, max_cards)
        )

    def min_plays(self, hands: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Count the plays that empty each hand.

        Args:
            hands: uint64 [n], keys of hands.

        Returns:
            uint8 [n].
        """
        plays = np.zeros(len(hands), np.uint8)
        map_ranges(len(hands), lambda lo, hi: _count(self.table, hands, lo, hi, plays))
        return plays

    def min_plays_after(
        self, hands: NDArray[np.uint64], start: NDArray[np.int64], played: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """Count the plays that empty the rest of a hand after each move.

        Args:
            hands: uint64 [n], keys of hands.
            start: int64 [n + 1], offsets of the moves of each hand.
            played: uint64 [moves], keys of the cards of each move.

        Returns:
            uint8 [moves].
        """
        plays = np.zeros(len(played), np.uint8)
        map_ranges(
            len(hands), lambda lo, hi: _count_after(self.table, hands, start, played, lo, hi, plays), min_size=16
        )
        return plays


def _size(key: int) -> int:
    return sum(key >> shift & 15 for shift in range(0, 4 * KEY_FIELDS, 4))


def planes_of(num_trios: int, max_length: int) -> Iterator[tuple[int, ...]]:
    """Generate the sets of planes that a number of trios can form together, including the empty set.

    Args:
        num_trios: Number of trios.
        max_length: Maximum length of a plane.

    Yields:
        Lengths of the planes in ascending order.

    >>> sorted(planes_of(5, 5))
    [(), (2,), (2, 2), (2, 3), (3,), (4,), (5,)]
    """
    yield ()
    for last in range(2, min(num_trios, max_length) + 1):
        for others in planes_of(num_trios - last, last):
            yield (*others, last)


@cache
def _build_table(chains: tuple[Chain, ...], carriers: Carriers, max_cards: int) -> ChainPlayTable:
    max_trios = max_cards // 3
    plane_sets = sorted(planes_of(max_trios, max_trios))
    index_of = {planes: index for index, planes in enumerate(plane_sets)}
    extended_plane = np.full((len(plane_sets), max_trios + 1), -1, np.int64)
    for index, planes in enumerate(plane_sets):
        for length in range(2, max_trios + 1):
            extended_plane[index, length] = index_of.get(tuple(sorted((*planes, length))), -1)
    options = [_plane_options(planes, carriers) for planes in plane_sets]
    starts = np.cumsum([0, *(len(planes) for planes in options)])
    flat = np.array([option for planes in options for option in planes], np.int64).reshape(-1, 2)
    rest_plays = np.zeros((*(max_cards // size + 1 for size in (1, 2, 3, 4)), 2, len(plane_sets)), np.uint8)
    flags = np.array([carriers.trio_single, carriers.trio_pair, carriers.four_singles, carriers.four_pairs], np.bool_)
    _fill_rest(rest_plays, starts, flat, np.array([len(planes) for planes in plane_sets]), flags)
    return ChainPlayTable(
        chain=np.array([chain.key for chain in chains], np.uint64),
        trio_length=np.array([chain.num_trios for chain in chains], np.int64),
        extended_plane=extended_plane,
        rest_plays=rest_plays,
        memo=np.full(1 << _MEMO_BITS, 0xFFFFFFFFFFFFFFFF, np.uint64),
    )


def _plane_options(planes: tuple[int, ...], carriers: Carriers) -> list[tuple[int, int]]:
    """Return the numbers of single kickers and of pair kickers that a set of planes may carry together."""
    totals = {(0, 0)}
    for length in planes:
        options = {(0, 0)}
        options |= {(length, 0)} if length in carriers.plane_singles else set()
        options |= {(0, length)} if length in carriers.plane_pairs else set()
        totals = {(one + a, two + b) for one, two in totals for a, b in options}
    return sorted(totals)


@kernel
def _fill_rest(rest_plays, starts, options, planes, flags):
    """Fill the table of plays of the cards in no chain; planes [sets] are the numbers of planes."""
    ones, twos, threes, fours, _, num_plane_sets = rest_plays.shape
    for n1 in range(ones):
        for n2 in range(twos):
            for n3 in range(threes):
                for n4 in range(fours):
                    for plane_set in range(num_plane_sets):
                        separate = (
                            _min_rest_plays(n1, n2, n3, n4, starts[plane_set], starts[plane_set + 1], options, flags)
                            + planes[plane_set]
                        )
                        rest_plays[n1, n2, n3, n4, 0, plane_set] = separate
                        as_singles = (
                            _min_rest_plays(
                                n1 + 2, n2, n3, n4, starts[plane_set], starts[plane_set + 1], options, flags
                            )
                            + planes[plane_set]
                        )
                        rest_plays[n1, n2, n3, n4, 1, plane_set] = min(separate + 1, as_singles)


@device_function
def _min_rest_plays(n1, n2, n3, n4, begin, end, options, flags):
    """Return the fewest plays of singles, pairs, trios and bombs next to planes, which are not counted."""
    best = _UNREACHABLE
    for option in range(begin, end):
        for x in range(n4 + 1 if flags[2] else 1):
            for y in range(n4 + 1 - x if flags[3] else 1):
                singles, pairs = options[option, 0] + 2 * x, options[option, 1] + 2 * y
                if pairs <= n2:
                    plays = n4 + _min_plays_with_carriers(n1, n2 - pairs, n3, singles, flags[0], flags[1])
                    best = min(best, plays)
    return best


@device_function
def _min_plays_with_carriers(n1, n2, n3, singles, trio_single, trio_pair):
    """Count the plays of singles, pairs and trios if ``singles`` cards are kickers elsewhere; trios carry others."""
    if n1 + 2 * n2 + 3 * n3 < singles:
        return _UNREACHABLE
    used = min(n1, singles)
    n1, singles = n1 - used, singles - used
    used = min(n2, singles // 2)
    n2, singles = n2 - used, singles - 2 * used
    if singles and n2:  # one card of a pair; the other one remains
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
    # Of three trios without kickers, one is split into the kickers of the other two: a pair and a single.
    while trio_single and trio_pair and free >= 3:
        n3, free = n3 - 1, free - 3
    return n1 + n2 + n3


@device_function
def _min_leaf_plays(table, key, planes):
    """Return the plays of the rest when no more chains are removed."""
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


@device_function
def _search_min_plays(table, key, scratch):
    """Return the fewest plays of a key; chains are removed in the order of the table, each any number of times."""
    chain, trio_length, extended_plane = table.chain, table.trio_length, table.extended_plane
    num_usable = np.int64(0)
    usable = scratch[0]
    for chain_index in range(len(chain)):
        if ((key | _GUARD_BITS) - chain[chain_index]) & _GUARD_BITS == _GUARD_BITS:
            usable[num_usable] = chain_index
            num_usable += 1
    best = _min_leaf_plays(table, key, np.int64(0))
    depth, stack = np.int64(0), scratch[1]
    keys = scratch[2].view(np.uint64)
    plane_sets, counts = scratch[3], scratch[4]
    stack[0], keys[0], plane_sets[0], counts[0] = 0, key, 0, 0
    while depth >= 0:
        position = stack[depth]
        if position == num_usable or counts[depth] + 2 > best:
            depth -= 1
            continue
        stack[depth] = position + 1
        chain_index = usable[position]
        if ((keys[depth] | _GUARD_BITS) - chain[chain_index]) & _GUARD_BITS != _GUARD_BITS:
            continue
        plane_set = plane_sets[depth]
        if trio_length[chain_index]:
            plane_set = extended_plane[plane_set, trio_length[chain_index]]
            if plane_set < 0:
                continue
        depth += 1
        stack[depth], keys[depth], plane_sets[depth] = position, keys[depth - 1] - chain[chain_index], plane_set
        # Planes are counted by rest_plays.
        counts[depth] = counts[depth - 1] + (0 if trio_length[chain_index] else 1)
        best = min(best, counts[depth] + _min_leaf_plays(table, keys[depth], plane_set))
    return best


@device_function
def _new_chain_scratch(table):
    """Allocate scratch arrays: chains that fit, and a stack; its depth is at most the number of cards of a hand."""
    return np.zeros((5, max(_MAX_DEPTH, len(table.chain))), np.int64)


@device_function
def _cached_min_plays(table, key, scratch):
    """Return the plays of a key, from the cache if it is stored there."""
    mixed = (key * np.uint64(_MIX)) & np.uint64((1 << _KEY_BITS) - 1)
    slot = mixed >> np.uint64(_KEY_BITS - _MEMO_BITS)
    tag = mixed & np.uint64((1 << (_KEY_BITS - _MEMO_BITS)) - 1)
    entry = table.memo[slot]
    if entry >> np.uint64(_VALUE_BITS) != tag:
        entry = (tag << np.uint64(_VALUE_BITS)) | np.uint64(_search_min_plays(table, key, scratch))
        table.memo[slot] = entry
    return entry & np.uint64((1 << _VALUE_BITS) - 1)


@kernel
def _count(table, hands, lo, hi, plays):
    scratch = _new_chain_scratch(table)
    for i in range(lo, hi):
        plays[i] = _cached_min_plays(table, hands[i], scratch)


@kernel
def _count_after(table, hands, start, played, lo, hi, plays):
    scratch = _new_chain_scratch(table)
    for i in range(lo, hi):
        for move in range(start[i], start[i + 1]):
            plays[move] = _cached_min_plays(table, hands[i] - played[move], scratch)
