"""The arrays of tables by name, to save them and to write them back; and copies of some tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def named_arrays(arrays: Mapping[str, Any], **groups: Any) -> dict[str, NDArray[Any]]:
    """Arrays, and those of named tuples as ``group.field``; all of them in place."""
    return dict(arrays) | {
        f"{name}.{field}": getattr(group, field) for name, group in groups.items() for field in group._fields
    }


def copy_rows(sources: Iterable[Any], rows: NDArray[np.int64], targets: Iterable[Any]) -> None:
    """Fill arrays with some of the rows of others, one array after the other."""
    for original, copy in zip(sources, targets, strict=True):
        np.take(original, rows, axis=0, out=copy)


def save_rows(sources: Iterable[Any], rows: NDArray[np.int64], targets: Iterable[Any]) -> None:
    """Write some of the rows of arrays to the same rows of others."""
    for original, copy in zip(sources, targets, strict=True):
        copy[rows] = original[rows]
