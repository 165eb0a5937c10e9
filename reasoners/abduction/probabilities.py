"""Checks of batches of predictions, and their grouping by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_integer

MAX_OUTPUT = 1 << 30
"""Most numbers that a batch returns: two gigabytes of int16."""
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
        if not has_items(values):
            message = f"{name}: {type(values).__name__}, expected one value for each example"
            raise GameError(message, ErrorCode.INVALID_VALUE)
    num_examples, k = len(probabilities), check_integer("k", k, 1)
    sizes = [len(values) for values in (y, x) if values is not None]
    if any(size != num_examples for size in sizes):
        message = f"{num_examples} predictions, {sizes} results and examples: they do not fit"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    by_length: dict[int, list[int]] = defaultdict(list)
    for row, values in enumerate(probabilities):
        shape = np.shape(values)
        if len(shape) != 2 or shape[1] != num_labels:
            message = f"probabilities[{row}]: shape {shape}, expected (length, {num_labels})"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        by_length[shape[0]].append(row)
    if num_examples * k * max(by_length, default=0) > MAX_OUTPUT:
        message = f"k={k} assignments of {num_examples} examples are more than {MAX_OUTPUT:,} numbers"
        raise GameError(message, ErrorCode.TOO_LARGE)
    return by_length


def has_items(values: object) -> bool:
    """Return whether a value is a list, an array or another sequence, but not a text, a set or a mapping."""
    if isinstance(values, (str, bytes, Mapping, Set)) or getattr(values, "ndim", 1) == 0:
        return False
    return hasattr(values, "__len__") and hasattr(values, "__getitem__")


def check_pseudo_labels(pseudo_label: Any) -> list[Any]:
    """Return the labels of an example as a list.

    Args:
        pseudo_label: Label of each position; a text has a letter for each.

    Raises:
        GameError: The argument is not a sequence.
    """
    if not has_items(pseudo_label) and not isinstance(pseudo_label, str):
        message = f"pseudo_label={pseudo_label!r:.60}: give a list with the label of each position"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    return list(pseudo_label)


def check_positions(revision_idx: Any, length: int) -> list[int]:
    """Return positions of an example that may change.

    Args:
        revision_idx: Positions; negative ones count from the end.
        length: Number of positions of the example.

    Returns:
        The positions as they are given.

    Raises:
        GameError: A position is not a whole number (truth values are not accepted), or lies beyond the example.
    """
    if not has_items(revision_idx):
        raise GameError(f"revision_idx={revision_idx!r:.60}: give a list of positions", ErrorCode.INVALID_VALUE)
    positions = [check_integer("revision_idx: a position", position) for position in revision_idx]
    if not all(-length <= position < length for position in positions):
        message = f"revision_idx {positions}: the example has {length} positions"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    return positions


def to_plain_result(y: Any) -> Any:
    """Return a requested result with plain numbers in place of those of NumPy or PyTorch, to compare up to `max_err`.

    Args:
        y: A result, or a tuple or list of several.
    """
    if isinstance(y, (tuple, list)):
        return type(y)(map(to_plain_result, y)) if type(y) in (tuple, list) else y
    is_number = getattr(y, "ndim", None) == 0 and hasattr(y, "item") and not isinstance(y, np.ma.MaskedArray)
    return y.item() if is_number else y


def log_probabilities(probabilities: Sequence[Any] | NDArray[np.floating], rows: Sequence[int]) -> NDArray[np.float64]:
    """Return the logarithms of the predictions of some examples of equal length.

    Args:
        probabilities: float[length, labels] for each example.
        rows: Examples.

    Returns:
        float64[rows, length, labels]; probabilities below 1e-30 count as 1e-30.

    Raises:
        GameError: A probability is negative, infinite or not a number.
    """
    try:
        given = np.array([np.asarray(probabilities[row]) for row in rows])
        if given.dtype.kind not in "biufO":
            raise TypeError(f"{given.dtype}, expected numbers")
        values = given.astype(np.float64)
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: a tensor of a graph
        raise GameError(f"probabilities: {error}", ErrorCode.INVALID_VALUE) from None
    check_probabilities(values, rows)
    return np.log(np.maximum(values, _MIN_PROBABILITY))


def check_probabilities(values: NDArray[np.float64], rows: Sequence[int] | None = None) -> None:
    """Check that probabilities are numbers from 0 on.

    Args:
        values: float64[n, …] Probabilities of n examples.
        rows: Numbers of the examples in messages; by default their indices.

    Raises:
        GameError: A value is negative, infinite or not a number.
    """
    if values.size and not (values.min() >= 0 and values.max() < np.inf):  # both are False for NaN
        is_valid = ((values >= 0) & (values < np.inf)).reshape(len(values), -1).all(axis=1)
        index = int(np.flatnonzero(~is_valid)[0])
        message = f"probabilities[{index if rows is None else rows[index]}]: a value is negative, infinite or no number"
        raise GameError(message, ErrorCode.INVALID_VALUE)
