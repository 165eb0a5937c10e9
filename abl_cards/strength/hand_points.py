"""The strength of a hand: split for the fewest plays as Xin and Li 2023 do it (algorithm 1), each group worth points.

What a group is worth stands in strength.lp. The split lays aside jokers and bombs, then tries every set of trios: what
is not a trio goes into single chains, the longest first, as long as there is one; the rest are singles and pairs, and
each trio carries one of them. Where several splits need equally few plays the one with most points counts, so trios
carry what is worth least; the paper is silent there.

>>> from abl_cards.games import game
>>> from abl_cards.games.counting.keys import read_key
>>> from abl_cards.strength.rules import StrengthRules
>>> engine = game("doudizhu").engine()
>>> scorer, hand = StrengthRules.of(engine).scorer, read_key(engine.rules.letters, "33345678")
>>> scorer.score(np.array([hand], np.uint64)).points.tolist()
[4.0]
>>> [(group.label, group.carried, group.points) for group in scorer.split(hand)]
[('trio(3)', None, 1.0), ('single_chain(4,5)', None, 3.0)]
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.counting.keys import PLACES, Key
from abl_cards.games.reading.rules import Rules
from abl_cards.games.shapes import number
from abl_cards.logic import KnowledgeBase
from abl_cards.logic.errors import kb_error
from abl_cards.parallel import each_share

_MOST = 20
"""Groups of a hand at most."""
_LOWEST_CHAIN, _CHAINED = 5, 12  # cards of the shortest single chain, ranks that may be in one
_NONE = -1
COUNT = PLACES


class GroupTable(NamedTuple):
    """The labels of the groups that a split is made of, and their worth."""

    single: NDArray[np.int16]  # [15] label by rank from 0
    pair: NDArray[np.int16]  # [15], like those that follow; -1 for jokers
    trio: NDArray[np.int16]  # [3, 15] carrying nothing, a single, a pair
    bomb: NDArray[np.int16]
    chain: NDArray[np.int16]  # [15, 13] by lowest rank and length
    rocket: int
    points: NDArray[np.int32]  # [labels] half points


class HandScores(NamedTuple):
    """What n hands are worth."""

    plays: NDArray[np.uint8]  # [n] groups of the split
    points: NDArray[np.float32]  # [n]


@dataclass(frozen=True)
class Group:
    """A play of a split hand."""

    label: str
    carried: str | None  # the label of what a trio carries
    points: float


@dataclass(frozen=True)
class HandScorer:
    """Splits hands and adds up their points, on all cores."""

    labels: tuple[str, ...]
    table: GroupTable

    @classmethod
    def of(cls, rules: Rules, kb: KnowledgeBase) -> HandScorer:
        """Read group_points/2 of a knowledge base; raises KBError where a group is worth nothing."""
        return cls(rules.label_texts, _read_table(rules, kb))

    def score(self, hands: NDArray[np.uint64]) -> HandScores:
        """The strength of hands given as keys [n]."""
        plays, points = np.zeros(len(hands), np.uint8), np.zeros(len(hands), np.float32)
        each_share(len(hands), lambda lo, hi: _score(self.table, hands, lo, hi, plays, points))
        return HandScores(plays, points)

    def split(self, hand: Key) -> tuple[Group, ...]:
        """The groups of one hand, in the order in which they are laid aside."""
        groups, carried = np.full(_MOST, _NONE, np.int16), np.full(_MOST, _NONE, np.int16)
        count, _ = _best_split(self.table, np.uint64(hand), np.zeros((6, _MOST), np.int16), groups, carried)
        return tuple(
            Group(self.labels[label], self.labels[extra] if extra >= 0 else None, float(self.table.points[label] / 2))
            for label, extra in zip(groups[:count].tolist(), carried[:count].tolist(), strict=True)
        )

    @cached_property
    def most(self) -> float:
        """The worth of the best group: a unit for networks."""
        return float(self.table.points.max() / 2)


def _read_table(rules: Rules, kb: KnowledgeBase) -> GroupTable:
    labels, values = rules.label_texts, rules.pack.kinds
    if len(values) != COUNT:
        raise kb_error(f"{len(values)} kinds of cards", f"hands of {COUNT} kinds are scored")
    index = {label: place for place, label in enumerate(labels)}
    points = np.zeros(len(labels), np.int32)
    known = set()
    for label, worth in kb.facts("group_points", 2):
        if str(label) in index:
            points[index[str(label)]] = number(worth, f"group_points of {label}")
            known.add(str(label))

    def find(label: str) -> int:
        if label in index and label not in known:
            raise kb_error(f"no group_points/2 for {label}", "say in strength.lp what the group is worth")
        return index.get(label, _NONE)

    def by_rank(*names: str) -> NDArray[np.int16]:
        return np.array([[find(f"{name}({rank})") for rank in values] for name in names], np.int16)

    single, pair, bomb = by_rank("single", "pair", "bomb")
    chains = [[find(f"single_chain({low},{size})") for size in range(13)] for low in values]
    trio = by_rank("trio", "trio_single", "trio_pair")
    return GroupTable(single, pair, trio, bomb, np.array(chains, np.int16), find("rocket"), points)


@njit(cache=True, nogil=True)
def _score(table, hands, lo, hi, plays, points):
    """Fill plays and points of the hands lo..hi-1."""
    room = np.zeros((6, _MOST), np.int16)
    groups, carried = np.empty(_MOST, np.int16), np.empty(_MOST, np.int16)
    for i in range(lo, hi):
        plays[i], halves = _best_split(table, hands[i], room, groups, carried)
        points[i] = halves / 2


@njit(cache=True, nogil=True)
def _best_split(table, key, room, groups, carried):
    """Write the best split of a hand; returns how many groups it has, and their half points."""
    trios, best, most = 0, 99, -999
    for rank in range(COUNT - 2):
        trios += np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3
    for kept in range(1 << trios):
        count, halves = _split(table, key, kept, room)
        if count < best or (count == best and halves > most):
            best, most = count, halves
            groups[:count], carried[:count] = room[1, :count], room[2, :count]
    return best, most


@njit(cache=True, nogil=True)
def _split(table, key, kept, room):
    """Split a hand so that these of its trios, as bits, stay trios: groups to room[1], what they carry to room[2].

    Returns how many groups there are, and their half points.
    """
    counts, groups, carried = room[0], room[1], room[2]
    carried[:] = _NONE
    for rank in range(COUNT):
        counts[rank] = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))
    count = _lay_aside_bombs(table, counts, groups)
    first, seen = count, 0
    for rank in range(COUNT - 2):
        if np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3:
            if kept >> seen & 1:
                groups[count], counts[rank] = table.trio[0, rank], 0
                count += 1
            seen += 1
    trios = count - first
    count = _lay_aside_chains(table, counts, groups, count)
    return _carry(table, counts, first, trios, count, groups, carried, room)


@njit(cache=True, nogil=True)
def _lay_aside_bombs(table, counts, groups):
    """Jokers and fours; returns how many groups they are."""
    count, small = 0, COUNT - 2
    if counts[small] and counts[small + 1]:
        groups[0], count = table.rocket, 1
    else:
        for joker in (small, small + 1):
            if counts[joker]:
                groups[count] = table.single[joker]
                count += 1
    counts[small] = counts[small + 1] = 0
    for rank in range(small):
        if counts[rank] == 4:
            groups[count], counts[rank] = table.bomb[rank], 0
            count += 1
    return count


@njit(cache=True, nogil=True)
def _lay_aside_chains(table, counts, groups, count):
    """Single chains, the longest first and of those the lowest; returns how many groups there are by then."""
    while True:
        length, low, run = 0, 0, 0
        for rank in range(_CHAINED):
            run = run + 1 if counts[rank] else 0
            if run > length:
                length, low = run, rank - run + 1
        if length < _LOWEST_CHAIN:
            return count
        groups[count] = table.chain[low, length]
        count += 1
        for rank in range(low, low + length):
            counts[rank] -= 1


@njit(cache=True, nogil=True)
def _carry(table, counts, first, trios, count, groups, carried, room):
    """Singles and pairs of what is left; the trios at groups[first:] carry those that are worth least."""
    rest, size = room[3], 0
    for rank in range(COUNT - 2):
        if counts[rank] >= 2:  # a trio that was to stay none is a pair and a single
            rest[size] = table.pair[rank]
            size += 1
        if counts[rank] % 2 == 1:
            rest[size] = table.single[rank]
            size += 1
    for i in range(1, size):  # the cheapest first
        label, place = rest[i], i
        while place and table.points[rest[place - 1]] > table.points[label]:
            rest[place] = rest[place - 1]
            place -= 1
        rest[place] = label
    taken = min(trios, size)
    for i in range(taken):
        rank = _rank_of(table.trio[0], groups[first + i])
        pair = _rank_of(table.pair, rest[i]) >= 0
        groups[first + i], carried[first + i] = table.trio[2 if pair else 1, rank], rest[i]
    for i in range(taken, size):
        groups[count] = rest[i]
        count += 1
    halves = 0
    for i in range(count):
        halves += table.points[groups[i]]
    return count, halves


@njit(cache=True, nogil=True)
def _rank_of(labels, label):
    """The rank with this label, or -1."""
    for rank in range(COUNT):
        if labels[rank] == label:
            return rank
    return _NONE
