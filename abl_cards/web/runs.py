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
"""Bytes at the end of a file that are read, and points of a line that are shown."""


def list_runs(folders: Sequence[Path]) -> list[str]:
    """The folders of runs beneath some folders, by their paths there."""
    return [name for name, _ in find_files(folders, METRICS_FILE)]


def read_run(folders: Sequence[Path], name: str) -> dict[str, Any]:
    """The numbers of a run by column, thinned out; raises GameError for one that there is none of."""
    for known, file in find_files(folders, METRICS_FILE):
        if known == name:
            return {"name": name, **_columns(file)}
    raise GameError("there is no such run", ErrorCode.NOT_FOUND)


def read_match_results(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The results of matches that ``match --json`` has printed into files: who, against whom, at which rate."""
    some = []
    for name, file in find_files(folders, RESULTS_PATTERN):
        value = read_json_file(file, MAX_BYTES)  # there are other files of JSON in such folders
        if isinstance(value, dict) and _is_match(value):
            low, high = value["interval"]
            some.append({"file": name, "agents": list(map(str, value["agents"])), "games": value["games"],
                         "rate": value["rate"], "low": low, "high": high})  # fmt: skip
    return some


def _is_match(value: dict[str, Any]) -> bool:
    agents, interval = value.get("agents"), value.get("interval")
    if not isinstance(agents, list) or len(agents) != 2 or not isinstance(interval, list) or len(interval) != 2:
        return False
    numbers = [value.get("games"), value.get("rate"), *interval]
    return all(type(each) in (int, float) for each in numbers)


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
    """Files of a name, none through a link that leads out of the folder; the folder of each by its path."""
    count = 0
    for folder in folders:
        root = folder.resolve()
        for file in sorted(root.rglob(pattern)):
            inside = file.relative_to(root)
            if len(inside.parts) > MAX_DEPTH or not file.is_file() or not file.resolve().is_relative_to(root):
                continue
            if not is_encodable(str(inside)):
                continue
            count += 1
            if count > MAX_FILES:
                return
            named = inside.parent if pattern == METRICS_FILE else inside
            yield (Path(folder.name) / named).as_posix(), file


def _columns(file: Path) -> dict[str, Any]:
    rows = list(_rows(file))
    step = max(1, -(-len(rows) // MAX_POINTS))
    kept = rows[::step]
    names = dict.fromkeys(name for row in kept for name, value in row.items() if _is_finite_number(value))
    columns = {name: [[number, row[name]] for number, row in enumerate(kept) if _is_finite_number(row.get(name))]
               for name in names}  # fmt: skip
    return {"rows": len(rows), "points": len(kept), "columns": columns}


def _is_finite_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < float("inf")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """The whole lines at the end of a file that may be growing."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - MAX_BYTES))
        for line in stream.read(MAX_BYTES).split(b"\n"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the line that is being written, or the end of one that was cut
            if isinstance(value, dict):
                yield value
