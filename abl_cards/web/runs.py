"""Data of the section Watch: training runs in progress and match results in watched folders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.web.schemas import is_encodable

METRICS_FILE, RESULTS_PATTERN = "metrics.jsonl", "*.json"
MAX_FILES, MAX_DEPTH = 500, 4
MAX_BYTES, MAX_POINTS = 8 << 20, 300
"""Bytes read from the end of a file, and largest number of points per column."""


def list_runs(folders: Sequence[Path]) -> list[str]:
    """List the folders of training runs in watched folders, by relative path."""
    return [name for name, _ in find_files(folders, METRICS_FILE)]


def read_run(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """Return the metrics of a run by column, thinned out; raises GameError for an unknown run."""
    for known, file in find_files(folders, METRICS_FILE):
        if known == name:
            return {"name": name, **_columns(file)}
    raise GameError("unknown run", ErrorCode.NOT_FOUND)


def read_match_results(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the agents and win rates of match results that ``match --json`` has printed into files."""
    results = []
    for name, file in find_files(folders, RESULTS_PATTERN):
        value = read_json_file(file, MAX_BYTES)  # other JSON files are ignored
        if isinstance(value, dict) and _is_match(value):
            low, high = value["interval"]
            results.append({"file": name, "agents": list(map(str, value["agents"])), "games": value["games"],
                         "rate": value["rate"], "low": low, "high": high})  # fmt: skip
    return results


def _is_match(value: dict[str, Any]) -> bool:
    agents, interval = value.get("agents"), value.get("interval")
    if not isinstance(agents, list) or len(agents) != 2 or not isinstance(interval, list) or len(interval) != 2:
        return False
    numbers = [value.get("games"), value.get("rate"), *interval]
    return all(type(number) in (int, float) for number in numbers)


def read_json_file(file: Path, max_bytes: int) -> Any:
    """Read the JSON of a file of limited size; None for invalid files.

    Files may be written by anybody: NaN and lone surrogates, which browsers cannot parse, make a file invalid.
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


def _columns(file: Path) -> dict[str, Any]:
    rows = list(_rows(file))
    step = max(1, -(-len(rows) // MAX_POINTS))
    sampled = rows[::step]
    names = dict.fromkeys(name for row in sampled for name, value in row.items() if _is_finite_number(value))
    columns = {name: [[index, row[name]] for index, row in enumerate(sampled) if _is_finite_number(row.get(name))]
               for name in names}  # fmt: skip
    return {"rows": len(rows), "points": len(sampled), "columns": columns}


def _is_finite_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < float("inf")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the complete lines at the end of a file that may be growing."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - MAX_BYTES))
        for line in stream.read(MAX_BYTES).split(b"\n"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue  # incomplete first or last line
            if isinstance(value, dict):
                yield value
