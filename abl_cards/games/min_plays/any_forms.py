"""Counts plays of any forms, by what the hand itself can lead: exactly where it has few parts, else a bound from above.

The plays are the card sets that the hand could lead, as circuits and walk have them, and those forms that are played as
a whole hand only, such as a trio whose kickers have run out (leads.py).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import map_ranges
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
from abl_cards.games.min_plays.form_shapes import UncountableError, read_shapes
from abl_cards.games.min_plays.hand_plays import KIND_HASHES, NONE, distinct_plays, find_hash, find_units, plays_by_unit
from abl_cards.games.min_plays.leads import LeadFinder
from abl_cards.games.tables import largest_hand
from abl_cards.games.types import NO_CARD

_BATCH_SIZE = 1 << 9  # hands whose card sets are listed at once
_ROUNDS, _ROUNDS_AFTER_MOVE = 512, 8  # tries for a whole hand, and for what is left after a move


@dataclass(frozen=True)
class AnyFormCounter:
    """Counts plays on all cores."""

    leads: LeadFinder
    known_units: NDArray[np.int64]  # [contexts, kinds] cards that are known to be the same to all plays, else kinds
    are_units_known: bool  # whether they are known
    reason: str  # no other counter counts them

    @classmethod
    def from_rules(cls, rules: CompiledGame, reason: str = "") -> AnyFormCounter:
        """The counter of a game."""
        unit = _known_ranks(rules)
        kinds = np.tile(np.arange(len(rules.pack)), (len(rules.contexts), 1))
        return cls(LeadFinder(rules), kinds if unit is None else unit, unit is not None, reason)

    @cached_property
    def bound_text(self) -> str:
        """Which hands get an upper bound of their plays; empty where no hand does."""
        rules = self.leads.rules
        counts = [np.bincount(unit, rules.pack.copies) for unit in self.known_units]
        parts = max(_max_parts(each.astype(int).tolist(), largest_hand(rules)) for each in counts)
        return "" if parts <= MAX_PARTS else f"hands of more than {MAX_PARTS} parts (here up to {parts})"

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""
        start = np.arange(len(hands) + 1)
        return self.min_plays_after(hands, context, start, np.full((len(hands), 1), NO_CARD, np.uint8))

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        return self.min_plays_and_bounds(hands, context, start, cards)[0]

    def min_plays_and_bounds(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """[moves] the plays after each move of decisions, and whether that is an upper bound and may be too many."""
        plays, bounds = np.zeros(len(cards), np.uint8), np.zeros(len(cards), np.bool_)
        for lo in range(0, len(hands), _BATCH_SIZE):
            part = slice(lo, min(lo + _BATCH_SIZE, len(hands)))
            lists, whole = self.leads.lead_moves(context[part], hands[part])
            here = start[part.start : part.stop + 1]
            given = (
                np.ascontiguousarray(hands[part]), context[part].astype(np.int64), self.known_units,
                self.are_units_known, lists.start, lists.cards, whole.start, whole.cards, here - here[0],
                cards[here[0] : here[-1]],
            )  # fmt: skip
            moves = slice(int(here[0]), int(here[-1]))
            map_ranges(len(lists.start) - 1, partial(_count, *given, plays[moves], bounds[moves]), min_size=16)
        return plays, bounds


def _max_parts(copies: list[int], hand_size: int) -> int:
    """How many parts the worst hand of so many cards has, of units with so many copies."""
    held = [0] * len(copies)
    for _ in range(min(hand_size, sum(copies))):
        unit = min((each for each in range(len(copies)) if held[each] < copies[each]), key=held.__getitem__)
        held[unit] += 1
    return math.prod(count + 1 for count in held)


def _known_ranks(rules: CompiledGame) -> NDArray[np.int64] | None:
    """[contexts, kinds] ranks, where no form and no word about what may be led tells cards of a rank apart; or None."""
    if any(name == "held" and len(arguments) > 2 for name, arguments in rules.play_query.circuit.inputs):
        return None
    try:
        return read_shapes(rules).kind_rank
    except UncountableError:
        return None


@njit(cache=True, nogil=True)
def _count(
    hands, context, known, merged, start, sets, whole_start, whole_sets, move_start, moves, fewest_plays, bounds, lo, hi
):  # fmt: skip
    """Fill the plays and bounds [moves] of decisions lo..hi-1, whose hands [n, kinds] can lead these card sets.

    Known [contexts, kinds] are units of cards; where they are merged no two of them are the same to all plays.
    """
    most, most_cards = np.int64(0), np.int64(0)
    for i in range(lo, hi):
        most_cards = max(most_cards, np.int64(hands[i].sum()))
        most = max(most, start[i + 1] - start[i] + whole_start[i + 1] - whole_start[i])
    search = new_exact_search(most, most_cards, max(known.max() + 1, hands.shape[1]))
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


@njit(cache=True, nogil=True)
def _count_by_bound(search, plays, n, unit, counts, moves, first, last, fewest_plays, bounds):
    """Fill the plays after moves first..last-1 of a hand of many parts; equal rests are one."""
    bound, whole = new_bound_state(plays, n, counts), np.int64(NONE)
    size = 16
    while size < 2 * (last - first):
        size *= 2
    table, codes = np.full(size, NONE, np.int64), np.zeros(last - first, np.uint64)
    rest = np.zeros(len(counts), np.int64)
    for move in range(first, last):
        rest[:] = counts
        code = np.uint64(0)
        for card in moves[move]:
            if card == NO_CARD:
                break
            rest[unit[card]] -= 1
            code += KIND_HASHES[unit[card]]
        place = find_hash(table, codes, code)
        if table[place] != NONE:
            fewest_plays[move] = fewest_plays[first + table[place]]
            bounds[move] = bounds[first + table[place]]
            continue
        table[place], codes[move - first] = move - first, code
        if count_parts(rest) <= MAX_PARTS:
            load_hand_plays(search, plays, n, rest)
            fewest_plays[move] = min_plays_of_part(search, rest)
            continue
        if whole == NONE:
            whole = bound_whole_hand(bound, plays, counts, _ROUNDS)
        found = whole if code == 0 else bound_part(bound, plays, rest, _ROUNDS_AFTER_MOVE, whole - 1)
        fewest_plays[move], bounds[move] = found, found > 1
