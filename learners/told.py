"""What the networks are told, in arrays; without torch, so that who plays by rules alone need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Told:
    """n decisions."""

    observation: NDArray[np.uint8]  # [n, features]
    legal: NDArray[np.bool_]  # [n, labels] what may be chosen
    to_beat: NDArray[np.int16]  # [n] label to beat, -1 when leading
    regret: NDArray[np.floating]  # [n, labels] cost over the cheapest label's, infinite where not legal
    plays: NDArray[np.uint8]  # [n, labels] the least number of plays that empties the hand after each label
    estimate: NDArray[np.floating]  # [n, others, cards] of the hidden hands; zeros without ABLN
    replies: NDArray[np.uint8]  # [n, others, labels] in how many of DRAWS deals each of the others could answer each


@dataclass(frozen=True)
class Opened:
    """What the critic is told of n decisions besides: every hand lies open before it."""

    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards]
    to_go: NDArray[np.uint8]  # [n, others] the least number of plays that empties each of them
    openings: NDArray[np.uint8]  # [n, seats, labels / 8] which labels each hand could lead, own first; packed bits


def counted(points: NDArray[np.float32], power: float) -> NDArray[np.float32]:
    """Points as they count to a player: to this power, with their sign; so do rates between the points of seats.

    >>> counted(np.array([-16.0, 0, 1], np.float32), 0.25).tolist()
    [-2.0, 0.0, 1.0]
    >>> counted(np.array([-16.0, 0, 1], np.float32), 0).tolist()
    [-1.0, 0.0, 1.0]
    """
    return points if power == 1 else np.sign(points) * np.abs(points) ** np.float32(power)


_Kind = TypeVar("_Kind", Told, Opened)


def filled(kind: type[_Kind], told: _Kind, unit: int) -> _Kind:
    """What belongs to one of these kinds, and the last decision again until they are a multiple of the unit."""
    return kind(**{field.name: filled_rows(getattr(told, field.name), unit) for field in fields(kind)})


def filled_rows(rows: NDArray[Any], unit: int) -> NDArray[Any]:
    """Rows [n, ...], and the last of them again until they are a multiple of the unit; no rows stay none.

    >>> filled_rows(np.array([1, 2, 3]), 2).tolist()
    [1, 2, 3, 3]
    """
    missing = -len(rows) % unit
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
