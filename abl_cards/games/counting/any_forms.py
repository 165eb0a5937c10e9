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

from abl_cards.games.counting.bound_search import bound_of, learn, new_bound
from abl_cards.games.counting.exact_search import MOST_PARTS, begin_search, fewest, fewest_after, new_search, parts_of
from abl_cards.games.counting.hand_plays import NONE, SALT, by_units, find, plays_of, units_of
from abl_cards.games.counting.leads import Leads
from abl_cards.games.counting.shapes import CannotCount, read_shapes
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.parallel import each_share

_AT_ONCE = 1 << 9  # hands whose card sets are listed at once
_ROUNDS, _ROUNDS_AFTER = 512, 8  # tries for a whole hand, and for what is left after a move


@dataclass(frozen=True)
class AnyFormCounter:
    """Counts plays on all cores."""

    leads: Leads
    unit: NDArray[np.int64]  # [contexts, kinds] cards that are known to be the same to all plays, else kinds
    merged: bool  # whether they are known
    why: str  # no other counter counts them

    @classmethod
    def of(cls, rules: Rules, why: str = "") -> AnyFormCounter:
        """The counter of a game."""
        unit = _ranks(rules)
        kinds = np.tile(np.arange(len(rules.pack)), (len(rules.contexts), 1))
        return cls(Leads(rules), kinds if unit is None else unit, unit is not None, why)

    @cached_property
    def bounds(self) -> str:
        """Which hands get an upper bound of their plays; empty where no hand does."""
        rules = self.leads.rules
        counts = [np.bincount(unit, rules.pack.copies) for unit in self.unit]
        parts = max(_most_parts(each.astype(int).tolist(), largest_hand(rules)) for each in counts)
        return "" if parts <= MOST_PARTS else f"hands of more than {MOST_PARTS} parts (here up to {parts})"

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""
        start = np.arange(len(hands) + 1)
        return self.after(hands, context, start, np.full((len(hands), 1), NO_CARD, np.uint8))

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        return self.counted(hands, context, start, cards)[0]

    def counted(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """[moves] the plays after each move of decisions, and whether that is an upper bound and may be too many."""
        plays, bounds = np.zeros(len(cards), np.uint8), np.zeros(len(cards), np.bool_)
        for lo in range(0, len(hands), _AT_ONCE):
            part = slice(lo, min(lo + _AT_ONCE, len(hands)))
            lists, whole = self.leads.of(context[part], hands[part])
            here = start[part.start : part.stop + 1]
            given = (
                np.ascontiguousarray(hands[part]), context[part].astype(np.int64), self.unit, self.merged, lists.start,
                lists.cards, whole.start, whole.cards, here - here[0], cards[here[0] : here[-1]],
            )  # fmt: skip
            moves = slice(int(here[0]), int(here[-1]))
            each_share(len(lists.start) - 1, partial(_count, *given, plays[moves], bounds[moves]), least=16)
        return plays, bounds


def _most_parts(copies: list[int], cards: int) -> int:
    """How many parts the worst hand of so many cards has, of units with so many copies."""
    held = [0] * len(copies)
    for _ in range(min(cards, sum(copies))):
        unit = min((each for each in range(len(copies)) if held[each] < copies[each]), key=held.__getitem__)
        held[unit] += 1
    return math.prod(count + 1 for count in held)


def _ranks(rules: Rules) -> NDArray[np.int64] | None:
    """[contexts, kinds] ranks, where no form and no word about what may be led tells cards of a rank apart; or None."""
    if any(name == "held" and len(arguments) > 2 for name, arguments in rules.play.circuit.inputs):
        return None
    try:
        return read_shapes(rules).rank
    except CannotCount:
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
    search = new_search(most, most_cards, max(known.max() + 1, hands.shape[1]))
    for i in range(lo, hi):
        unit, first, last = known[context[i]], whole_start[i], whole_start[i + 1]
        plays, n = plays_of(hands[i], unit, sets, start[i], start[i + 1], whole_sets, first, last)
        if not merged:
            unit = units_of(hands[i], plays, n)
            plays, n = by_units(plays, n, unit)
        counts = np.zeros(unit.max() + 1, np.int64)
        for kind in range(len(unit)):
            if unit[kind] != NONE:
                counts[unit[kind]] += hands[i, kind]
        first, last = move_start[i], move_start[i + 1]
        if parts_of(counts) <= MOST_PARTS:
            begin_search(search, plays, n, counts)
            for move in range(first, last):
                fewest_plays[move] = fewest_after(search, unit, moves[move])
        else:
            _count_many(search, plays, n, unit, counts, moves, first, last, fewest_plays, bounds)


@njit(cache=True, nogil=True)
def _count_many(search, plays, n, unit, counts, moves, first, last, fewest_plays, bounds):
    """Fill the plays after moves first..last-1 of a hand of many parts; equal rests are one."""
    bound, whole = new_bound(plays, n, counts), np.int64(NONE)
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
            code += SALT[unit[card]]
        place = find(table, codes, code)
        if table[place] != NONE:
            fewest_plays[move] = fewest_plays[first + table[place]]
            bounds[move] = bounds[first + table[place]]
            continue
        table[place], codes[move - first] = move - first, code
        if parts_of(rest) <= MOST_PARTS:
            begin_search(search, plays, n, rest)
            fewest_plays[move] = fewest(search, rest)
            continue
        if whole == NONE:
            whole = learn(bound, plays, counts, _ROUNDS)
        found = whole if code == 0 else bound_of(bound, plays, rest, _ROUNDS_AFTER, whole - 1)
        fewest_plays[move], bounds[move] = found, found > 1
