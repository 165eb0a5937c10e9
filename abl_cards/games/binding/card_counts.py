"""Writers of columns that count how many cards act as each cell, or that set the input bits testing them directly.

The faster of the two depends on the number of kinds of cards, and on whether several kinds act as one cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import SetBits
from abl_cards.games.binding.writer import BitSettingWriter
from abl_cards.games.description import Cells
from abl_cards.games.types import Indices


@dataclass(frozen=True)
class HandCardCounts(BitSettingWriter):
    """Writer of card counts for dense vectors of cards, such as hands.

    Attributes:
        cells: Cells of the game.
        get_cards: Returns uint8 [tables, blocks, kinds], copies of each card.
        rows: int64 [n], indices of tables; None for all tables in order, which avoids a copy.
        get_context: Returns [n], index of the context of each state.
    """

    cells: Cells
    get_cards: Callable[[], NDArray[np.uint8]]
    rows: Indices | None
    get_context: Callable[[], NDArray[np.integer]]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """Write the used columns of the states lo..hi-1, as a ``ColumnWriter``."""
        cells, cards = self.cells, self.get_cards()
        for block, block_columns in cells.iter_blocks(used, cards.shape[1]):
            counts = np.ascontiguousarray(cards[:, block]) if self.rows is None else cards[self.rows, block]
            block_cells = used[block_columns] % len(cells)
            cells.add_counts(counts, self.get_context(), block_cells, lo, hi, columns[block_columns])

    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """Return a function that sets the input bits; None if a tested cell stands for several kinds of cards."""
        if not self.cells.has_single_kinds(slots):
            return None
        cards = self.get_cards()
        rows = np.arange(len(cards)) if self.rows is None else self.rows
        return partial(self.cells.set_bits_dense, cards, rows, self.get_context(), slots)


@dataclass(frozen=True)
class TrickCardCounts(BitSettingWriter):
    """Writer of card counts for sparse vectors of cards, such as those in a trick.

    Attributes:
        cells: Cells of the game.
        cards: uint8 [tables, seats, kinds], copies of each card.
        rows: int64 [n], indices of tables.
        get_context: Returns [n], index of the context of each state.
    """

    cells: Cells
    cards: NDArray[np.uint8]
    rows: Indices
    get_context: Callable[[], NDArray[np.integer]]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """Write the used columns of the states lo..hi-1, as a ``ColumnWriter``."""
        self.cells.add_seat_counts(self.cards, self.rows, self.get_context(), used, lo, hi, columns)

    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """Return a function that sets the input bits; None if the cards of a table are not a multiple of 8 bytes."""
        if not self.cells.is_word_aligned(self.cards):
            return None
        return partial(self.cells.set_bits_sparse, self.cards, self.rows, self.get_context(), slots)
