"""Counts plays of small hands of any game: all ways to take a hand apart, by what it could lead.

The plays are the card sets that the hand could lead, as circuits and walk have them, and those forms that are played as
a whole hand only, such as a trio whose kickers have run out. It rests on this: a hand has few parts, at most 2 ** 16;
and what a hand can lead a part of it can lead, too, where it holds the cards.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.counting.shapes import CannotCount, read_shapes
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.state import NOBODY
from abl_cards.games.play.view import View
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, MoveLists
from abl_cards.parallel import each_share

MOST_PARTS = 1 << 16
_MOST_UNITS, _MOST_OF_ONE = 15, 7  # held at once, and copies of one: a key has four bits for each
_FAR = 200
_AT_ONCE = 1 << 9  # hands whose card sets are listed at once
_PART, _WHOLE = np.bool_(False), np.bool_(True)  # for literals numba would compile a kernel each
_LATE = 1 << 14  # acts: the duties of a first play are over
_PROBES = 4


@dataclass(frozen=True)
class SmallHandCounter:
    """Counts plays on all cores."""

    rules: Rules
    unit: NDArray[np.int64]  # [contexts, kinds] what is told apart: ranks where suits do not matter, else kinds

    @classmethod
    def of(cls, rules: Rules) -> SmallHandCounter:
        """The counter of a game; raises CannotCount."""
        try:
            unit = read_shapes(rules).rank
        except CannotCount:
            unit = np.tile(np.arange(len(rules.pack)), (len(rules.contexts), 1))
        copies = np.bincount(unit[0], rules.pack.copies).astype(int)
        parts, units = _most_parts(copies.tolist(), rules.largest_hand)
        if parts > MOST_PARTS or units > _MOST_UNITS or copies.max() > _MOST_OF_ONE:
            raise CannotCount(f"a hand of {rules.largest_hand} cards has up to {parts} parts, {MOST_PARTS} are counted")
        return cls(rules, unit)

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""
        start = np.arange(len(hands) + 1)
        return self.after(hands, context, start, np.full((len(hands), 1), NO_CARD, np.uint8))

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""
        plays = np.zeros(len(cards), np.uint8)
        for lo in range(0, len(hands), _AT_ONCE):
            part = slice(lo, min(lo + _AT_ONCE, len(hands)))
            decisions = _leading(self.rules, context[part], hands[part])
            lists, whole = decisions.moves(), self._whole(decisions)
            here = start[part.start : part.stop + 1]
            told = (
                np.ascontiguousarray(hands[part]), self.unit[context[part]], lists.start, lists.cards, whole.start,
                whole.cards, here - here[0], cards[here[0] : here[-1]],
            )  # fmt: skip
            mine = plays[here[0] : here[-1]]
            each_share(len(lists.start) - 1, partial(_count, *told, mine), least=32)
        return plays

    def _whole(self, decisions: Decisions) -> MoveLists:
        """The card sets of forms that are played as whole hands only."""
        n, forms = len(decisions.which), self.rules.forms
        if not len(self._only_whole):
            return MoveLists(np.zeros(n + 1, np.int64), np.empty(0, np.int16), np.empty((0, 1), np.uint8))
        allowed, legal = np.zeros((len(forms), n), np.uint8), np.zeros((len(forms.labels), n), np.uint8)
        allowed[self._only_whole], legal[forms.label_of[self._only_whole]] = 1, 1
        return Decisions.answered(decisions.view, legal, allowed).moves()

    @cached_property
    def _only_whole(self) -> NDArray[np.int64]:
        """Forms that a hand can lead when it has no other cards, and with others never."""
        rules = self.rules
        exact = np.stack([_cards_of(rules, form) for form in rules.forms.forms])
        alone = _allowed(rules, exact)
        more = np.zeros(len(exact), np.bool_)
        random = np.random.default_rng(0)
        for probe in range(_PROBES):
            more |= _allowed(rules, _filled(rules, exact, probe, random))
        return np.flatnonzero(alone & ~more & (exact.sum(axis=1) > 0))


def _most_parts(copies: list[int], cards: int) -> tuple[int, int]:
    """How many parts the worst hand of so many cards has, and how many units it holds."""
    held = [0] * len(copies)
    for _ in range(min(cards, sum(copies))):
        unit = min((each for each in range(len(copies)) if held[each] < copies[each]), key=held.__getitem__)
        held[unit] += 1
    parts = 1
    for count in held:
        parts *= count + 1
    return parts, min(cards, len(copies))


def _leading(rules: Rules, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> Decisions:
    """What hands [n, kinds] could lead, when the play is well under way."""
    n, state = len(hands), rules.tables(len(hands))
    state.hands[:, 0], state.context[:], state.acts[:] = hands, context, _LATE
    state.fluents[:] = rules.contexts.states[context]
    state.recent_seat[:] = NOBODY
    return Decisions(View(rules, state, np.arange(n), np.zeros(n, np.int8), at_table=False))


def _allowed(rules: Rules, hands: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[forms] whether each hand [forms, kinds] could lead the form of its number."""
    decisions = _leading(rules, np.zeros(len(hands), np.int64), hands)
    return decisions.allowed[np.arange(len(hands)), np.arange(len(hands))] == 1


def _cards_of(rules: Rules, form: Form) -> NDArray[np.uint8]:
    """[kinds] some cards that make a form, none of them wild."""
    hand, left = np.zeros(len(rules.pack), np.uint8), rules.pack.copies.astype(np.int64)

    def take(cell: int, count: int) -> None:
        kinds = np.flatnonzero((rules.cells.acts[0] == cell).any(axis=1))
        for kind in kinds:
            taken = min(count, int(left[kind]))
            hand[kind], left[kind], count = hand[kind] + taken, left[kind] - taken, count - taken

    for group in form.groups:
        take(group.cell, group.count)
    if form.kickers:
        main = {group.cell for group in form.groups}
        others = [cell for cell, bits in sorted(form.kickers.allowed.items()) if cell not in main and bits & 2]
        for cell in others[: form.kickers.groups]:
            take(cell, form.kickers.size)
    return hand


def _filled(rules: Rules, hands: NDArray[np.uint8], probe: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """The same hands with more cards: one, or as many as a hand can have."""
    filled, room = hands.copy(), rules.pack.copies - hands
    sizes = np.where(probe % 2, rules.largest_hand - hands.sum(axis=1, dtype=np.int64), 1)
    for row, size in enumerate(sizes):
        more = min(int(size), int(room[row].sum()))
        if more > 0:
            filled[row] += random.multivariate_hypergeometric(room[row].astype(np.int64), more).astype(np.uint8)
    return filled


@njit(cache=True, nogil=True)
def _count(hands, unit, start, sets, whole_start, whole_sets, move_start, moves, plays, lo, hi):
    """Fill plays [moves] of decisions lo..hi-1, whose hands [n, kinds] of units [n, kinds] can lead these card sets."""
    most = 0
    for i in range(lo, hi):
        most = max(most, start[i + 1] - start[i] + whole_start[i + 1] - whole_start[i])
    key, delta, whole = np.zeros(most, np.uint64), np.zeros(most, np.int64), np.zeros(most, np.bool_)
    order, first = np.zeros(most, np.int64), np.zeros(18, np.int64)
    memo, seen = np.zeros(MOST_PARTS, np.uint8), np.zeros(MOST_PARTS, np.uint8)
    units = unit.max() + 1
    counts, place, stride = np.zeros(units, np.int64), np.zeros(units, np.int64), np.zeros(units, np.int64)
    stack = np.zeros((256, 4), np.int64)
    for i in range(lo, hi):
        counts[:] = 0
        for kind in range(hands.shape[1]):
            counts[unit[i, kind]] += hands[i, kind]
        held, parts = 0, 1
        for each in range(units):
            if counts[each]:
                place[each], stride[each] = held, parts
                held, parts = held + 1, parts * (counts[each] + 1)
        memo[:parts], seen[:parts] = 0, 0
        found = _take_sets(
            unit[i], place, stride, sets, start[i], start[i + 1], _PART, seen, key, delta, whole, np.int64(0)
        )
        first_whole, last_whole = whole_start[i], whole_start[i + 1]
        found = _take_sets(
            unit[i], place, stride, whole_sets, first_whole, last_whole, _WHOLE, seen, key, delta, whole, found
        )
        _sort(key, found, order, first)
        full, index = np.uint64(0), np.int64(0)
        for each in range(units):
            if counts[each]:
                full += np.uint64(counts[each]) << np.uint64(4 * place[each])
                index += counts[each] * stride[each]
        for move in range(move_start[i], move_start[i + 1]):
            rest, at = full, index
            for card in moves[move]:
                if card == NO_CARD:
                    break
                mine = unit[i, card]
                rest -= np.uint64(1) << np.uint64(4 * place[mine])
                at -= stride[mine]
            plays[move] = _fewest(rest, at, key, delta, whole, order, first, memo, stack)


@njit(cache=True, nogil=True)
def _take_sets(unit, place, stride, sets, lo, hi, alone, seen, key, delta, whole, found):
    """Write down the card sets lo..hi-1, equal ones once; returns how many there are now."""
    for row in range(lo, hi):
        mine, at = np.uint64(0), np.int64(0)
        for card in sets[row]:
            if card == NO_CARD:
                break
            mine += np.uint64(1) << np.uint64(4 * place[unit[card]])
            at += stride[unit[card]]
        if at and not seen[at]:
            seen[at] = 1
            key[found], delta[found], whole[found] = mine, at, alone
            found += 1
    return found


@njit(cache=True, nogil=True)
def _sort(key, found, order, first):
    """By their lowest unit: those of unit u are order[first[u] : first[u + 1]]."""
    at = 0
    for unit in range(16):
        first[unit] = at
        for each in range(found):
            if _lowest(key[each]) == unit:
                order[at] = each
                at += 1
    first[16] = at


@njit(cache=True, nogil=True, inline="always")
def _lowest(key):
    unit = 0
    while unit < 15 and (key >> np.uint64(4 * unit)) & np.uint64(15) == 0:
        unit += 1
    return unit


_TOPS = np.uint64(0x8888888888888888)


@njit(cache=True, nogil=True)
def _fewest(rest, at, key, delta, whole, order, first, memo, stack):
    """The least number of plays of a part; what is found out is kept, one more than it, in memo."""
    if at == 0:
        return 0
    depth = 0
    keys = stack[:, 3].view(np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], keys[0] = at, first[_lowest(rest)], _FAR, np.int64(rest)
    while depth >= 0:
        here = stack[depth, 0]
        mine = np.uint64(keys[depth])
        end = first[_lowest(mine) + 1]
        pushed = False
        while memo[here] == 0 and stack[depth, 1] < end:
            play = order[stack[depth, 1]]
            left = here - delta[play]
            if ((mine | _TOPS) - key[play]) & _TOPS != _TOPS or (whole[play] and left != 0):
                stack[depth, 1] += 1
            elif left == 0:
                stack[depth, 2], stack[depth, 1] = 1, end
            elif memo[left]:
                stack[depth, 2] = min(stack[depth, 2], np.int64(memo[left]))
                stack[depth, 1] += 1
            else:
                depth += 1
                gone = mine - key[play]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = left, first[_lowest(gone)], _FAR
                keys[depth] = np.int64(gone)
                pushed = True
                break
        if not pushed:
            if memo[here] == 0:
                memo[here] = min(_FAR, stack[depth, 2]) + 1
            depth -= 1
    return memo[at] - 1
