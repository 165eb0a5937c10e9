"""From a legal label to its concrete card sets: the kernels that lay down cards.

They read the same facts as the rules that decide legality (shapes.py) and nothing else. Cards come out in wire order:
the groups of a form in their order, inside a group the natural cards in hand order, wild cards standing in at its
end.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.guandan.combinations import Combinations
from abl_cards.games.guandan.shapes import MIXED, SUITED, TAILED, Layout
from abl_cards.games.tables import Moves
from abl_cards.streams import below, mix

MOST_CARDS = 10
EVERY_LABEL, NO_LABEL = -1, -2
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

    def at(self, rows: NDArray[np.int64]) -> Hands:
        """Some of the hands."""
        return Hands(self.natural[rows], self.wilds[rows], self.level[rows])


class Rulebook(NamedTuple):
    """What the kernels know of the rules."""

    layout: Layout
    combinations: Combinations
    wild_suit: int  # in hand order; -1 where there are no wild cards
    own_weight: int  # what one wild card adds to the pattern of its own rank
    order: NDArray[np.int8]  # [17, 15] by level: the ranks from weak to strong
    wire: NDArray[np.int16]  # [17, blocks] by level: the blocks in wire order
    label_blocks: NDArray[np.int16]  # [labels, 2]


class _Hand(NamedTuple):
    """One row of Hands."""

    natural: NDArray[np.uint8]  # [17, 4]
    wilds: int
    level: int
    allowed: NDArray[np.uint8]  # [forms]


class _Window(NamedTuple):
    """Which of the card sets are wanted: number k goes to row ``at + k - first`` of the moves."""

    first: int
    last: int
    stop: int  # walk no further
    at: int


class _Walk(NamedTuple):
    """Where a walk through the card sets of a block stands; groups laid down so far are the depth."""

    state: NDArray[np.int64]  # [8, 8] by the names below, by depth
    laid: NDArray[np.uint8]  # [10] the cards on the table


_ROW, _END = 0, 1  # combinations of the next group still to try
_WILDS = 2  # wild cards left
_STAND_INS = 3  # wild cards that stand for others
_LAID = 4  # cards on the table
_SHOWN = 5  # their suits as bits
_SUIT = 6  # of the natural cards where all have one; -1 as long as there is none
_OWN = 7  # wild cards in their own rank


@njit(cache=True, nogil=True, inline="always")
def card_of(value, suit):
    """The place in the 54-vector of a rank 2..16 and a suit in hand order."""
    if value >= _JOKERS_FROM:
        return np.uint8(52 + value - _JOKERS_FROM)
    return np.uint8(4 * ((value - 1) % 13) + _SUIT_OF_VECTOR[suit])


@njit(cache=True, nogil=True)
def read_hand(hand, level, wild_suit, natural):
    """Fill natural [17, 4] from a 54-vector; returns the number of wild cards."""
    for value in range(2, _JOKERS_FROM):
        for suit in range(4):
            natural[value, suit] = hand[card_of(value, suit)]
    natural[_JOKERS_FROM, 0] = hand[52]
    natural[_JOKERS_FROM + 1, 0] = hand[53]
    if wild_suit < 0:
        return 0
    wilds = natural[level, wild_suit]
    natural[level, wild_suit] = 0
    return wilds


@njit(cache=True, nogil=True, inline="always")
def _pattern(natural, value, level, wilds, own_weight):
    """The candidate list of a rank; in its own group a wild card lies among the natural ones."""
    code = natural[value, 0] + 3 * natural[value, 1] + 9 * natural[value, 2] + 27 * natural[value, 3]
    return code + wilds * (own_weight if value == level else 81)


@njit(cache=True, nogil=True, inline="always")
def _lay(laid, filled, counts, row, value, level, wild_suit):
    """Put one group's cards behind the others; returns how many cards lie there now."""
    for suit in range(4):
        for _ in range(counts[row, suit]):
            laid[filled] = card_of(value, suit)
            filled += 1
    for _ in range(counts[row, _STAND_IN]):
        laid[filled] = card_of(level, wild_suit)
        filled += 1
    return filled


@njit(cache=True, nogil=True, inline="always")
def _shown(counts, row, wild_suit):
    """The suits of a combination as bits."""
    bits = 0
    for suit in range(4):
        if counts[row, suit] > 0:
            bits |= 1 << suit
    return bits | (1 << wild_suit) if counts[row, _STAND_IN] > 0 else bits


@njit(cache=True, nogil=True, inline="always")
def _suit_of(counts, row, otherwise):
    """The suit of a natural card of a combination, or another answer where there is none."""
    found = otherwise
    for suit in range(4):
        if counts[row, suit] > 0:
            found = suit
    return found


@njit(cache=True, nogil=True, inline="always")
def _write(laid, filled, index, row, form, cards):
    """Keep a card set."""
    form[row] = index
    for place in range(MOST_CARDS):
        cards[row, place] = laid[place] if place < filled else NO_CARD


# The two walks below are one function each, with their arrays in local names: every array that crosses a call or leaves
# a tuple in the inner loop costs a counted reference, and that made them five times slower.


@njit(cache=True, nogil=True)
def _walk_block(rules, block, hand, walk, seen, window, form, cards):
    """Walk the card sets of a block, the first of which has the number ``seen``; returns the number after the last."""
    layout, natural, allowed, level = rules.layout, hand.natural, hand.allowed, hand.level
    start, counts = rules.combinations.start, rules.combinations.counts
    wild_suit, own_weight = rules.wild_suit, rules.own_weight
    values, sizes, reals, suit_form = (
        layout.value[block],
        layout.size[block],
        layout.natural[block],
        layout.suit_form[block],
    )
    groups, mode, most = np.int64(layout.groups[block]), layout.mode[block], layout.wilds[block]
    only = np.int64(layout.form[block])
    if only >= 0 and not allowed[only]:
        return seen
    state, laid = walk.state, walk.laid
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    laying = last > first  # else it is only counted
    for name in range(8):
        state[name, 0] = 0
    state[_WILDS, 0], state[_SUIT, 0] = hand.wilds, -1
    depth, entering = np.int64(0), True
    while depth >= 0 and seen < stop:
        if depth == groups:
            if mode == TAILED:
                seen = _walk_tails(rules, block, hand, walk, depth, seen, window, form, cards)
            else:
                index = only
                if mode == MIXED:
                    shown = state[_SHOWN, depth]
                    index = only if shown & (shown - 1) else np.int64(-1)
                elif mode == SUITED:
                    suit = state[_SUIT, depth]
                    index = np.int64(suit_form[suit]) if suit >= 0 else np.int64(-1)
                    strangers = state[_STAND_INS, depth] + (0 if suit == wild_suit else state[_OWN, depth])
                    if index >= 0 and (not allowed[index] or strangers > most):
                        index = np.int64(-1)
                if index >= 0:
                    if first <= seen < last:
                        _write(laid, state[_LAID, depth], index, shift + seen, form, cards)
                    seen += 1
            depth, entering = depth - 1, False
            continue
        value = np.int64(values[depth])
        if entering:
            pattern = _pattern(natural, value, level, state[_WILDS, depth], own_weight)
            state[_ROW, depth] = start[pattern, sizes[depth]]
            state[_END, depth] = start[pattern, sizes[depth] + 1]
        row = state[_ROW, depth]
        if row == state[_END, depth]:
            depth, entering = depth - 1, False
            continue
        state[_ROW, depth], entering = row + 1, False
        standing = np.int64(counts[row, _STAND_IN])
        if standing > sizes[depth] - reals[depth] or state[_STAND_INS, depth] + standing > most:
            continue
        own = np.int64(counts[row, wild_suit]) if value == level and wild_suit >= 0 else np.int64(0)
        suit = state[_SUIT, depth]
        if mode == SUITED and own == 0:
            mine = _suit_of(counts, row, suit)
            if suit >= 0 and mine != suit:
                continue
            suit = mine
        if laying:
            state[_LAID, depth + 1] = _lay(laid, state[_LAID, depth], counts, row, value, level, wild_suit)
        state[_WILDS, depth + 1] = state[_WILDS, depth] - standing - own
        state[_STAND_INS, depth + 1] = state[_STAND_INS, depth] + standing
        state[_SHOWN, depth + 1] = state[_SHOWN, depth] | _shown(counts, row, wild_suit)
        state[_SUIT, depth + 1] = suit
        state[_OWN, depth + 1] = state[_OWN, depth] + own
        depth, entering = depth + 1, True
    return seen


@njit(cache=True, nogil=True)
def _walk_tails(rules, block, hand, walk, depth, seen, window, form, cards):
    """The last group in every rank it may have, weak ranks first: the pairs of a full house."""
    layout, natural, allowed, level = rules.layout, hand.natural, hand.allowed, hand.level
    start, counts = rules.combinations.start, rules.combinations.counts
    wild_suit, own_weight = rules.wild_suit, rules.own_weight
    tail_form, tail_natural, order = layout.tail_form[block], layout.tail_natural[block], rules.order[level]
    state, laid = walk.state, walk.laid
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    size, filled, wilds = np.int64(layout.tail_count[block]), state[_LAID, depth], state[_WILDS, depth]
    spare = layout.wilds[block] - state[_STAND_INS, depth]
    for place in range(len(order)):
        value = np.int64(order[place])
        index = tail_form[value]
        if index < 0 or not allowed[index]:
            continue
        pattern = _pattern(natural, value, level, wilds, own_weight)
        most = min(size - tail_natural[value], spare)
        for row in range(start[pattern, size], start[pattern, size + 1]):
            if counts[row, _STAND_IN] <= most and seen < stop:
                if first <= seen < last:
                    _write(
                        laid, _lay(laid, filled, counts, row, value, level, wild_suit), index, shift + seen, form, cards
                    )
                seen += 1
    return seen


@njit(cache=True, nogil=True)
def _new_walk():
    return _Walk(np.empty((8, 8), dtype=np.int64), np.empty(MOST_CARDS, dtype=np.uint8))


@njit(cache=True, nogil=True)
def _hand(hands, allowed, i):
    return _Hand(hands.natural[i], np.int64(hands.wilds[i]), np.int64(hands.level[i]), allowed[:, i])


@njit(cache=True, nogil=True)
def list_moves(rules, hands, labels, legal, allowed, lo, hi, start, form, cards):
    """All card sets of decisions lo..hi-1 in wire order, or those of one label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are.
    """
    walk = _new_walk()
    everything = _Window(np.int64(0), np.int64(form.shape[0]), np.int64(ROOM_FOR_ALL), np.int64(0))
    seen = start[lo]
    for i in range(lo, hi):
        hand = _hand(hands, allowed, i)
        for block in rules.wire[hand.level]:
            label = rules.layout.label[block]
            if legal[label, i] and (labels[i] == EVERY_LABEL or labels[i] == label):
                seen = _walk_block(rules, np.int64(block), hand, walk, seen, everything, form, cards)
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def _walk_label(rules, label, hand, walk, window, form, cards):
    """Walk the card sets of a label; returns how many there are up to the window's stop."""
    seen = np.int64(0)
    for block in range(np.int64(rules.label_blocks[label, 0]), np.int64(rules.label_blocks[label, 1])):
        seen = _walk_block(rules, block, hand, walk, seen, window, form, cards)
    return seen


@njit(cache=True, nogil=True)
def _realise(rules, hands, labels, allowed, keys, lo, hi, form, cards):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    The form is NO_LABEL where there is no card set.
    """
    walk = _new_walk()
    for i in range(lo, hi):
        form[i] = NO_LABEL
        if not 0 <= labels[i] < len(rules.label_blocks):
            continue
        hand, here = _hand(hands, allowed, i), np.int64(i)
        pick = np.int64(0)
        if len(keys) > 0:
            counting = _Window(np.int64(0), np.int64(0), np.int64(ROOM_FOR_ALL), here)
            count = _walk_label(rules, labels[i], hand, walk, counting, form, cards)
            pick = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(count)))
        _walk_label(rules, labels[i], hand, walk, _Window(pick, pick + 1, pick + 1, here), form, cards)


def realise_first(
    rules: Rulebook, hands: Hands, labels: NDArray[np.int16], allowed: NDArray[np.uint8], lo: int, hi: int, moves: Moves
) -> None:
    """The first card set in wire order of one legal label a decision, for decisions lo..hi-1."""
    _realise(rules, hands, labels, allowed, np.empty(0, np.uint64), lo, hi, *moves)


def realise_random(
    rules: Rulebook,
    hands: Hands,
    labels: NDArray[np.int16],
    allowed: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    lo: int,
    hi: int,
    moves: Moves,
) -> None:
    """A card set of one legal label a decision, all equally likely, for decisions lo..hi-1."""
    _realise(rules, hands, labels, allowed, keys, lo, hi, *moves)
