"""Rows of plain values as CSV files and as frames of pandas.

>>> flatten({"cell": {"seed": 1, "agents": ["kb", "greedy"]}, "result": {"rate": 0.5}})
{'cell.seed': 1, 'cell.agents': '["kb", "greedy"]', 'result.rate': 0.5}
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.core.arguments import check_path
from abl_cards.core.atomic_files import write_text
from abl_cards.core.errors import ErrorCode, GameError

Row = Mapping[str, Any]
"""Values by column."""


def flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dotted names; lists become JSON texts.

    Args:
        values: Plain values.
        prefix: Begin of the names.
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple) else value
    return flat


def column_names(rows: Iterable[Row]) -> list[str]:
    """Return the names of all columns, in the order in which they occur."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_csv(file: str | Path, rows: Sequence[Row]) -> None:
    """Write rows as a CSV file with a header; a missing value is an empty cell.

    Args:
        file: File to write; one that exists is replaced.
        rows: Rows, whose columns may differ.

    Raises:
        OSError: The file cannot be written.
    """
    file = check_path("file", file)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, column_names(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file, stream.getvalue())


def rows_to_frame(rows: Sequence[Row]) -> Any:
    """Return rows as a ``pandas.DataFrame``.

    Args:
        rows: Rows, whose columns may differ.

    Raises:
        GameError: pandas is not installed (code ``missing-library``).
    """
    return import_pandas().DataFrame(list(rows), columns=column_names(rows))


def import_pandas() -> Any:
    """Return the module pandas; raises GameError where it is not installed (code ``missing-library``)."""
    try:
        import pandas  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        message = "a frame needs the library pandas: pip install pandas"
        raise GameError(message, ErrorCode.MISSING_LIBRARY) from None
    return pandas
