"""Data of the section Watch: training runs in progress and match results in watched folders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from abl_cards.core import Axis, ErrorCode, GameError, LinePlot
from abl_cards.training import build_curves
from abl_cards.web.schemas import is_encodable

METRICS_FILE, SETTINGS_FILE, RESULTS_PATTERN = "metrics.jsonl", "settings.json", "*.json"
MAX_FILES, MAX_DEPTH = 500, 4
MAX_BYTES, MAX_POINTS = 8 << 20, 300
"""Bytes read from the end of a file, and largest number of points per column."""
_TAIL_BYTES = 1 << 16
"""Bytes that hold the last line of the metrics."""
_PROGRESS_COLUMNS = ("update", "decisions", "seconds")


def list_runs(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """List the training runs in watched folders, the latest first.

    Returns:
        Relative path of the folder, time of the last update in seconds, decisions so far and in all (None if unknown).
    """
    runs = []
    for name, file in find_files(folders, METRICS_FILE):
        last = _last_row(file)
        settings = read_json_file(file.with_name(SETTINGS_FILE), MAX_BYTES)
        total = settings.get("total_decisions") if isinstance(settings, dict) else None
        runs.append({
            "name": name, "written": file.stat().st_mtime, "decisions": _count(last.get("decisions")),
            "total": _count(total) or None,
        })  # fmt: skip
    return sorted(runs, key=lambda run: -run["written"])


def read_run(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """Return the metrics of a run as figures, and by column, thinned out; raises GameError for an unknown run."""
    for known, file in find_files(folders, METRICS_FILE):
        if known == name:
            rows = list(_rows(file))
            columns = _columns(rows)
            return {"name": name, **columns, "plots": _plots(rows, columns["columns"])}
    raise GameError("unknown run", ErrorCode.NOT_FOUND)


def read_match_results(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the agents and win rates of match results that ``match --json`` has printed into files."""
    results = []
    for name, file in find_files(folders, RESULTS_PATTERN):
        status = file.stat()
        match = _read_match(file, status.st_mtime_ns, status.st_size)
        if match:
            results.append({"file": name, **match})
    return results


@lru_cache(4 * MAX_FILES)
def _read_match(file: Path, modified: int, size: int) -> dict[str, Any] | None:
    """Return the match result in one version of a file; None for other JSON files."""
    value = read_json_file(file, MAX_BYTES)
    if not isinstance(value, dict) or not _is_match(value):
        return None
    low, high = value["interval"]
    return {
        "game": str(value.get("game", "")), "agents": list(map(str, value["agents"])), "games": value["games"],
        "rate": value["rate"], "low": low, "high": high,
    }  # fmt: skip


def _is_match(value: dict[str, Any]) -> bool:
    agents, interval = value.get("agents"), value.get("interval")
    if not isinstance(agents, list) or len(agents) != 2 or not isinstance(interval, list) or len(interval) != 2:
        return False
    numbers = [value.get("games"), value.get("rate"), *interval]
    return all(type(number) in (int, float) for number in numbers)


def read_json_file(file: Path, max_bytes: int) -> Any:
    """Read the JSON of a file of limited size; None for invalid files.

    Files may come from any source: NaN and lone surrogates, which browsers cannot parse, make a file invalid.
    """
    try:
        if file.stat().st_size > max_bytes:
            return None
        value = json.loads(file.read_text(encoding="utf-8"))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (OSError, ValueError, RecursionError):
        return None
    return value


def find_files(folders: Sequence[Path], pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield files of a name with their relative paths; links that lead out of the folder are ignored."""
    count = 0
    for folder in folders:
        root = folder.resolve()
        for file in sorted(root.rglob(pattern)):
            relative_path = file.relative_to(root)
            if len(relative_path.parts) > MAX_DEPTH or not file.is_file() or not file.resolve().is_relative_to(root):
                continue
            if not is_encodable(str(relative_path)):
                continue
            count += 1
            if count > MAX_FILES:
                return
            displayed_path = relative_path.parent if pattern == METRICS_FILE else relative_path
            yield (Path(folder.name) / displayed_path).as_posix(), file


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    step = max(1, -(-len(rows) // MAX_POINTS))
    sampled = rows[::step]
    names = dict.fromkeys(name for row in sampled for name, value in row.items() if _is_finite_number(value))
    columns = {name: [[index, row[name]] for index, row in enumerate(sampled) if _is_finite_number(row.get(name))]
               for name in names}  # fmt: skip
    return {"rows": len(rows), "points": len(sampled), "columns": columns}


def _plots(rows: Sequence[dict[str, Any]], columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the figures that ``train --plots`` draws, and one for each other metric over the updates."""
    curves: list[LinePlot] = []
    with suppress(KeyError, TypeError, ValueError, ZeroDivisionError):  # lines that no training has written
        curves = build_curves(rows)
    drawn = {*_PROGRESS_COLUMNS, *(name for plot in curves for name in plot.lines)}
    update = Axis("training", "updates", is_integer=True)
    step = max(1, -(-len(rows) // MAX_POINTS))
    others = [
        LinePlot(name, name, update, Axis(name), {name: [(step * index, value) for index, value in points]},
                 interval="one run: no interval")
        for name, points in columns.items() if name not in drawn and " against " not in name
    ]  # fmt: skip
    return [{"name": plot.name, **plot.to_json()} for plot in [*curves, *others]]


def _count(value: Any) -> int | None:
    return int(value) if _is_finite_number(value) else None


def _last_row(file: Path) -> dict[str, Any]:
    """Return the last complete line of a file."""
    last: dict[str, Any] = {}
    for row in _rows(file, _TAIL_BYTES):
        last = row
    return last


def _is_finite_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < float("inf")


def _rows(file: Path, max_bytes: int = MAX_BYTES) -> Iterator[dict[str, Any]]:
    """Yield the complete lines at the end of a file that may be growing."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - max_bytes))
        for line in stream.read(max_bytes).split(b"\n"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue  # incomplete first or last line
            if isinstance(value, dict):
                yield value
