"""What fills columns that say how many cards act as each cell; or lights the inputs that test them.

Which is sooner hangs on how many kinds of cards there are, and on whether a cell may be several of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.cells import Cells
from abl_cards.games.tables import Indices
from abl_cards.games.telling.writer import Lighting
from abl_cards.logic.evaluation import Light


@dataclass(frozen=True)
class Held(Lighting):
    """Cards [tables, blocks, kinds] at tables which [n], block by block: hands, and whatever is as many cards.

    Where there is no which, these are all of them in their order, and nothing is copied.
    """

    cells: Cells
    cards: Callable[[], NDArray[np.uint8]]
    which: Indices | None
    context: Callable[[], NDArray[np.integer]]  # [n]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """See ``Fill``."""
        cells, cards = self.cells, self.cards()
        for block, mine in cells.blocks(used, cards.shape[1]):
            told = np.ascontiguousarray(cards[:, block]) if self.which is None else cards[self.which, block]
            cells.fold(told, self.context(), used[mine] % len(cells), lo, hi, columns[mine])

    def light(self, slots: NDArray[np.int32]) -> Light | None:
        """See ``Lighting``."""
        if not self.cells.single(slots):
            return None
        cards = self.cards()
        which = np.arange(len(cards)) if self.which is None else self.which
        return partial(self.cells.light_many, cards, which, self.context(), slots)


@dataclass(frozen=True)
class Laid(Lighting):
    """The same for cards of which most are not there: those in a trick."""

    cells: Cells
    cards: NDArray[np.uint8]
    which: Indices
    context: Callable[[], NDArray[np.integer]]  # [n]

    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """See ``Fill``."""
        self.cells.fold_seats(self.cards, self.which, self.context(), used, lo, hi, columns)

    def light(self, slots: NDArray[np.int32]) -> Light | None:
        """See ``Lighting``."""
        if not self.cells.packed(self.cards):
            return None
        return partial(self.cells.light_few, self.cards, self.which, self.context(), slots)
