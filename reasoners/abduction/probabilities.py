"""Checks of batches of predictions, and their grouping by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError

_MIN_PROBABILITY = 1e-30  # lower bound of probabilities before the logarithm


def check_batch(
    probabilities: Sequence[Any] | NDArray[np.floating],
    y: Sequence[Any] | None,
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
    num_examples = len(probabilities)
    sizes = [len(values) for values in (y, x) if values is not None]
    if any(size != num_examples for size in sizes) or k < 1:
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
    """
    return np.log(np.maximum(np.array([probabilities[row] for row in rows], np.float64), _MIN_PROBABILITY))
