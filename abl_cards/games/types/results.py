"""Results of replaying records, traits of labels, and the protocol of recorders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LabelTraits:
    """What the plain heuristics need to know of the labels."""

    kind: NDArray[np.int16]  # [labels] labels of one type share a number
    min_cards: NDArray[np.int8]  # [labels] cards of the label's smallest form
    is_bomb: NDArray[np.bool_]  # [labels] beats other types
    pass_label: int
    has_tricks: bool = False  # cards are laid into tricks, and some are worth something there


@dataclass(frozen=True)
class ReplayMismatch:
    """A line of a record that the rules do not confirm."""

    line: int  # from 1
    text: str


@dataclass(frozen=True)
class ReplayResult:
    """What came of playing records again."""

    episodes: int
    plays: int
    mismatches: tuple[ReplayMismatch, ...]
