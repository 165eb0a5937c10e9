"""The arrays of tables by name, to save them and to write them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray


def named_arrays(single: Mapping[str, Any], **groups: Any) -> dict[str, NDArray[Any]]:
    """Arrays, and those of named tuples as ``group.field``; all of them in place."""
    return dict(single) | {
        f"{name}.{field}": getattr(group, field) for name, group in groups.items() for field in group._fields
    }
