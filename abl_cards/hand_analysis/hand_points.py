"""Points of a hand: split it into the fewest plays (Xin and Li 2023, algorithm 1), and add up the points of its groups.

The points of groups are facts of strength.lp. The split takes jokers and bombs first, then tries every set of trios.
The other cards form single chains, the longest first, while there is one; the rest are singles and pairs, and each trio
carries one of them if the game has such plays. Of several splits into equally few plays the one with most points
counts, so trios carry the groups with the fewest points; the paper leaves that open.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, device_function, kernel, map_ranges
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import require_int
from abl_cards.games.min_plays import MAX_KINDS, HandKey

_MAX_GROUPS = 20
"""Most groups of a hand."""
_MIN_CHAIN, _CHAIN_RANKS = 5, 12  # cards of the shortest single chain, ranks that may be in one
_NONE = -1
NUM_KINDS = MAX_KINDS


class GroupTable(NamedTuple):
    """Labels of the groups of a split, and their points; -1 stands for a group that does not exist.

    Attributes:
        single: int16[15] Label of a single, by rank from 0.
        pair: int16[15] Label of a pair.
        trio: int16[3, 15] Labels of a trio that carries nothing, a single, or a pair; the last two may be missing.
        bomb: int16[15] Label of a bomb.
        chain: int16[15, 13] Label of a single chain, by lowest rank and length.
        rocket: Label of the two jokers.
        points: int32[labels] Points of each label, in halves.
    """

    single: NDArray[np.int16]
    pair: NDArray[np.int16]
    trio: NDArray[np.int16]
    bomb: NDArray[np.int16]
    chain: NDArray[np.int16]
    rocket: int
    points: NDArray[np.int32]


class HandScores(NamedTuple):
    """Scores of n hands.

    Attributes:
        plays: uint8[n] Groups of the split.
        points: float32[n] Sum of the points of the groups.
    """

    plays: NDArray[np.uint8]
    points: NDArray[np.float32]


@dataclass(frozen=True)
class HandGroup:
    """Group of a split hand.

    Attributes:
        label: Its label.
        carried: Label of the group that a trio carries.
        points: Its points.
    """

    label: str
    carried: str | None
    points: float


@dataclass(frozen=True)
class HandScorer:
    """Splits hands and adds up their points, on all cores.

    Attributes:
        labels: Labels of the game.
        table: Labels and points of groups.
    """

    labels: tuple[str, ...]
    table: GroupTable

    @classmethod
    def from_knowledge_base(cls, rules: CompiledGame, kb: KnowledgeBase) -> HandScorer:
        """Read the points of groups.

        Args:
            rules: Compiled game.
            kb: Knowledge base with group_points/2.

        Returns:
            The scorer.

        Raises:
            KBError: A group has no points, or the game lacks a play or has another number of kinds of cards.
        """
        return cls(rules.label_texts, _read_table(rules, kb))

    def score(self, hands: NDArray[np.uint64]) -> HandScores:
        """Score hands.

        Args:
            hands: uint64[n] Keys of the hands.

        Returns:
            Plays and points of each hand.
        """
        plays, points = np.zeros(len(hands), np.uint8), np.zeros(len(hands), np.float32)
        map_ranges(len(hands), lambda lo, hi: _score_hands(self.table, hands, lo, hi, plays, points))
        return HandScores(plays, points)

    def split(self, hand: HandKey) -> tuple[HandGroup, ...]:
        """Split a hand.

        Args:
            hand: Key of the hand.

        Returns:
            Its groups, in the order in which the algorithm takes them.
        """
        groups, carried = np.full(_MAX_GROUPS, _NONE, np.int16), np.full(_MAX_GROUPS, _NONE, np.int16)
        count, _ = _best_split(self.table, np.uint64(hand), np.zeros((6, _MAX_GROUPS), np.int16), groups, carried)
        return tuple(
            HandGroup(
                self.labels[label], self.labels[extra] if extra >= 0 else None, float(self.table.points[label] / 2)
            )
            for label, extra in zip(groups[:count].tolist(), carried[:count].tolist(), strict=True)
        )


def _read_table(rules: CompiledGame, kb: KnowledgeBase) -> GroupTable:
    labels, values = rules.label_texts, rules.pack.kinds
    if len(values) != NUM_KINDS:
        remedy = f"hands of {NUM_KINDS} kinds are scored"
        raise make_kb_error(f"{len(values)} kinds of cards", remedy, ErrorCode.UNSUPPORTED_GAME)
    index = {label: position for position, label in enumerate(labels) if label in rules.forms.index}
    points = np.zeros(len(labels), np.int32)
    labels_with_points = set()
    for label, group_points in kb.facts("group_points", 2):
        if str(label) in index:
            points[index[str(label)]] = require_int(group_points, f"group_points of {label}")
            labels_with_points.add(str(label))

    def find(label: str, is_needed: bool) -> int:
        if is_needed and label not in index:
            remedy = "hands are split into singles, pairs, trios, bombs, the rocket and chains of 5 to 12 cards"
            raise make_kb_error(f"{label} is no play of the game", remedy, ErrorCode.UNSUPPORTED_GAME)
        if label in index and label not in labels_with_points:
            remedy = "write the points of the group in strength.lp"
            raise make_kb_error(f"no group_points/2 for {label}", remedy, ErrorCode.MISSING_FACT)
        return index.get(label, _NONE)

    def by_rank(name: str, num_needed: int) -> list[int]:
        return [find(f"{name}({rank})", position < num_needed) for position, rank in enumerate(values)]

    single, pair, bomb = (
        np.array(by_rank(name, needed), np.int16)
        for name, needed in (("single", NUM_KINDS), ("pair", NUM_KINDS - 2), ("bomb", NUM_KINDS - 2))
    )
    trio = [by_rank("trio", NUM_KINDS - 2), by_rank("trio_single", 0), by_rank("trio_pair", 0)]
    chains = [
        [find(f"single_chain({low},{size})", _MIN_CHAIN <= size <= _CHAIN_RANKS - position) for size in range(13)]
        for position, low in enumerate(values)
    ]
    rocket = find("rocket", is_needed=True)
    return GroupTable(single, pair, np.array(trio, np.int16), bomb, np.array(chains, np.int16), rocket, points)


@kernel
def _score_hands(table, hands, lo, hi, plays, points):
    """Score the hands lo..hi-1, and write their plays and points."""
    buffer = np.zeros((6, _MAX_GROUPS), np.int16)
    groups, carried = np.empty(_MAX_GROUPS, np.int16), np.empty(_MAX_GROUPS, np.int16)
    for i in range(lo, hi):
        plays[i], halves = _best_split(table, hands[i], buffer, groups, carried)
        points[i] = halves / 2


@kernel
def _best_split(table, key, buffer, groups, carried):
    """Write the best split of a hand; return the number of its groups, and their half points."""
    trios, best, most_halves = 0, 99, -999
    for rank in range(NUM_KINDS - 2):
        trios += np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3
    for kept_trios in range(1 << trios):
        count, halves = _split_hand(table, key, kept_trios, buffer)
        if count < best or (count == best and halves > most_halves):
            best, most_halves = count, halves
            groups[:count], carried[:count] = buffer[1, :count], buffer[2, :count]
    return best, most_halves


@device_function
def _split_hand(table, key, kept_trios, buffer):
    """Split a hand with the trios whose bits are set: groups to buffer[1], carried groups to buffer[2].

    Return the number of groups, and their half points.
    """
    counts, groups, carried = buffer[0], buffer[1], buffer[2]
    carried[:] = _NONE
    for rank in range(NUM_KINDS):
        counts[rank] = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))
    count = _take_bombs(table, counts, groups)
    first, trio_index = count, 0
    for rank in range(NUM_KINDS - 2):
        if np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) == 3:
            if kept_trios >> trio_index & 1:
                groups[count], counts[rank] = table.trio[0, rank], 0
                count += 1
            trio_index += 1
    trios = count - first
    count = _take_chains(table, counts, groups, count)
    return _attach_kickers(table, counts, first, trios, count, groups, carried, buffer)


@device_function
def _take_bombs(table, counts, groups):
    """Take jokers and bombs; return the number of groups."""
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


@device_function
def _take_chains(table, counts, groups, count):
    """Take single chains, the longest and lowest first; return the number of groups so far."""
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


@device_function
def _attach_kickers(table, counts, first, trios, count, groups, carried, buffer):
    """Take the remaining singles and pairs; the trios at groups[first:] carry what they may of the fewest points."""
    kickers, size = buffer[3], 0
    for rank in range(NUM_KINDS - 2):
        if counts[rank] >= 2:  # a trio that is not kept is a pair and a single
            kickers[size] = table.pair[rank]
            size += 1
        if counts[rank] % 2 == 1:
            kickers[size] = table.single[rank]
            size += 1
    for i in range(1, size):  # insertion sort, fewest points first
        label, position = kickers[i], i
        while position and table.points[kickers[position - 1]] > table.points[label]:
            kickers[position] = kickers[position - 1]
            position -= 1
        kickers[position] = label
    end = first + trios
    for i in range(size):
        if first < end:
            pair = _rank_of(table.pair, kickers[i]) >= 0
            label = table.trio[2 if pair else 1, _rank_of(table.trio[0], groups[first])]
            if label != _NONE:
                groups[first], carried[first] = label, kickers[i]
                first += 1
                continue
        groups[count] = kickers[i]
        count += 1
    halves = 0
    for i in range(count):
        halves += table.points[groups[i]]
    return count, halves


@kernel
def _rank_of(labels, label):
    """Return the rank of a label, or -1."""
    for rank in range(NUM_KINDS):
        if labels[rank] == label:
            return rank
    return _NONE
