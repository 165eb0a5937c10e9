"""``plays_left``: about how many plays it takes to empty a hand when nobody answers, so that it leads every time.

The plays are the forms that labels.lp declares. A search lays aside chains in all ways; what stays of each rank is a
single, a pair, a trio or a bomb, and a table says how few plays those are when trios, planes and fours carry what they
can. Kickers are counted, not looked at: where it matters *which* cards a source lets go together (both jokers, three
equal ones, a leftover of the chain's own rank) the number can be too low, and where a group had to be broken up for the
sake of kickers it can be too high. ``tests/games/doudizhu/test_plays.py`` says how often.

>>> from abl_cards.games.doudizhu.rulebook import rules_of
>>> from abl_cards.games.doudizhu.wire import read_hand
>>> counter = PlayCounter.of(rules_of())
>>> counter.plays_left(np.array([read_hand("34567"), read_hand("33344456"), read_hand("3579XD")], np.uint64)).tolist()
[1, 1, 5]
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import key_of_row
from abl_cards.games.doudizhu.knowledge import RANKS
from abl_cards.games.doudizhu.rulebook import Rules
from abl_cards.games.doudizhu.shapes import COUNT, Shape, key_of
from abl_cards.games.game import MoveLists
from abl_cards.parallel import each_share

_MEMO_BITS = 18
_KEY_BITS, _VALUE_BITS = 60, 5
_MIX = 0x9E3779B97F4A7C15 & ((1 << _KEY_BITS) - 1) | 1
_PLANES = ((), (2,), (3,), (4,), (5,), (6,), (2, 2), (2, 3), (2, 4), (3, 3), (2, 2, 2))
"""The trio chains that a hand of 20 cards can hold at once, by their lengths."""
_SIZES = (21, 11, 7, 6, 2, len(_PLANES))
_FAR = 99


class PlayTable(NamedTuple):
    """What the search reads."""

    chain: NDArray[np.uint64]  # [chains] key of each
    trios: NDArray[np.int64]  # [chains] length of a trio chain, 0 for other chains
    plane: NDArray[np.int64]  # [planes, 7] the number of the planes with one more of a length; -1 where too many
    rest: NDArray[np.uint8]  # [singles, pairs, trios, bombs, rocket, planes] plays of what is no chain, planes included
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


@dataclass(frozen=True)
class PlayCounter:
    """Counts plays under one knowledge base, on all cores; the tables behind it are shared by the process."""

    table: PlayTable

    @classmethod
    def of(cls, rules: Rules) -> PlayCounter:
        """The counter of a knowledge base."""
        shapes = tuple(shape for shape in rules.shapes.shapes if shape.kind is not None)
        return cls(_table(tuple(chains_of(shapes)), carriers_of(shapes)))

    def plays_left(self, hands: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[n] the plays of hands given as keys [n]."""
        plays = np.zeros(len(hands), np.uint8)
        each_share(len(hands), lambda lo, hi: _count(self.table, hands, lo, hi, plays))
        return plays

    def plays_left_after(self, hands: NDArray[np.uint64], moves: MoveLists) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions with these hands [n]."""
        plays = np.zeros(len(moves.form), np.uint8)
        each_share(
            len(hands),
            lambda lo, hi: _count_after(self.table, hands, moves.start, moves.cards, lo, hi, plays),
            least=16,
        )
        return plays


def chains_of(shapes: tuple[Shape, ...]) -> list[tuple[int, int]]:
    """Key and trio length of every chain that carries nothing, the long ones first."""
    found = [
        (key_of([rank for rank, count in shape.main for _ in range(count)]), len(shape.main) * (shape.main[0][1] == 3))
        for shape in shapes
        if len(shape.main) > 1 and not shape.kickers and shape.main[0][0] in RANKS
    ]
    return sorted(found, key=lambda chain: (-_size(chain[0]), chain))


def carriers_of(shapes: tuple[Shape, ...]) -> Carriers:
    """What carries kickers among some shapes."""
    by_copies: dict[tuple[int, int], set[int]] = {}
    for shape in shapes:
        if shape.kickers:
            by_copies.setdefault((shape.main[0][1], shape.kicker_size), set()).add(len(shape.main))
    lengths = {key: frozenset(found) for key, found in by_copies.items()}
    none: frozenset[int] = frozenset()
    return Carriers(
        1 in lengths.get((3, 1), none), 1 in lengths.get((3, 2), none), lengths.get((3, 1), none) - {1},
        lengths.get((3, 2), none) - {1}, 1 in lengths.get((4, 1), none), 1 in lengths.get((4, 2), none),
    )  # fmt: skip


def _size(key: int) -> int:
    return sum(key >> shift & 15 for shift in range(0, 4 * COUNT, 4))


@cache
def _table(chains: tuple[tuple[int, int], ...], carriers: Carriers) -> PlayTable:
    lengths = {in_order(planes): number for number, planes in enumerate(_PLANES)}
    plane = np.full((len(_PLANES), 7), -1, np.int64)
    for number, planes in enumerate(_PLANES):
        for length in range(2, 7):
            plane[number, length] = lengths.get(in_order((*planes, length)), -1)
    options = _plane_options(carriers)
    starts = np.cumsum([0, *(len(each) for each in options)])
    flat = np.array([option for each in options for option in each], np.int64).reshape(-1, 2)
    rest = np.zeros(_SIZES, np.uint8)
    flags = np.array([carriers.trio_single, carriers.trio_pair, carriers.four_singles, carriers.four_pairs], np.bool_)
    _fill_rest(rest, starts, flat, np.array([len(planes) for planes in _PLANES]), flags)
    return PlayTable(
        chain=np.array([key for key, _ in chains], np.uint64),
        trios=np.array([length for _, length in chains], np.int64),
        plane=plane,
        rest=rest,
        memo=np.full(1 << _MEMO_BITS, 0xFFFFFFFFFFFFFFFF, np.uint64),
    )


def in_order(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Lengths in order: the same planes in any order are the same."""
    return tuple(sorted(lengths))


def _plane_options(carriers: Carriers) -> list[list[tuple[int, int]]]:
    """For each set of planes: how many single and pair kickers they may carry together."""
    every = []
    for planes in _PLANES:
        found = {(0, 0)}
        for length in planes:
            more = {(0, 0)}
            more |= {(length, 0)} if length in carriers.plane_singles else set()
            more |= {(0, length)} if length in carriers.plane_pairs else set()
            found = {(one + a, two + b) for one, two in found for a, b in more}
        every.append(sorted(found))
    return every


@njit(cache=True)
def _fill_rest(rest, starts, options, planes, flags):
    """Fill the table of what is no chain."""
    ones, twos, threes, fours, _, kinds = rest.shape
    for n1 in range(ones):
        for n2 in range(twos):
            for n3 in range(threes):
                for n4 in range(fours):
                    for kind in range(kinds):
                        apart = _rest(n1, n2, n3, n4, starts[kind], starts[kind + 1], options, flags) + planes[kind]
                        rest[n1, n2, n3, n4, 0, kind] = apart
                        two = _rest(n1 + 2, n2, n3, n4, starts[kind], starts[kind + 1], options, flags) + planes[kind]
                        rest[n1, n2, n3, n4, 1, kind] = min(apart + 1, two)


@njit(cache=True)
def _rest(n1, n2, n3, n4, begin, end, options, flags):
    """The least number of plays of so many singles, pairs, trios and bombs beside planes, which are not counted."""
    best = _FAR
    for option in range(begin, end):
        for x in range(n4 + 1 if flags[2] else 1):
            for y in range(n4 + 1 - x if flags[3] else 1):
                singles, pairs = options[option, 0] + 2 * x, options[option, 1] + 2 * y
                if pairs <= n2:
                    plays = n4 + _carried(n1, n2 - pairs, n3, singles, flags[0], flags[1])
                    best = min(best, plays)
    return best


@njit(cache=True)
def _carried(n1, n2, n3, singles, trio_single, trio_pair):
    """Plays of singles, pairs and trios when exactly so many single cards go elsewhere, and trios carry the rest."""
    if n1 + 2 * n2 + 3 * n3 < singles:
        return _FAR
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
def _leaf(table, key, planes):
    """Plays of what is left when no more chains are laid aside."""
    n1, n2, n3, n4 = 0, 0, 0, 0
    for rank in range(COUNT - 2):
        count = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))
        n1 += count == 1
        n2 += count == 2
        n3 += count == 3
        n4 += count == 4
    jokers = np.int64(key >> np.uint64(4 * (COUNT - 2)))
    rocket = 1 if jokers == 17 else 0
    if jokers == 1 or jokers == 16:
        n1 += 1
    return np.int64(table.rest[n1, n2, n3, n4, rocket, planes])


_TOPS = np.uint64(sum(8 << 4 * rank for rank in range(COUNT)))


@njit(cache=True, nogil=True)
def _fewest(table, key, room):
    """The least number of plays of a key: chains are laid aside in the order of the table, each again and again."""
    chain, trios, plane = table.chain, table.trios, table.plane
    fit = np.int64(0)
    usable = room[0]
    for number in range(len(chain)):
        if ((key | _TOPS) - chain[number]) & _TOPS == _TOPS:
            usable[fit] = number
            fit += 1
    best = _leaf(table, key, 0)
    depth, stack = np.int64(0), room[1]
    keys = room[2].view(np.uint64)
    kinds, counts = room[3], room[4]
    stack[0], keys[0], kinds[0], counts[0] = 0, key, 0, 0
    while depth >= 0:
        at = stack[depth]
        if at == fit or counts[depth] + 2 > best:
            depth -= 1
            continue
        stack[depth] = at + 1
        number = usable[at]
        if ((keys[depth] | _TOPS) - chain[number]) & _TOPS != _TOPS:
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
        best = min(best, counts[depth] + _leaf(table, keys[depth], kind))
    return best


@njit(cache=True, nogil=True)
def _new_room():
    return np.zeros((5, 256), np.int64)


@njit(cache=True, nogil=True, inline="always")
def _recall(table, key, room):
    """The plays of a key, from memory where it was asked lately."""
    mixed = (key * np.uint64(_MIX)) & np.uint64((1 << _KEY_BITS) - 1)
    place = mixed >> np.uint64(_KEY_BITS - _MEMO_BITS)
    tag = mixed & np.uint64((1 << (_KEY_BITS - _MEMO_BITS)) - 1)
    entry = table.memo[place]
    if entry >> np.uint64(_VALUE_BITS) != tag:
        entry = (tag << np.uint64(_VALUE_BITS)) | np.uint64(_fewest(table, key, room))
        table.memo[place] = entry
    return entry & np.uint64((1 << _VALUE_BITS) - 1)


@njit(cache=True, nogil=True)
def _count(table, hands, lo, hi, plays):
    room = _new_room()
    for i in range(lo, hi):
        plays[i] = _recall(table, hands[i], room)


@njit(cache=True, nogil=True)
def _count_after(table, hands, start, cards, lo, hi, plays):
    room = _new_room()
    for i in range(lo, hi):
        for move in range(start[i], start[i + 1]):
            plays[move] = _recall(table, hands[i] - key_of_row(cards[move]), room)
