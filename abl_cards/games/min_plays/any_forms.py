"""Counter for any forms, by the card sets that a hand can lead: exact for hands of few parts, else an upper bound.

The plays are the card sets that the hand can lead, and forms that are played as a whole hand only, such as a trio
without kickers (leads.py).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import copy_values, device_function, kernel, map_ranges
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.min_plays.bound_search import bound_part, bound_whole_hand, new_bound_state
from abl_cards.games.min_plays.exact_search import (
    MAX_PARTS,
    count_parts,
    load_hand_plays,
    min_plays_after_cards,
    min_plays_of_part,
    new_exact_search,
)
from abl_cards.games.min_plays.form_shapes import FormShapes, UncountableError, read_shapes
from abl_cards.games.min_plays.hand_plays import KIND_HASHES, NONE, distinct_plays, find_hash, find_units, plays_by_unit
from abl_cards.games.min_plays.leads import LeadFinder
from abl_cards.games.min_plays.min_plays_cache import MinPlaysCache
from abl_cards.games.tables import largest_hand
from abl_cards.games.types import NO_CARD

_BATCH_SIZE = 1 << 9  # number of hands whose card sets are listed at once
_ROUNDS = np.int64(512)  # rounds of local search for a whole hand
_ROUNDS_AFTER_MOVE = np.int64(8)  # the same for the rest of a hand after a move


@dataclass(frozen=True)
class AnyFormCounter:
    """Counter for any forms, on all cores.

    Attributes:
        leads: Lists the card sets that hands can lead.
        known_units: int64 [contexts, kinds], unit of each kind of card; cards of a unit are interchangeable in plays.
        are_units_known: Whether the units are known in advance; otherwise units are computed for each hand.
        one_per_rank: Whether leads that differ in suits only are listed once.
        reason: Explanation why no other counter supports the game.
    """

    leads: LeadFinder
    known_units: NDArray[np.int64]
    are_units_known: bool
    one_per_rank: bool
    reason: str
    _cache: MinPlaysCache = field(default_factory=MinPlaysCache, repr=False, compare=False)

    @classmethod
    def from_rules(cls, rules: CompiledGame, reason: str = "") -> AnyFormCounter:
        """Make the counter of a game.

        Args:
            rules: Compiled game.
            reason: Explanation why no other counter supports the game.
        """
        shapes = _read_known_shapes(rules)
        if shapes is None:
            kinds = np.tile(np.arange(len(rules.pack)), (len(rules.contexts), 1))
            return cls(LeadFinder(rules), kinds, False, False, reason)
        return cls(LeadFinder(rules), shapes.kind_rank, True, shapes.num_wilds == 0, reason)

    @cached_property
    def bound_text(self) -> str:
        """Description of the hands whose number of plays is an upper bound; empty if there are none."""
        rules = self.leads.rules
        counts = [np.bincount(unit, rules.pack.copies) for unit in self.known_units]
        max_parts = max(_max_parts(unit_copies.astype(int).tolist(), largest_hand(rules)) for unit_copies in counts)
        return "" if max_parts <= MAX_PARTS else f"hands of more than {MAX_PARTS} parts (here up to {max_parts})"

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Count the plays that empty each hand, as `MinPlaysCounter` describes."""
        start = np.arange(len(hands) + 1)
        return self.min_plays_after(hands, context, start, np.full((len(hands), 1), NO_CARD, np.uint8))

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Count the plays that empty the rest of a hand after each move, as `MinPlaysCounter` describes."""
        return self.min_plays_and_bounds(hands, context, start, cards)[0]

    def min_plays_and_bounds(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Count the plays that empty the rest of a hand after each move, and flag upper bounds.

        Args:
            hands: uint8 [n, kinds], copies of each card.
            context: [n], index of the context of each hand.
            start: int64 [n + 1], offsets of the moves of each hand, as in MoveLists.
            cards: uint8 [moves, max_cards], cards of each move, as in MoveLists.

        Returns:
            Number of plays, uint8 [moves], and whether it is only an upper bound, bool [moves].
        """
        plays, bounds = np.zeros(len(cards), np.uint8), np.zeros(len(cards), np.bool_)
        for lo in range(0, len(hands), _BATCH_SIZE):
            batch, offsets = slice(lo, lo + _BATCH_SIZE), start[lo : lo + _BATCH_SIZE + 1]
            moves = slice(int(offsets[0]), int(offsets[-1]))
            self._fill_batch(
                np.ascontiguousarray(hands[batch]), context[batch].astype(np.int64), offsets - offsets[0],
                cards[moves], plays[moves], bounds[moves],
            )  # fmt: skip
        return plays, bounds

    def _fill_batch(
        self, hands: NDArray[np.uint8], context: NDArray[np.int64], start: NDArray[np.int64], cards: NDArray[np.uint8],
        plays: NDArray[np.uint8], bounds: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Write the plays and bounds [moves] of a batch; equal hands of which some are not stored are counted once."""
        hand_codes, codes, is_missing = self._cache.read(hands, context, start, cards, plays, bounds)
        missing = np.flatnonzero(is_missing)
        if not missing.size:
            return
        _, first, group = np.unique(hand_codes[missing], return_index=True, return_inverse=True)
        group_of_hand = np.full(len(hands), NONE)
        group_of_hand[missing] = group
        group_of_move = np.repeat(group_of_hand, np.diff(start))
        moves = np.flatnonzero(group_of_move != NONE)
        moves = moves[np.argsort(group_of_move[moves], kind="stable")]
        group_start = np.searchsorted(group_of_move[moves], np.arange(len(first) + 1))
        rows = missing[first]
        plays[moves], bounds[moves] = self._count_moves(hands[rows], context[rows], group_start, cards[moves])
        self._cache.store(codes[moves], plays[moves], bounds[moves])

    def _count_moves(
        self, hands: NDArray[np.uint8], context: NDArray[np.int64], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the plays and bounds [moves] after moves of a batch of hands."""
        lists, whole_hands, is_cut = self.leads.lead_moves(context, hands, self.one_per_rank)
        plays, bounds = np.zeros(len(cards), np.uint8), np.zeros(len(cards), np.bool_)
        arguments = (
            hands, context, self.known_units, self.are_units_known, lists.start, lists.cards, whole_hands.start,
            whole_hands.cards, start, cards,
        )  # fmt: skip
        map_ranges(len(hands), partial(_count, *arguments, plays, bounds), min_size=16)
        return plays, bounds | (np.repeat(is_cut, np.diff(start)) & (plays > 1))  # other card sets may do better


def _max_parts(copies: list[int], hand_size: int) -> int:
    """Return the maximum number of parts of a hand, for units with the given copies."""
    held = [0] * len(copies)
    for _ in range(min(hand_size, sum(copies))):
        unit = min(
            (candidate for candidate in range(len(copies)) if held[candidate] < copies[candidate]), key=held.__getitem__
        )
        held[unit] += 1
    return math.prod(count + 1 for count in held)


def _read_known_shapes(rules: CompiledGame) -> FormShapes | None:
    """Return the shapes of forms if cards of a rank are interchangeable in all forms and leads, else None."""
    if any(name == "held" and len(arguments) > 2 for name, arguments in rules.play_query.circuit.inputs):
        return None
    try:
        return read_shapes(rules)
    except UncountableError:
        return None


@kernel
def _count(
    hands, context, known, merged, start, sets, whole_start, whole_sets, move_start, moves, fewest_plays, bounds, lo, hi
):  # fmt: skip
    """Write the plays and bounds [moves] of decisions lo..hi-1, whose hands [n, kinds] can lead the given card sets.

    ``known`` [contexts, kinds] are units of cards; ``merged`` means that no two units are interchangeable.
    """
    max_plays, max_cards = np.int64(0), np.int64(0)
    for i in range(lo, hi):
        max_cards = max(max_cards, np.int64(hands[i].sum()))
        max_plays = max(max_plays, start[i + 1] - start[i] + whole_start[i + 1] - whole_start[i])
    search = new_exact_search(max_plays, max_cards, max(known.max() + 1, hands.shape[1]))
    for i in range(lo, hi):
        unit, first, last = known[context[i]], whole_start[i], whole_start[i + 1]
        plays, n = distinct_plays(hands[i], unit, sets, start[i], start[i + 1], whole_sets, first, last)
        if not merged:
            unit = find_units(hands[i], plays, n)
            plays, n = plays_by_unit(plays, n, unit)
        counts = np.zeros(unit.max() + 1, np.int64)
        for kind in range(len(unit)):
            if unit[kind] != NONE:
                counts[unit[kind]] += hands[i, kind]
        first, last = move_start[i], move_start[i + 1]
        if count_parts(counts) <= MAX_PARTS:
            load_hand_plays(search, plays, n, counts)
            for move in range(first, last):
                fewest_plays[move] = min_plays_after_cards(search, unit, moves[move])
        else:
            _count_by_bound(search, plays, n, unit, counts, moves, first, last, fewest_plays, bounds)


@device_function
def _count_by_bound(search, plays, n, unit, counts, moves, first, last, fewest_plays, bounds):
    """Write the plays after moves first..last-1 of a hand of many parts; equal rests are counted once."""
    bound, whole = new_bound_state(plays, n, counts), np.int64(NONE)
    size = 16
    while size < 2 * (last - first):
        size *= 2
    table, codes = np.full(size, NONE, np.int64), np.zeros(last - first, np.uint64)
    remaining = np.zeros(len(counts), np.int64)
    for move in range(first, last):
        copy_values(counts, remaining, len(counts))
        code = np.uint64(0)
        for card in moves[move]:
            if card == NO_CARD:
                break
            remaining[unit[card]] -= 1
            code += KIND_HASHES[unit[card]]
        entry = find_hash(table, codes, code)
        if table[entry] != NONE:
            fewest_plays[move] = fewest_plays[first + table[entry]]
            bounds[move] = bounds[first + table[entry]]
            continue
        table[entry], codes[move - first] = move - first, code
        if count_parts(remaining) <= MAX_PARTS:
            load_hand_plays(search, plays, n, remaining)
            fewest_plays[move] = min_plays_of_part(search, remaining)
            continue
        if whole == NONE:
            whole = bound_whole_hand(bound, plays, counts, _ROUNDS)
        num_plays = whole if code == 0 else bound_part(bound, plays, remaining, _ROUNDS_AFTER_MOVE, whole - 1)
        fewest_plays[move], bounds[move] = num_plays, num_plays > 1
