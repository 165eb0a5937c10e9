"""The classical decomposition into few pieces by 40 orders, the baseline of the paper on splitting by tagging.

Trios, bombs, single chains, pair chains and trio chains are taken out of the hand kind by kind, each in full before the
next: the longest chains first, then the lowest. What is left are pairs and singles. Every order of the five kinds is
tried in which trios come after bombs and trio chains, 40 in all, and the first split with the fewest pieces is kept.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from itertools import permutations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import map_ranges
from abl_cards.games.min_plays import key_counts
from abl_cards.reasoners.splits.kernels import NO_PIECE, NO_TAG
from abl_cards.reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS
from abl_cards.reasoners.splits.splits import Splits, Splitter

_SINGLE, _PAIR, _TRIO, _BOMB = range(len(TAGS))
_CHAIN = len(TAGS)
"""Added to the tag of pieces of several ranks."""
_KINDS = (_TRIO, _BOMB, _SINGLE + _CHAIN, _PAIR + _CHAIN, _TRIO + _CHAIN)


def _kind_orders() -> NDArray[np.int64]:
    """[40, 8] the rocket goes with the bombs; pairs and singles come last."""
    found = []
    for order in permutations(_KINDS):
        if order.index(_TRIO) > max(order.index(_BOMB), order.index(_TRIO + _CHAIN)):
            before = [kind for each in order for kind in ((_BOMB + _CHAIN, _BOMB) if each == _BOMB else (each,))]
            found.append([*before, _PAIR, _SINGLE])
    return np.array(found, np.int64)


KIND_ORDERS = _kind_orders()


def split_greedily(splitter: Splitter, hands: NDArray[np.uint64]) -> Splits:
    """The splits of hands [n] as keys; what they are worth is not said."""
    n, counts = len(hands), key_counts(hands).astype(np.int64)
    tags = np.full((n, MAX_CARDS), NO_TAG, np.uint8)
    labels = np.full((n, MAX_CARDS), NO_PIECE, np.int16)
    plays = np.zeros(n, np.uint8)
    map_ranges(n, lambda lo, hi: _decompose(splitter.tables, KIND_ORDERS, counts, lo, hi, tags, labels, plays))
    return Splits(tags, labels, plays, np.zeros(n))


@njit(cache=True, nogil=True)
def _decompose(tables, orders, counts, lo, hi, tags, labels, plays):
    left = np.zeros(N_KINDS, np.int64)
    pieces, cards = np.zeros(MAX_CARDS, np.int16), np.zeros((N_KINDS, len(TAGS)), np.int64)
    for i in range(lo, hi):
        plays[i] = MAX_CARDS + 1
        for order in range(len(orders)):
            left[:], cards[:] = counts[i], 0
            number = np.int64(0)
            for kind in orders[order]:
                if kind >= _CHAIN:
                    number = _take_chains(tables, kind - _CHAIN, left, cards, pieces, number)
                else:
                    number = _take_groups(tables, kind, left, cards, pieces, number)
            if number < plays[i]:
                plays[i] = number
                labels[i, :number], labels[i, number:] = pieces[:number], NO_PIECE
                _write_tags(cards, tags[i])


@njit(cache=True, nogil=True)
def _take_chains(tables, tag, left, cards, pieces, number):
    """Take out all pieces of several ranks with a tag: they are sorted by length, then by rank."""
    larger = tables.pieces
    for piece in range(len(larger.label)):
        if larger.tag[piece] != tag:
            continue
        while True:
            there = True
            for rank in range(larger.first_rank[piece], larger.last_rank[piece] + 1):
                there = there and left[rank] >= tables.group_size[rank, tag]
            if not there:
                break
            for rank in range(larger.first_rank[piece], larger.last_rank[piece] + 1):
                left[rank] -= tables.group_size[rank, tag]
                cards[rank, tag] += tables.group_size[rank, tag]
            pieces[number] = larger.label[piece]
            number += 1
    return number


@njit(cache=True, nogil=True)
def _take_groups(tables, tag, left, cards, pieces, number):
    for rank in range(N_KINDS):
        size = tables.group_size[rank, tag]
        while tables.group_label[rank, tag] >= 0 and left[rank] >= size:
            left[rank] -= size
            cards[rank, tag] += size
            pieces[number] = tables.group_label[rank, tag]
            number += 1
    return number


@njit(cache=True, nogil=True)
def _write_tags(cards, tags):
    place = 0
    for rank in range(N_KINDS):
        for tag in range(len(TAGS)):
            for _ in range(cards[rank, tag]):
                tags[place] = tag
                place += 1
