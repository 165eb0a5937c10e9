"""Kernels of ``preference_inputs.py``: columns of the cards left after moves, and of hand estimates."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.description import Cells
from abl_cards.games.types import NO_CARD


def map_cards_to_columns(cells: Cells, used: NDArray[np.int64]) -> NDArray[np.int32]:
    """Map cards to the columns of the cells that they act as.

    Args:
        cells: Cells of the game.
        used: int64 [used], cells that have a column.

    Returns:
        int32 [contexts, kinds, max cells], index in ``used``, -1 for none.
    """
    column_of = np.full(len(cells) + 1, -1, np.int32)  # the last entry stands for NO_CELL
    column_of[used] = np.arange(len(used))
    return column_of[cells.acts_as]


@kernel
def write_cards_left(held_counts, context, decision, cards, card_columns, lo, hi, columns):
    """Fill columns with the cards left of each cell after moves lo..hi-1.

    Args:
        held_counts: int16 [used, n], cards of the hand that act as each cell.
        context: int16 [n], order context.
        decision: int64 [moves], decision of each move, ascending.
        cards: uint8 [moves, max cards], cards of each move.
        card_columns: int32 [contexts, kinds, max cells], as ``map_cards_to_columns`` returns it.
        lo: First move.
        hi: Move after the last.
        columns: int16 [used, moves], receives the counts.
    """
    begin = lo
    while begin < hi:
        end, row = begin, decision[begin]
        while end < hi and decision[end] == row:
            end += 1
        for column in range(columns.shape[0]):
            count = held_counts[column, row]
            for move in range(begin, end):
                columns[column, move] = count
        columns_of = card_columns[context[row]]
        for move in range(begin, end):
            for position in range(cards.shape[1]):
                card = cards[move, position]
                if card == NO_CARD:
                    break
                for cell in range(columns_of.shape[1]):
                    column_index = columns_of[card, cell]
                    if column_index >= 0:
                        columns[column_index, move] -= 1
        begin = end


@kernel
def write_estimate(estimate, context, card_columns, lo, hi, columns):
    """Fill columns with estimated cards of each cell, rounded half up, for decisions lo..hi-1.

    Args:
        estimate: float32 [n, others, kinds], estimated copies.
        context: int16 [n], order context.
        card_columns: int32 [others, contexts, kinds, max cells], column of each cell, -1 for none.
        lo: First decision.
        hi: Decision after the last.
        columns: int16 [used, n], receives the counts.
    """
    sums = np.zeros(columns.shape[0])
    for i in range(lo, hi):
        sums[:] = 0.0
        for other in range(estimate.shape[1]):
            columns_of = card_columns[other, context[i]]
            for card in range(estimate.shape[2]):
                for cell in range(columns_of.shape[1]):
                    column_index = columns_of[card, cell]
                    if column_index >= 0:
                        sums[column_index] += estimate[i, other, card]
        for column in range(columns.shape[0]):
            columns[column, i] = np.int16(np.floor(sums[column] + 0.5))
