"""Position of one table, read from a state."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import NO_SEAT, PLAY
from abl_cards.games.types import LEADING, NO_CARD


@dataclass
class TablePosition:
    """Fields of `TableState` for one table; filled field by field while a state is read."""

    hands: NDArray[np.int64]  # [seats, kinds]
    aside: NDArray[np.int64]  # [kinds]
    played: NDArray[np.int64]  # [seats, kinds]
    fluents: NDArray[np.int16]  # [slots]
    top_cards: NDArray[np.uint8]  # [max_play_cards]
    trick_cards: NDArray[np.int64]  # [seats, kinds] cards of the play to beat, or of the trick
    trick_forms: NDArray[np.int16]  # [seats] form of each seat in the trick, -1 for none
    stage: int = PLAY
    choice: int = -1
    seat: int = 0
    to_beat: int = LEADING
    owner: int = 0
    leader: int = 0
    is_composing: bool = False  # the seat has begun a composed play; its cards are in trick_cards
    acted: int = 0
    passed: int = 0  # bit mask of seats
    has_passed: int = 0
    acts: int = 0
    context: int = 0
    stock: int = 0  # number of cards still to be drawn
    drew: int = NO_SEAT
    drawn_kind: int | None = None  # kind of the card drawn last
    plays: list[int] | None = None  # [seats] number of plays; None if not given
    lots: list[int] | None = None  # random numbers of the match; None if not given
    finish: list[int] = field(default_factory=list)
    numbers: dict[str, int | list[int]] = field(default_factory=dict)  # further arrays of the state, by name

    @property
    def cards_to_beat(self) -> NDArray[np.int64]:
        """Cards of the play to beat, or of the trick, [kinds]."""
        return self.trick_cards.sum(axis=0)

    @classmethod
    def empty(cls, rules: CompiledGame) -> TablePosition:
        """Make a position without cards and plays."""
        seats, kinds = rules.seating.seats, len(rules.pack)
        return cls(
            np.zeros((seats, kinds), np.int64), np.zeros(kinds, np.int64), np.zeros((seats, kinds), np.int64),
            rules.fluents.defaults.copy(), np.full(rules.max_play_cards, NO_CARD, np.uint8),
            np.zeros((seats, kinds), np.int64), np.full(seats, -1, np.int16),
        )  # fmt: skip
