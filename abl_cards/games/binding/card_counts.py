"""What fills columns that say how many cards act as each cell; or lights the inputs that test them.

Which is sooner hangs on how many kinds of cards there are, and on whether a cell may be several of them.
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
    """Cards [tables, blocks, kinds] at tables rows [n], block by block: hands, and whatever is as many cards.

    Where there is no which, these are all of them in their order, and nothing is copied.
    """

    cells: Cells
    get_cards: Callable[[], NDArray[np.uint8]]
    rows: Indices | None
    get_context: Callable[[], NDArray[np.integer]]  # [n]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """See ``ColumnWriter``."""
        cells, cards = self.cells, self.get_cards()
        for block, mine in cells.iter_blocks(used, cards.shape[1]):
            told = np.ascontiguousarray(cards[:, block]) if self.rows is None else cards[self.rows, block]
            cells.add_counts(told, self.get_context(), used[mine] % len(cells), lo, hi, columns[mine])

    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """See ``BitSettingWriter``."""
        if not self.cells.has_single_kinds(slots):
            return None
        cards = self.get_cards()
        which = np.arange(len(cards)) if self.rows is None else self.rows
        return partial(self.cells.set_bits_dense, cards, which, self.get_context(), slots)


@dataclass(frozen=True)
class TrickCardCounts(BitSettingWriter):
    """The same for cards of which most are not there: those in a trick."""

    cells: Cells
    cards: NDArray[np.uint8]
    rows: Indices
    get_context: Callable[[], NDArray[np.integer]]  # [n]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """See ``ColumnWriter``."""
        self.cells.add_seat_counts(self.cards, self.rows, self.get_context(), used, lo, hi, columns)

    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """See ``BitSettingWriter``."""
        if not self.cells.is_word_aligned(self.cards):
            return None
        return partial(self.cells.set_bits_sparse, self.cards, self.rows, self.get_context(), slots)
