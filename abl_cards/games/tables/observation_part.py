"""A part of an observation: its description, and the function that writes it for the views of seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import require_int
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import ObservationFeature

ByteArray = NDArray[np.uint8]
PartWriter = Callable[["SeatViews", ByteArray], None]
"""Function that fills the zeroed columns [n, size] of a part."""
PartFactory = Callable[[CompiledGame, Term | None], Iterator["ObservationPart"]]
"""Function of rules and the argument of ``sees/3`` that yields parts; raises KBError."""


@dataclass(frozen=True)
class ObservationPart:
    """Part of an observation: its description, and the function that writes it.

    Attributes:
        feature: Description.
        write: Fills the columns.
        max_value: Greatest value; 0 where no value exceeds 2 or the copies of a card.
    """

    feature: ObservationFeature
    write: PartWriter
    max_value: int = 0


class SeatViews:
    """View of tables with the seat orders that parts of observations need."""

    def __init__(self, view: PlayerView) -> None:
        """Wrap a view of n observers."""
        self.view, self.rules, self.state, self.rows = view, view.rules, view.state, view.rows
        self.seat_order = view.rules.seating.play_order[view.seats]  # [n, seats] seats from the observer on
        self.seat_places = view.rules.seating.turn_distance[view.seats]  # [n, seats] position of each seat
        self.view_indices = np.arange(len(view))

    @cached_property
    def _visible_fluents(self) -> NDArray[np.int16]:
        """Fluents [n, slots], with default values where they are private to other seats."""
        return self.rules.fluents.mask_private(self.state.fluents[self.rows], self.view.seats)

    def fluent_values(self, first_slot: int, end_slot: int) -> NDArray[np.int16]:
        """Return the visible values of fluent slots.

        Args:
            first_slot: First slot.
            end_slot: Slot after the last.

        Returns:
            int16 [n, end_slot - first_slot].
        """
        if len(self.rules.fluents.private_slots):
            return self._visible_fluents[:, first_slot:end_slot]
        return self.state.fluents[self.rows, first_slot:end_slot]

    def write_seat_one_hot(self, columns: ByteArray, seat: NDArray[np.integer], mask: NDArray[np.bool_]) -> None:
        """Write seats [n] one-hot to zeroed ``columns`` [n, seats] where ``mask`` [n] holds."""
        rows = np.flatnonzero(mask)
        columns[rows, self.seat_places[rows, seat[rows]]] = 1

    def expand_seat_bits(self, seats: NDArray[np.uint16]) -> ByteArray:
        """Convert sets of seats as bits [n] to 0 and 1 [n, seats], seats from the observer on."""
        bits: ByteArray = (seats[:, None] >> self.seat_order.astype(np.uint16) & 1).astype(np.uint8)
        return bits


def read_positive(argument: Term, name: str) -> int:
    """Convert the argument of a ``sees/3`` fact to a positive number; raise KBError for another one."""
    number = require_int(argument, f"sees(…,{name},{argument})")
    if number < 1:
        raise make_kb_error(f"sees/3: {name} of {argument}", "write a number from 1 on", ErrorCode.INVALID_ARGUMENT)
    return number
