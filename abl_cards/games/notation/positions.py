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
    top_cards: NDArray[np.uint8]  # [most]
    trick_cards: NDArray[np.int64]  # [seats, kinds] the cards of the play to beat, or of the trick
    trick_forms: NDArray[np.int16]  # [seats] the form that each seat has laid in the trick, -1 for none
    stage: int = PLAY
    choice: int = -1
    seat: int = 0
    to_beat: int = LEADING
    owner: int = 0
    leader: int = 0
    is_composing: bool = False  # the seat has laid cards of a play that is not whole: they are among those that lie
    acted: int = 0
    passed: int = 0  # seats as bits
    has_passed: int = 0
    acts: int = 0
    context: int = 0
    stock: int = 0  # cards that are still to be drawn
    drew: int = NO_SEAT
    drawn_kind: int | None = None  # the kind of the card that has just been drawn
    plays: list[int] | None = None  # [seats] how often each seat has laid down cards, where the state says it
    lots: list[int] | None = None  # the random numbers of the match, where the state says them
    finish: list[int] = field(default_factory=list)

    @property
    def cards_to_beat(self) -> NDArray[np.int64]:
        """[kinds] the cards of the play to beat, or of the trick."""
        return self.trick_cards.sum(axis=0)

    @classmethod
    def empty(cls, rules: CompiledGame) -> TablePosition:
        """Nothing on the table."""
        seats, kinds = rules.seating.seats, len(rules.pack)
        return cls(
            np.zeros((seats, kinds), np.int64), np.zeros(kinds, np.int64), np.zeros((seats, kinds), np.int64),
            rules.fluents.defaults.copy(), np.full(rules.max_play_cards, NO_CARD, np.uint8),
            np.zeros((seats, kinds), np.int64), np.full(seats, -1, np.int16),
        )  # fmt: skip
