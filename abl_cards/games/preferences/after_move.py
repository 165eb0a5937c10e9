"""What moves leave in the hand, and what is believed of others, as columns: the kernels of preference_inputs.py."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.description import Cells
from abl_cards.games.types import NO_CARD


def map_cards_to_columns(cells: Cells, used: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, kinds, most] for every cell that a card counts as its place among the used ones, -1 for none."""
    found = np.full(len(cells) + 1, -1, np.int32)  # the last for NO_CELL
    found[used] = np.arange(len(used))
    return found[cells.acts_as]


@njit(cache=True, nogil=True)
def write_cards_left(held_counts, context, decision, cards, card_columns, lo, hi, columns):
    """Fill columns [used, moves] of moves lo..hi-1: the cells of the hands, held_counts [used, n], less the cards."""
    begin = lo
    while begin < hi:
        end, mine = begin, decision[begin]
        while end < hi and decision[end] == mine:
            end += 1
        for column in range(columns.shape[0]):
            count = held_counts[column, mine]
            for move in range(begin, end):
                columns[column, move] = count
        by_card = card_columns[context[mine]]
        for move in range(begin, end):
            for at in range(cards.shape[1]):
                card = cards[move, at]
                if card == NO_CARD:
                    break
                for each in range(by_card.shape[1]):
                    place = by_card[card, each]
                    if place >= 0:
                        columns[place, move] -= 1
        begin = end


@njit(cache=True, nogil=True)
def write_estimate(estimate, context, card_columns, lo, hi, columns):
    """Fill columns [used, n] from estimates [n, others, kinds] of copies; halves are rounded up.

    card_columns [others, contexts, kinds, most] are columns, -1 for cells that nobody asks about.
    """
    sums = np.zeros(columns.shape[0])
    for i in range(lo, hi):
        sums[:] = 0.0
        for other in range(estimate.shape[1]):
            by_card = card_columns[other, context[i]]
            for card in range(estimate.shape[2]):
                for each in range(by_card.shape[1]):
                    place = by_card[card, each]
                    if place >= 0:
                        sums[place] += estimate[i, other, card]
        for column in range(columns.shape[0]):
            columns[column, i] = np.int16(np.floor(sums[column] + 0.5))
