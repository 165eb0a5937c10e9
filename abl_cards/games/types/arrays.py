"""Name the state arrays of tables, and copy rows between arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def named_arrays(arrays: Mapping[str, Any], **groups: Any) -> dict[str, NDArray[Any]]:
    """Collect arrays by name, without copying them.

    Args:
        arrays: Arrays by name.
        **groups: Named tuples of arrays.

    Returns:
        The arrays, and each field of a group under the key ``group.field``.
    """
    return dict(arrays) | {
        f"{name}.{field}": getattr(group, field) for name, group in groups.items() for field in group._fields
    }


def copy_rows(sources: Iterable[Any], rows: NDArray[np.int64], targets: Iterable[Any]) -> None:
    """Gather the same rows of several arrays into other arrays.

    Args:
        sources: Arrays [tables, ...].
        rows: [n] indices of rows.
        targets: Arrays [n, ...] that are overwritten, one for each source.
    """
    for source, target in zip(sources, targets, strict=True):
        np.take(source, rows, axis=0, out=target)


def save_rows(
    sources: Iterable[Any], rows: NDArray[np.int64], targets: Iterable[Any], target_rows: NDArray[np.int64]
) -> None:
    """Copy rows of several arrays to rows of other arrays.

    Args:
        sources: Arrays [tables, ...].
        rows: [n] indices of rows.
        targets: Arrays that are written to, one for each source.
        target_rows: [n] indices of rows of the targets.
    """
    for source, target in zip(sources, targets, strict=True):
        target[target_rows] = source[rows]
