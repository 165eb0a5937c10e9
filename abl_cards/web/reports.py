"""Reports of experiments in watched folders: tables, and figures as data.

Files may come from any source: only values with the form of a report are passed on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, plot_from_json
from abl_cards.web.runs import MAX_BYTES, find_files

RESULTS_FILE = "results.json"
MAX_ITEMS, MAX_ROWS, MAX_COLUMNS, MAX_POINTS = 60, 500, 40, 400
_MAX_TEXT_LENGTH = 400  # characters of a cell
_PAIR_COLUMNS = ["agent", "against", "matches", "won", "from", "to"]
"""First columns of a table with one row a pair of agents."""
_MAX_CACHED = 128
"""Reports of which the parsed content is kept."""


def list_reports(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """List the reports in watched folders: relative path, and time of the last change in seconds."""
    return [
        {"name": Path(name).parent.as_posix(), "written": file.stat().st_mtime}
        for name, file in find_files(folders, RESULTS_FILE)
    ]


def read_report(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """Return the results of an experiment so far; raises GameError if there are none."""
    for known, file in find_files(folders, RESULTS_FILE):
        if Path(known).parent.as_posix() == name:
            return {"name": name, **_read(file)}
    raise GameError("unknown report", ErrorCode.NOT_FOUND)


def read_gallery(folders: Sequence[Path], name: str = "") -> list[dict[str, Any]]:
    """Return the question, the first figure and the missing parts of each report; unreadable reports are left out."""
    cards = []
    for known, file in find_files(folders, RESULTS_FILE):
        try:
            report = _read(file)
        except GameError:
            continue
        cards.append({
            "name": Path(known).parent.as_posix(), "plot": next(iter(report["plots"]), None),
            **{key: report[key] for key in ("experiment", "summary", "missing", "game")},
            "counts": [len(report["tables"]), len(report["plots"])],
        })  # fmt: skip
    return cards


def read_results_of_pairs(folders: Sequence[Path]) -> list[tuple[str, str, str, int, float, float, float]]:
    """Return the results of pairs of agents in reports: game, agents, games, rate of the first and its bounds."""
    found = []
    for _, file in find_files(folders, RESULTS_FILE):
        try:
            report = _read(file)
        except GameError:
            continue
        for table in report["tables"]:
            if report["game"] and table["columns"][:6] == _PAIR_COLUMNS:
                found += [(report["game"], *row[:6]) for row in table["rows"] if _is_pair(row)]
    return found


def _is_pair(row: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row[:2]) and all(map(_is_finite, row[2:6]))


def _read(file: Path) -> dict[str, Any]:
    try:
        status = file.stat()
        return _read_version(file, status.st_mtime_ns, status.st_size)
    except OSError:
        raise GameError("this report cannot be read", ErrorCode.FILE_NOT_READABLE) from None


@lru_cache(_MAX_CACHED)
def _read_version(file: Path, modified: int, size: int) -> dict[str, Any]:
    """Return the content of one version of a file; raises GameError, OSError."""
    if size > MAX_BYTES:
        raise GameError(f"this report is larger than {MAX_BYTES >> 20} MiB", ErrorCode.TOO_LARGE)
    try:
        value = json.loads(file.read_text(encoding="utf-8", errors="replace"))
    except (ValueError, RecursionError):
        raise GameError("this report cannot be read", ErrorCode.FILE_NOT_READABLE) from None
    if not isinstance(value, dict):
        raise GameError("not a report", ErrorCode.FILE_NOT_READABLE)
    settings = value.get("settings")
    return {
        "experiment": _text(value.get("experiment")), "command": _text(value.get("command")),
        "summary": _text(value.get("summary")), "missing": _text(value.get("missing")),
        "game": _text(settings.get("game")) if isinstance(settings, dict) else "",
        "tables": _read_named_items(value.get("tables"), lambda name, item: _table(item)),
        "plots": _read_named_items(value.get("plots"), _plot),
    }  # fmt: skip


def _read_named_items(values: Any, read_item: Callable[[str, Any], dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the values that have the form of an item, each with its name."""
    if not isinstance(values, dict):
        return []
    items = [(_text(name), value) for name, value in list(values.items())[:MAX_ITEMS] if isinstance(value, dict)]
    return [{"name": name, **item} for name, value in items if (item := read_item(name, value)) is not None]


def _table(value: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = value.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    columns = list(dict.fromkeys(name for row in rows[:MAX_ROWS] for name in row))[:MAX_COLUMNS]
    cells = [[_cell(row.get(name)) for name in columns] for row in rows[:MAX_ROWS]]
    return {"title": _text(value.get("title")), "note": _text(value.get("note")), "columns": columns, "rows": cells}


# --- figures ---------------------------------------------------------------------------------------------------------


def _plot(name: str, value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a figure as data; None for values of another form."""
    clean = {key: _text(value[key]) for key in ("kind", "title", "across", "up", "n", "interval") if key in value}
    axes = {key: _axis(value[key]) for key in ("x", "y", "value") if isinstance(value.get(key), dict)}
    parts = _lines(value) or _dots(value) or _matrix(value)
    if parts is None:
        return None
    if _is_finite(value.get("reference")):
        parts["reference"] = value["reference"]
    plot = plot_from_json(name, {**clean, **axes, **parts})
    return plot.to_json() if plot else None


def _axis(value: Mapping[str, Any]) -> dict[str, Any]:
    texts = {key: _text(value[key]) for key in ("label", "unit", "scale") if key in value}
    return texts | {key: bool(value[key]) for key in ("is_share", "is_integer", "is_reversed") if key in value}


def _lines(value: Mapping[str, Any]) -> dict[str, Any] | None:
    lines = value.get("lines")
    if not isinstance(lines, dict):
        return None
    named = {_text(name): points for name, items in lines.items() if (points := _number_rows(items, 2))}
    bands, dashed = value.get("intervals"), value.get("dashed")
    return {
        "lines": named, "dashed": list(map(_text, dashed)) if isinstance(dashed, list) else [],
        "intervals": {_text(name): _number_rows(items, 3) for name, items in bands.items() if _text(name) in named}
        if isinstance(bands, dict) else {},
    } if named else None  # fmt: skip


def _dots(value: Mapping[str, Any]) -> dict[str, Any] | None:
    bars, counts, groups = (value.get(key) for key in ("bars", "counts", "groups"))
    if not isinstance(bars, dict):
        return None
    named = {_text(name): bar for name, bar in list(bars.items())[:MAX_POINTS]
             if isinstance(bar, list) and len(bar) == 3 and _is_finite(bar[0])
             and all(end is None or _is_finite(end) for end in bar)}  # fmt: skip
    return {
        "bars": named,
        "counts": {_text(name): count for name, count in counts.items() if type(count) is int}
        if isinstance(counts, dict) else {},
        "groups": {_text(name): list(map(_text, group)) for name, group in groups.items()
                   if isinstance(group, list) and len(group) == 2} if isinstance(groups, dict) else {},
    }  # fmt: skip


def _matrix(value: Mapping[str, Any]) -> dict[str, Any] | None:
    if not _is_grid(value.get("values")):
        return None
    headings = (value.get(axis) for axis in ("rows", "columns"))
    names = [list(map(_text, items[:MAX_COLUMNS])) if isinstance(items, list) else [] for items in headings]
    shape = len(names[0]), len(names[1])
    top = value.get("top")
    return {
        "rows": names[0], "columns": names[1], "values": _grid(value["values"], shape, _is_finite),
        "bounds": _grid(value.get("bounds"), shape, _is_interval),
        "counts": _grid(value.get("counts"), shape, _is_finite),
        "marks": _grid(value.get("marks"), shape, _is_finite),
    } | ({"top": top} if _is_finite(top) and top else {})  # fmt: skip


def _is_grid(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(row, list) for row in values)


def _grid(values: Any, shape: tuple[int, int], is_valid: Callable[[Any], bool]) -> list[list[Any]]:
    """Return the cells of a matrix, None for those of another form; no row for values of another form."""
    if not _is_grid(values) or len(values) < shape[0] or any(len(row) < shape[1] for row in values):
        return []
    return [[cell if is_valid(cell) else None for cell in row[: shape[1]]] for row in values[: shape[0]]]


def _is_interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(end is None or _is_finite(end) for end in value)


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
