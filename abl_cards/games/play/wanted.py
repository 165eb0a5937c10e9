"""Cards that must be among those laid down: which card sets hold them, and which labels have such a card set."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.book import GROUPS, KICKERS, MODE, ONLY, RANK, Book
from abl_cards.games.reading.layout import PLAIN
from abl_cards.games.tables import MoveLists


def reach_of(book: Book, kinds: int) -> NDArray[np.float32]:
    """[labels, kinds] 1 where a card set of the label can have such a card among its cards, by what its groups are."""
    found = np.zeros((len(book.label_blocks), kinds), np.float32)
    stand_ins = book.wild[:, :, 0]
    for label, (first, last) in enumerate(book.label_blocks):
        for block in range(first, last):
            if book.blocks[block, KICKERS] or book.blocks[block, MODE] != PLAIN:
                found[label] = 1
                continue
            found[label, stand_ins[stand_ins >= 0]] = 1
            for group in range(book.blocks[block, GROUPS]):
                cards, slot = book.kind[book.groups[block, RANK, group]], book.groups[block, ONLY, group]
                cards = cards if slot < 0 else cards[slot : slot + 1]
                found[label, cards[cards >= 0]] = 1
    return found


def reaching(reach: NDArray[np.float32], wanted: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[labels, n] whether a label can have all wanted cards [kinds, n] among its cards, if the hand allows it."""
    there: NDArray[np.bool_] = reach @ wanted.astype(np.float32) >= wanted.sum(axis=0)
    return there


def keep_labels(
    legal: NDArray[np.uint8], lists: MoveLists, label_of: NDArray[np.int16], wanted: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> None:  # fmt: skip
    """Of the legal labels [labels, n] of some rows, leave those that have a card set with all wanted cards [kinds, n].

    The lists are those of these rows and hold every card set. A column of the mask is spread over memory: it is read
    where there are card sets, and nowhere else.
    """
    _keep_labels(legal, *lists, label_of, wanted, rows)


def keep_sets(lists: MoveLists, wanted: NDArray[np.uint8], rows: NDArray[np.int64]) -> MoveLists:
    """Of the card sets of some rows those with all wanted cards [kinds, n]; all card sets of the others."""
    kept = np.ones(len(lists.form), np.bool_)
    _keep_sets(lists.start, lists.cards, wanted, rows, kept)
    start = np.concatenate([[0], kept.cumsum()])[lists.start]
    return MoveLists(start, lists.form[kept], lists.cards[kept])


@njit(cache=True, nogil=True)
def _lacking(cards, move, wanted, row):
    """How many of the wanted cards of a row a card set lacks."""
    lacking = 0
    for kind in range(wanted.shape[0]):
        if wanted[kind, row]:
            lacking += 1
            for place in range(cards.shape[1]):
                if cards[move, place] == kind:
                    lacking -= 1
                    break
    return lacking


@njit(cache=True, nogil=True)
def _keep_sets(start, cards, wanted, rows, kept):
    for row in rows:
        for move in range(start[row], start[row + 1]):
            kept[move] = _lacking(cards, move, wanted, row) == 0


@njit(cache=True, nogil=True)
def _keep_labels(legal, start, form, cards, label_of, wanted, rows):
    there = np.zeros(legal.shape[0], np.bool_)
    for place in range(len(rows)):
        row, moves = rows[place], range(start[place], start[place + 1])
        for move in moves:
            label = label_of[form[move]]
            there[label] = there[label] or _lacking(cards, move, wanted, row) == 0
        for move in moves:
            label = label_of[form[move]]
            if not there[label]:
                legal[label, row] = 0
        for move in moves:
            there[label_of[form[move]]] = False
