"""Checks of batches of predictions, and their grouping by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError

_MIN_PROBABILITY = 1e-30  # lower bound of probabilities before the logarithm


def check_batch(
    probabilities: Sequence[Any] | NDArray[np.floating],
    y: Sequence[Any] | NDArray[Any] | None,
    x: Sequence[Any] | None,
    k: int,
    num_labels: int,
) -> dict[int, list[int]]:
    """Check predictions and requested results, and group the examples by length.

    Args:
        probabilities: float[length, labels] for each example.
        y: Requested results; None for any.
        x: Examples; None for none.
        k: Number of assignments of an example.
        num_labels: Number of labels.

    Returns:
        Examples of each length.

    Raises:
        GameError: A number or a shape is wrong.
    """
    for name, values in (
        ("probabilities", probabilities),
        ("y", [] if y is None else y),
        ("x", [] if x is None else x),
    ):
        if not hasattr(values, "__len__") or isinstance(values, (str, Mapping)):
            message = f"{name}: {type(values).__name__}, expected one value for each example"
            raise GameError(message, ErrorCode.INVALID_VALUE)
    num_examples = len(probabilities)
    sizes = [len(values) for values in (y, x) if values is not None]
    if any(size != num_examples for size in sizes) or not isinstance(k, (int, np.integer)) or k < 1:
        message = f"{num_examples} predictions, {sizes} results and examples, k={k}: they do not fit"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    by_length: dict[int, list[int]] = defaultdict(list)
    for row, values in enumerate(probabilities):
        shape = np.shape(values)
        if len(shape) != 2 or shape[1] != num_labels:
            message = f"probabilities[{row}]: shape {shape}, expected (length, {num_labels})"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        by_length[shape[0]].append(row)
    return by_length


def log_probabilities(probabilities: Sequence[Any] | NDArray[np.floating], rows: Sequence[int]) -> NDArray[np.float64]:
    """Return the logarithms of the predictions of some examples of equal length.

    Args:
        probabilities: float[length, labels] for each example.
        rows: Examples.

    Returns:
        float64[rows, length, labels]; probabilities below 1e-30 count as 1e-30.

    Raises:
        GameError: A probability is negative, infinite or no number.
    """
    try:
        values = np.array([probabilities[row] for row in rows], np.float64)
    except (TypeError, ValueError) as error:
        raise GameError(f"probabilities: {error}", ErrorCode.INVALID_VALUE) from None
    check_probabilities(values, rows)
    return np.log(np.maximum(values, _MIN_PROBABILITY))


def check_probabilities(values: NDArray[np.float64], rows: Sequence[int] | None = None) -> None:
    """Check that probabilities are numbers from 0 on.

    Args:
        values: float64[n, …] Probabilities of n examples.
        rows: Numbers of the examples in messages; by default their indices.

    Raises:
        GameError: A value is negative, infinite or no number.
    """
    if values.size and not (values.min() >= 0 and values.max() < np.inf):  # both are False for NaN
        is_valid = ((values >= 0) & (values < np.inf)).reshape(len(values), -1).all(axis=1)
        index = int(np.flatnonzero(~is_valid)[0])
        message = f"probabilities[{index if rows is None else rows[index]}]: a value is negative, infinite or no number"
        raise GameError(message, ErrorCode.INVALID_VALUE)
