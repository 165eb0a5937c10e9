"""From a legal label to its concrete card sets: the kernels that lay down cards.

They read the same facts as the rules that decide legality (shapes.py) and nothing else. Cards come out in wire order:
the groups of a form in their order, inside a group the natural cards in hand order, wild cards standing in at its
end.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.guandan.combinations import Combinations
from abl_cards.games.guandan.shapes import MIXED, SUITED, TAILED, Layout
from abl_cards.streams import below, mix

MOST_CARDS = 10
NO_CARD = 255
ROOM_FOR_ALL = np.iinfo(np.int64).max
_JOKERS_FROM = 15
_STAND_IN = 4
_SUIT_OF_VECTOR = np.array([0, 1, 3, 2], dtype=np.uint8)  # S, H, C, D in the 54-vector's S, H, D, C


class Hands(NamedTuple):
    """What the kernels know of the seats to decide, one row a decision."""

    natural: NDArray[np.uint8]  # [n, 17, 4] natural cards by rank and suit in hand order; jokers as their first suit
    wilds: NDArray[np.uint8]  # [n] wild cards
    level: NDArray[np.int8]  # [n] rank of the episode's level


class Rulebook(NamedTuple):
    """What the kernels know of the rules."""

    layout: Layout
    combinations: Combinations
    wild_suit: int  # in hand order; -1 where there are no wild cards
    order: NDArray[np.int8]  # [17, 15] by level: the ranks from weak to strong
    wire: NDArray[np.int16]  # [17, blocks] by level: the blocks in wire order
    label_blocks: NDArray[np.int16]  # [labels, 2]


@njit(cache=True, nogil=True, inline="always")
def _card(value, suit):
    if value >= _JOKERS_FROM:
        return np.uint8(52 + value - _JOKERS_FROM)
    return np.uint8(4 * ((value - 1) % 13) + _SUIT_OF_VECTOR[suit])


@njit(cache=True, nogil=True)
def read_hand(hand, level, wild_suit, natural):
    """Fill natural [17, 4] from a 54-vector; returns the number of wild cards."""
    for value in range(2, _JOKERS_FROM):
        for suit in range(4):
            natural[value, suit] = hand[_card(value, suit)]
    natural[_JOKERS_FROM, 0] = hand[52]
    natural[_JOKERS_FROM + 1, 0] = hand[53]
    if wild_suit < 0:
        return 0
    wilds = natural[level, wild_suit]
    natural[level, wild_suit] = 0
    return wilds


@njit(cache=True, nogil=True, inline="always")
def _pattern(natural, value, wilds, level, wild_suit):
    """The candidate list of a rank; in its own group a wild card lies among the natural ones."""
    row = natural[value]
    code = row[0] + 3 * row[1] + 9 * row[2] + 27 * row[3]
    if value != level:
        return code + 81 * wilds
    if wild_suit == 0:
        return code + wilds
    if wild_suit == 1:
        return code + 3 * wilds
    return code + (9 if wild_suit == 2 else 27) * wilds


@njit(cache=True, nogil=True, inline="always")
def _lay(cards, filled, taken, value, level, wild_suit):
    """Write one group's cards behind the others; returns how many cards lie there now."""
    for suit in range(4):
        for _ in range(taken[suit]):
            cards[filled] = _card(value, suit)
            filled += 1
    for _ in range(taken[_STAND_IN]):
        cards[filled] = _card(level, wild_suit)
        filled += 1
    return filled


@njit(cache=True, nogil=True, inline="always")
def _copy(cards, filled, out):
    for place in range(MOST_CARDS):
        out[place] = cards[place] if place < filled else NO_CARD


@njit(cache=True, nogil=True, inline="always")
def _shown(taken, wild_suit):
    """The suits that lie on the table, as bits."""
    bits = 0
    for suit in range(4):
        if taken[suit] > 0:
            bits |= 1 << suit
    if taken[_STAND_IN] > 0:
        bits |= 1 << wild_suit
    return bits


@njit(cache=True, nogil=True)
def expand(rules, block, natural, wilds, level, allowed, scratch, seen, first, last, stop, form, cards, at):
    """Walk the card sets of a block; write those numbered first..last-1 to rows from ``at``; end at number ``stop``.

    ``seen`` is the number of the block's first card set; returns the number after its last. ``allowed`` [forms] comes
    from the circuit; ``scratch`` is int64 [8, 8] and uint8 [10] of the caller's.
    """
    layout, combinations = rules.layout, rules.combinations
    state, laid = scratch
    depth = 0
    mode = layout.mode[block]
    groups = layout.groups[block]
    most = layout.wilds[block]
    if layout.form[block] >= 0 and not allowed[layout.form[block]]:
        return seen
    # by row: combination, its end, wild cards left, wild cards standing in, cards laid, suits shown, suit, own wild
    state[2, 0], state[3, 0], state[4, 0], state[5, 0], state[6, 0], state[7, 0] = wilds, 0, 0, 0, -1, 0
    if groups > 0:
        pattern = _pattern(natural, layout.value[block, 0], wilds, level, rules.wild_suit)
        state[0, 0] = combinations.start[pattern, layout.size[block, 0]]
        state[1, 0] = combinations.start[pattern, layout.size[block, 0] + 1]
    while depth >= 0 and seen < stop:
        if depth == groups:
            if mode == TAILED:
                seen = _expand_tails(
                    rules, block, natural, level, allowed, state, laid, depth, seen, first, last, stop, form, cards, at
                )
            else:
                index = layout.form[block]
                good = True
                if mode == MIXED:
                    bits = state[5, depth]
                    good = (bits & (bits - 1)) != 0
                elif mode == SUITED:
                    index = layout.suit_form[block, state[6, depth]] if state[6, depth] >= 0 else -1
                    stand_ins = state[3, depth] + (0 if state[6, depth] == rules.wild_suit else state[7, depth])
                    good = index >= 0 and allowed[index] and stand_ins <= most
                if good:
                    if first <= seen < last:
                        form[at + seen - first] = index
                        _copy(laid, state[4, depth], cards[at + seen - first])
                    seen += 1
            depth -= 1
            continue
        if state[0, depth] == state[1, depth]:
            depth -= 1
            continue
        taken = combinations.counts[state[0, depth]]
        state[0, depth] += 1
        value = layout.value[block, depth]
        stand_ins = state[3, depth] + taken[_STAND_IN]
        if taken[_STAND_IN] > layout.size[block, depth] - layout.natural[block, depth] or stand_ins > most:
            continue
        own = taken[rules.wild_suit] if value == level and rules.wild_suit >= 0 else 0
        suit = state[6, depth]
        if mode == SUITED and taken[_STAND_IN] == 0 and own == 0:
            for candidate in range(4):
                if taken[candidate] > 0:
                    mine = candidate
            if suit >= 0 and suit != mine:
                continue
            suit = mine
        depth += 1
        state[2, depth] = state[2, depth - 1] - taken[_STAND_IN] - own
        state[3, depth] = stand_ins
        state[4, depth] = _lay(laid, state[4, depth - 1], taken, value, level, rules.wild_suit)
        state[5, depth] = state[5, depth - 1] | _shown(taken, rules.wild_suit)
        state[6, depth] = suit
        state[7, depth] = state[7, depth - 1] + own
        if depth < groups:
            pattern = _pattern(natural, layout.value[block, depth], state[2, depth], level, rules.wild_suit)
            state[0, depth] = combinations.start[pattern, layout.size[block, depth]]
            state[1, depth] = combinations.start[pattern, layout.size[block, depth] + 1]
    return seen


@njit(cache=True, nogil=True)
def _expand_tails(rules, block, natural, level, allowed, state, laid, depth, seen, first, last, stop, form, cards, at):
    """The last group in every rank it may have, weak ranks first: the pairs of a full house."""
    layout, combinations = rules.layout, rules.combinations
    count = layout.tail_count[block]
    for value in rules.order[level]:
        index = layout.tail_form[block, value]
        if index < 0 or not allowed[index]:
            continue
        pattern = _pattern(natural, value, state[2, depth], level, rules.wild_suit)
        most = min(count - layout.tail_natural[block, value], layout.wilds[block] - state[3, depth])
        for row in range(combinations.start[pattern, count], combinations.start[pattern, count + 1]):
            taken = combinations.counts[row]
            if taken[_STAND_IN] > most:
                continue
            if seen >= stop:
                return seen
            if first <= seen < last:
                filled = _lay(laid, state[4, depth], taken, value, level, rules.wild_suit)
                form[at + seen - first] = index
                _copy(laid, filled, cards[at + seen - first])
            seen += 1
    return seen


@njit(cache=True, nogil=True)
def list_moves(rules, hands, labels, legal, allowed, lo, hi, start, form, cards):
    """All card sets of decisions lo..hi-1 in wire order, or those of one label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are.
    """
    scratch = (np.empty((8, 8), dtype=np.int64), np.empty(MOST_CARDS, dtype=np.uint8))
    room = form.shape[0]
    seen = start[lo]
    for i in range(lo, hi):
        for block in rules.wire[hands.level[i]]:
            label = rules.layout.label[block]
            if legal[label, i] and (labels[i] < 0 or labels[i] == label):
                seen = expand(
                    rules, block, hands.natural[i], hands.wilds[i], hands.level[i], allowed[:, i], scratch,
                    seen, 0, room, ROOM_FOR_ALL, form, cards, 0,
                )  # fmt: skip
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def _walk_label(rules, label, hands, i, allowed, scratch, first, last, stop, form, cards):
    seen = 0
    for block in range(rules.label_blocks[label, 0], rules.label_blocks[label, 1]):
        seen = expand(
            rules, block, hands.natural[i], hands.wilds[i], hands.level[i], allowed[:, i], scratch,
            seen, first, last, stop, form, cards, i,
        )  # fmt: skip
    return seen


@njit(cache=True, nogil=True)
def realise_first(rules, hands, labels, allowed, lo, hi, form, cards):
    """The first card set in wire order of one label a decision, for decisions lo..hi-1."""
    scratch = (np.empty((8, 8), dtype=np.int64), np.empty(MOST_CARDS, dtype=np.uint8))
    for i in range(lo, hi):
        _walk_label(rules, labels[i], hands, i, allowed, scratch, 0, 1, 1, form, cards)


@njit(cache=True, nogil=True)
def realise_random(rules, hands, labels, allowed, keys, lo, hi, form, cards):
    """A uniformly random card set of one label a decision, for decisions lo..hi-1."""
    scratch = (np.empty((8, 8), dtype=np.int64), np.empty(MOST_CARDS, dtype=np.uint8))
    for i in range(lo, hi):
        count = _walk_label(rules, labels[i], hands, i, allowed, scratch, 0, 0, ROOM_FOR_ALL, form, cards)
        pick = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(count)))
        _walk_label(rules, labels[i], hands, i, allowed, scratch, pick, pick + 1, pick + 1, form, cards)
