"""What the networks are told, in arrays; without torch, so that who plays by rules alone need not wait for it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ModelInputs:
    """n decisions."""

    observation: NDArray[np.uint8]  # [n, features]
    legal: NDArray[np.bool_]  # [n, labels] what may be chosen
    to_beat: NDArray[np.int16]  # [n] label to beat, -1 when leading
    regret: NDArray[np.floating]  # [n, labels] cost over the cheapest label's, infinite where not legal
    plays_left: NDArray[np.uint8]  # [n, labels] the least number of plays that empties the hand after each label
    estimate: NDArray[np.floating]  # [n, others, cards] of the hidden hands; zeros without ABLN
    response_counts: NDArray[
        np.uint8
    ]  # [n, others, labels] in how many of DRAWS deals each of the others could answer each


@dataclass(frozen=True)
class PrivilegedInputs:
    """What the critic is told of n decisions besides: every hand lies open before it."""

    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards]
    hidden_plays_left: NDArray[np.uint8]  # [n, others] the least number of plays that empties each of them
    lead_mask: NDArray[np.uint8]  # [n, seats, labels / 8] which labels each hand could lead, own first; packed bits


def apply_reward_exponent(points: NDArray[np.float32], exponent: float) -> NDArray[np.float32]:
    """Points as they count to a player: to this power, with their sign; so do rates between the points of seats.

    >>> apply_reward_exponent(np.array([-16.0, 0, 1], np.float32), 0.25).tolist()
    [-2.0, 0.0, 1.0]
    >>> apply_reward_exponent(np.array([-16.0, 0, 1], np.float32), 0).tolist()
    [-1.0, 0.0, 1.0]
    """
    return points if exponent == 1 else np.sign(points) * np.abs(points) ** np.float32(exponent)


_InputsT = TypeVar("_InputsT", ModelInputs, PrivilegedInputs)


def pad_inputs(inputs_type: type[_InputsT], inputs: _InputsT, multiple: int) -> _InputsT:
    """What belongs to one of these kinds, and the last decision again until they are a multiple of the unit."""
    return inputs_type(**{field.name: pad_rows(getattr(inputs, field.name), multiple) for field in fields(inputs_type)})


def pad_rows(rows: NDArray[Any], multiple: int) -> NDArray[Any]:
    """Rows [n, ...], and the last of them again until they are a multiple of the unit; no rows stay none.

    >>> pad_rows(np.array([1, 2, 3]), 2).tolist()
    [1, 2, 3, 3]
    """
    missing = -len(rows) % multiple
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
