"""Results of replaying records, and traits of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LabelTraits:
    """Properties of labels that the baseline agents use.

    Attributes:
        kind: int16 [labels], index of the kind of play.
        min_cards: int8 [labels], number of cards of the label's smallest form.
        is_bomb: bool [labels], beats other kinds of play.
        pass_label: Index of the label of a pass.
        has_tricks: The game has tricks that seats take, and cards with points in them.
    """

    kind: NDArray[np.int16]
    min_cards: NDArray[np.int8]
    is_bomb: NDArray[np.bool_]
    pass_label: int
    has_tricks: bool = False


@dataclass(frozen=True)
class ReplayMismatch:
    """Line of a record that differs from a replay by the rules.

    Attributes:
        line: Number of the line, from 1.
        text: Description of the difference.
    """

    line: int
    text: str


@dataclass(frozen=True)
class ReplayResult:
    """Result of replaying records.

    Attributes:
        episodes: Number of episodes replayed.
        plays: Number of plays and passes replayed.
        mismatches: Lines that differ from the rules.
    """

    episodes: int
    plays: int
    mismatches: tuple[ReplayMismatch, ...]
