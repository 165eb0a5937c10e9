"""Reports of experiments in watched folders: tables, and plots as numbers.

Files may be written by anybody: only values with the form of a report are passed on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.web.runs import MAX_BYTES, find_files

RESULTS_FILE = "results.json"
MAX_ITEMS, MAX_ROWS, MAX_COLUMNS, MAX_POINTS = 60, 500, 40, 400
_MAX_TEXT_LENGTH = 400  # characters of a cell


def list_reports(folders: Sequence[Path]) -> list[str]:
    """List the folders of reports in watched folders, by relative path."""
    return [Path(name).parent.as_posix() for name, file in find_files(folders, RESULTS_FILE)]


def read_report(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """Return the results of an experiment so far; raises GameError if there are none."""
    for known, file in find_files(folders, RESULTS_FILE):
        if Path(known).parent.as_posix() == name:
            return {"name": name, **_read(file)}
    raise GameError("unknown report", ErrorCode.NOT_FOUND)


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise GameError(f"this report is larger than {MAX_BYTES >> 20} MiB", ErrorCode.TOO_LARGE)
        value = json.loads(file.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        raise GameError("this report cannot be read", ErrorCode.FILE_NOT_READABLE) from None
    if not isinstance(value, dict):
        raise GameError("not a report", ErrorCode.FILE_NOT_READABLE)
    return {
        "experiment": _text(value.get("experiment")), "command": _text(value.get("command")),
        "missing": _text(value.get("missing")), "tables": _read_named_items(value.get("tables"), _table),
        "plots": _read_named_items(value.get("plots"), _plot),
    }  # fmt: skip


def _read_named_items(values: Any, read_item: Any) -> list[dict[str, Any]]:
    """Return the values that have the form of an item, each with its name."""
    if not isinstance(values, dict):
        return []
    items = ((name, read_item(value)) for name, value in list(values.items())[:MAX_ITEMS] if isinstance(value, dict))
    return [{"name": _text(name), **item} for name, item in items if item is not None]


def _table(value: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = value.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    columns = list(dict.fromkeys(name for row in rows[:MAX_ROWS] for name in row))[:MAX_COLUMNS]
    cells = [[_cell(row.get(name)) for name in columns] for row in rows[:MAX_ROWS]]
    return {"title": _text(value.get("title")), "note": _text(value.get("note")), "columns": columns, "rows": cells}


def _plot(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return lines, bars or a matrix; None for other values."""
    title = {"title": _text(value.get("title")), "across": _text(value.get("across")), "up": _text(value.get("up"))}
    lines, bars, values = value.get("lines"), value.get("bars"), value.get("values")
    if isinstance(lines, dict):
        named_lines = {_text(name): points for name, items in lines.items() if (points := _number_rows(items, 2))}
        return {**title, "kind": "lines", "lines": named_lines} if named_lines else None
    if isinstance(bars, dict):
        return {**title, "kind": "bars", "bars": {_text(name): bar[0] for name, item in bars.items()
                                                  if (bar := _number_rows([item], 3))}}  # fmt: skip
    if isinstance(values, list) and all(isinstance(row, list) for row in values):
        headings = (value.get(axis) for axis in ("rows", "columns"))
        names = [list(map(_text, items[:MAX_COLUMNS])) if isinstance(items, list) else [] for items in headings]
        cells = [[_cell(item) for item in row[:MAX_COLUMNS]] for row in values[:MAX_COLUMNS]]
        return {**title, "kind": "matrix", "rows": names[0], "columns": names[1], "values": cells}
    return None


def _number_rows(values: Any, width: int) -> list[list[float]]:
    """Return the rows that consist of a given number of finite numbers."""
    rows = values[:MAX_POINTS] if isinstance(values, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == width and all(map(_is_finite, row))]


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _cell(value: Any) -> str | float | None:
    if value is None:
        return None
    return value if _is_finite(value) else _text(value)


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:_MAX_TEXT_LENGTH]
