"""Cards that must be among those laid down: which card sets hold them, and which labels have such a card set."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.tables import MoveLists


def keep_labels(
    legal: NDArray[np.uint8], lists: MoveLists, label_of: NDArray[np.int16], wanted: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> None:  # fmt: skip
    """Of the legal labels [labels, n] of some rows, leave those that have a card set with all wanted cards [kinds, n].

    The lists hold every card set of these rows. A column of the mask is spread over memory: it is read where there are
    card sets, and nowhere else.
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
    for row in rows:
        for move in range(start[row], start[row + 1]):
            label = label_of[form[move]]
            there[label] = there[label] or _lacking(cards, move, wanted, row) == 0
        for move in range(start[row], start[row + 1]):
            label = label_of[form[move]]
            if not there[label]:
                legal[label, row] = 0
        for move in range(start[row], start[row + 1]):
            there[label_of[form[move]]] = False
