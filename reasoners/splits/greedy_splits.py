"""Greedy decomposition into few pieces by 40 orders, the baseline of the paper on splitting by tagging.

Trios, bombs, single chains, pair chains and trio chains are removed from the hand one kind after the other, the longest
and then the lowest chains first. The other cards are pairs and singles. The 40 orders of the five kinds in which trios
come after bombs and trio chains are tried. The first split with the fewest pieces is the result.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel, map_ranges
from abl_cards.games.min_plays import key_counts
from abl_cards.reasoners.splits.kernels import NO_PIECE, NO_TAG
from abl_cards.reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS
from abl_cards.reasoners.splits.splits import Splits, Splitter

_SINGLE, _PAIR, _TRIO, _BOMB = range(len(TAGS))
_CHAIN = len(TAGS)
"""Added to the tag of pieces of several ranks."""
_KINDS = (_TRIO, _BOMB, _SINGLE + _CHAIN, _PAIR + _CHAIN, _TRIO + _CHAIN)


def _kind_orders() -> NDArray[np.int64]:
    """Return int64[40, 8] the orders of kinds; the rocket precedes bombs, and pairs and singles come last."""
    orders = []
    for order in permutations(_KINDS):
        if order.index(_TRIO) > max(order.index(_BOMB), order.index(_TRIO + _CHAIN)):
            kinds = [
                kind
                for next_kind in order
                for kind in ((_BOMB + _CHAIN, _BOMB) if next_kind == _BOMB else (next_kind,))
            ]
            orders.append([*kinds, _PAIR, _SINGLE])
    return np.array(orders, np.int64)


KIND_ORDERS = _kind_orders()


def split_greedily(splitter: Splitter, hands: NDArray[np.uint64]) -> Splits:
    """Split hands greedily.

    Args:
        splitter: Splitter with the pieces.
        hands: uint64[n] Keys of the hands.

    Returns:
        The splits, with scores of 0.
    """
    n, counts = len(hands), key_counts(hands).astype(np.int64)
    tags = np.full((n, MAX_CARDS), NO_TAG, np.uint8)
    labels = np.full((n, MAX_CARDS), NO_PIECE, np.int16)
    plays = np.zeros(n, np.uint8)
    map_ranges(n, lambda lo, hi: _decompose(splitter.tables, KIND_ORDERS, counts, lo, hi, tags, labels, plays))
    return Splits(tags, labels, plays, np.zeros(n))


@kernel
def _decompose(tables, orders, counts, lo, hi, tags, labels, plays):
    remaining = np.zeros(N_KINDS, np.int64)
    pieces, cards = np.zeros(MAX_CARDS, np.int16), np.zeros((N_KINDS, len(TAGS)), np.int64)
    for i in range(lo, hi):
        plays[i] = MAX_CARDS + 1
        for order in range(len(orders)):
            remaining[:], cards[:] = counts[i], 0
            count = np.int64(0)
            for kind in orders[order]:
                if kind >= _CHAIN:
                    count = _take_chains(tables, kind - _CHAIN, remaining, cards, pieces, count)
                else:
                    count = _take_groups(tables, kind, remaining, cards, pieces, count)
            if count < plays[i]:
                plays[i] = count
                labels[i, :count], labels[i, count:] = pieces[:count], NO_PIECE
                _write_tags(cards, tags[i])


@device_function
def _take_chains(tables, tag, remaining, cards, pieces, count):
    """Take all pieces of several ranks with a tag, sorted by length and rank; return the number of pieces."""
    multi_rank = tables.pieces
    for piece in range(len(multi_rank.label)):
        if multi_rank.tag[piece] != tag:
            continue
        while True:
            is_possible = True
            for rank in range(multi_rank.first_rank[piece], multi_rank.last_rank[piece] + 1):
                is_possible = is_possible and remaining[rank] >= tables.group_size[rank, tag]
            if not is_possible:
                break
            for rank in range(multi_rank.first_rank[piece], multi_rank.last_rank[piece] + 1):
                remaining[rank] -= tables.group_size[rank, tag]
                cards[rank, tag] += tables.group_size[rank, tag]
            pieces[count] = multi_rank.label[piece]
            count += 1
    return count


@device_function
def _take_groups(tables, tag, remaining, cards, pieces, count):
    for rank in range(N_KINDS):
        size = tables.group_size[rank, tag]
        while tables.group_label[rank, tag] >= 0 and remaining[rank] >= size:
            remaining[rank] -= size
            cards[rank, tag] += size
            pieces[count] = tables.group_label[rank, tag]
            count += 1
    return count


@device_function
def _write_tags(cards, tags):
    index = 0
    for rank in range(N_KINDS):
        for tag in range(len(TAGS)):
            for _ in range(cards[rank, tag]):
                tags[index] = tag
                index += 1
