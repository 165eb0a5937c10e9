"""The strength of a hand: split for the fewest plays as Xin and Li 2023 do it (algorithm 1), each group worth points.

What a group is worth stands in strength.lp. The split lays aside jokers and bombs, then tries every set of trios: what
is not a trio goes into single chains, the longest first, as long as there is one; the rest are singles and pairs, and
each trio carries one of them. Where several splits need equally few plays the one with most points counts, so trios
carry what is worth least; the paper is silent there.

>>> from abl_cards.games import load
>>> from abl_cards.games.min_plays import read_key
>>> from abl_cards.hand_analysis import DealRules
>>> engine = load("doudizhu").engine()
>>> scorer, hand = DealRules.from_engine(engine).hand_scorer, read_key(engine.rules.card_codes, "33345678")
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

from abl_cards.asp import make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import map_ranges
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import require_int
from abl_cards.games.min_plays import MAX_KINDS, HandKey

_MAX_GROUPS = 20
"""Groups of a hand at most."""
_MIN_CHAIN, _CHAIN_RANKS = 5, 12  # cards of the shortest single chain, ranks that may be in one
_NONE = -1
NUM_KINDS = MAX_KINDS


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
class HandGroup:
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
    def from_knowledge_base(cls, rules: CompiledGame, kb: KnowledgeBase) -> HandScorer:
        """Read group_points/2 of a knowledge base; raises KBError where a group is worth nothing."""
        return cls(rules.label_texts, _read_table(rules, kb))

    def score(self, hands: NDArray[np.uint64]) -> HandScores:
        """The strength of hands given as keys [n]."""
        plays, points = np.zeros(len(hands), np.uint8), np.zeros(len(hands), np.float32)
        map_ranges(len(hands), lambda lo, hi: _score_hands(self.table, hands, lo, hi, plays, points))
        return HandScores(plays, points)

    def split(self, hand: HandKey) -> tuple[HandGroup, ...]:
        """The groups of one hand, in the order in which they are laid aside."""
        groups, carried = np.full(_MAX_GROUPS, _NONE, np.int16), np.full(_MAX_GROUPS, _NONE, np.int16)
        count, _ = _best_split(self.table, np.uint64(hand), np.zeros((6, _MAX_GROUPS), np.int16), groups, carried)
        return tuple(
            HandGroup(
                self.labels[label], self.labels[extra] if extra >= 0 else None, float(self.table.points[label] / 2)
            )
            for label, extra in zip(groups[:count].tolist(), carried[:count].tolist(), strict=True)
        )

    @cached_property
    def max_group_points(self) -> float:
        """The worth of the best group: a unit for networks."""
        return float(self.table.points.max() / 2)


def _read_table(rules: CompiledGame, kb: KnowledgeBase) -> GroupTable:
    labels, values = rules.label_texts, rules.pack.kinds
    if len(values) != NUM_KINDS:
        raise make_kb_error(f"{len(values)} kinds of cards", f"hands of {NUM_KINDS} kinds are scored")
    index = {label: place for place, label in enumerate(labels)}
    points = np.zeros(len(labels), np.int32)
    known = set()
    for label, worth in kb.facts("group_points", 2):
        if str(label) in index:
            points[index[str(label)]] = require_int(worth, f"group_points of {label}")
            known.add(str(label))

    def find(label: str) -> int:
        if label in index and label not in known:
            raise make_kb_error(f"no group_points/2 for {label}", "say in strength.lp what the group is worth")
        return index.get(label, _NONE)

    def by_rank(*names: str) -> NDArray[np.int16]:
        return np.array([[find(f"{name}({rank})") for rank in values] for name in names], np.int16)

    single, pair, bomb = by_rank("single", "pair", "bomb")
    chains = [[find(f"single_chain({low},{size})") for size in range(13)] for low in values]
    trio = by_rank("trio", "trio_single", "trio_pair")
    return GroupTable(single, pair, trio, bomb, np.array(chains, np.int16), find("rocket"), points)


@njit(cache=True, nogil=True)
def _score_hands(table, hands, lo, hi, plays, points):
    """Fill plays and points of the hands lo..hi-1."""
    room = np.zeros((6, _MAX_GROUPS), np.int16)
    groups, carried = np.empty(_MAX_GROUPS, np.int16), np.empty(_MAX_GROUPS, np.int16)
    for i in range(lo, hi):
        plays[i], halves = _best_split(table, hands[i], room, groups, carried)
        points[i] = halves / 2


@njit(cache=True, nogil=True)
def _best_split(table, key, room, groups, carried):
    """Write the best split of a hand; returns how many groups it has, and their half points."""
    trios, best, most = 0, 99, -999
    for rank in range(NUM_KINDS - 2):
        trios += np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3
    for kept in range(1 << trios):
        count, halves = _split_hand(table, key, kept, room)
        if count < best or (count == best and halves > most):
            best, most = count, halves
            groups[:count], carried[:count] = room[1, :count], room[2, :count]
    return best, most


@njit(cache=True, nogil=True)
def _split_hand(table, key, kept, room):
    """Split a hand so that these of its trios, as bits, stay trios: groups to room[1], what they carry to room[2].

    Returns how many groups there are, and their half points.
    """
    counts, groups, carried = room[0], room[1], room[2]
    carried[:] = _NONE
    for rank in range(NUM_KINDS):
        counts[rank] = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))
    count = _take_bombs(table, counts, groups)
    first, seen = count, 0
    for rank in range(NUM_KINDS - 2):
        if np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3:
            if kept >> seen & 1:
                groups[count], counts[rank] = table.trio[0, rank], 0
                count += 1
            seen += 1
    trios = count - first
    count = _take_chains(table, counts, groups, count)
    return _attach_kickers(table, counts, first, trios, count, groups, carried, room)


@njit(cache=True, nogil=True)
def _take_bombs(table, counts, groups):
    """Jokers and fours; returns how many groups they are."""
    count, small = 0, NUM_KINDS - 2
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
def _take_chains(table, counts, groups, count):
    """Single chains, the longest first and of those the lowest; returns how many groups there are by then."""
    while True:
        length, low, run = 0, 0, 0
        for rank in range(_CHAIN_RANKS):
            run = run + 1 if counts[rank] else 0
            if run > length:
                length, low = run, rank - run + 1
        if length < _MIN_CHAIN:
            return count
        groups[count] = table.chain[low, length]
        count += 1
        for rank in range(low, low + length):
            counts[rank] -= 1


@njit(cache=True, nogil=True)
def _attach_kickers(table, counts, first, trios, count, groups, carried, room):
    """Singles and pairs of what is left; the trios at groups[first:] carry those that are worth least."""
    rest, size = room[3], 0
    for rank in range(NUM_KINDS - 2):
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
    for rank in range(NUM_KINDS):
        if labels[rank] == label:
            return rank
    return _NONE
