"""Inputs of the networks as arrays; without torch, so that agents of rules alone need not import it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ModelInputs:
    """Inputs of the policy for n decisions."""

    observation: NDArray[np.uint8]  # [n, features]
    legal: NDArray[np.bool_]  # [n, labels] possible and consistent labels
    to_beat: NDArray[np.int16]  # [n] label to beat, -1 when leading
    regret: NDArray[np.floating]  # [n, labels] cost over the cheapest label's, infinite where not legal
    plays_left: NDArray[np.uint8]  # [n, labels] the least number of plays that empties the hand after each label
    estimate: NDArray[np.floating]  # [n, others, cards] of the hidden hands; zeros without ABLN
    response_counts: NDArray[
        np.uint8
    ]  # [n, others, labels] deals out of RESPONSE_DEALS in which each other seat could answer
    prior: NDArray[np.floating]  # [n, others, cards] of the hidden hands without learning; zeros where nothing reads it


@dataclass(frozen=True)
class PrivilegedInputs:
    """Inputs of the critic from the hidden hands of n decisions."""

    hands: NDArray[np.uint8] | NDArray[np.float32]  # [n, others, cards]
    hidden_plays_left: NDArray[np.uint8]  # [n, others] the least number of plays that empties each of them
    lead_mask: NDArray[np.uint8]  # [n, seats, labels / 8] which labels each hand could lead, own first; packed bits


def apply_reward_exponent(points: NDArray[np.float32], exponent: float) -> NDArray[np.float32]:
    """Return points to a power, with their sign.

    Args:
        points: Points of seats, of any shape.
        exponent: The power; 0 leaves only the sign.

    >>> apply_reward_exponent(np.array([-16.0, 0, 1], np.float32), 0.25).tolist()
    [-2.0, 0.0, 1.0]
    >>> apply_reward_exponent(np.array([-16.0, 0, 1], np.float32), 0).tolist()
    [-1.0, 0.0, 1.0]
    """
    return points if exponent == 1 else np.sign(points) * np.abs(points) ** np.float32(exponent)


_InputsT = TypeVar("_InputsT", ModelInputs, PrivilegedInputs)


def pad_inputs(inputs_type: type[_InputsT], inputs: _InputsT, multiple: int) -> _InputsT:
    """Return inputs padded by copies of the last decision to a multiple of rows.

    Args:
        inputs_type: Class of the inputs.
        inputs: n decisions; other fields than those of the class are left out.
        multiple: Number that the rows shall be a multiple of.
    """
    return inputs_type(**{field.name: pad_rows(getattr(inputs, field.name), multiple) for field in fields(inputs_type)})


def pad_rows(rows: NDArray[Any], multiple: int) -> NDArray[Any]:
    """Return rows [n, ...] padded by copies of the last one to a multiple; no rows stay none.

    Args:
        rows: The rows.
        multiple: Number that they shall be a multiple of.

    >>> pad_rows(np.array([1, 2, 3]), 2).tolist()
    [1, 2, 3, 3]
    """
    missing = -len(rows) % multiple
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
