"""Read results of commands as rows, for CSV files and pandas: records, metrics, cells, matches and ablations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, check_path, flatten, read_json_file, read_results, rows_to_frame
from abl_cards.matches import MatchResult, read_valid_records
from abl_cards.training import read_metrics

Rows = list[dict[str, Any]]
METRICS_FILE, CELLS_FILE, SHARDS_FILE, TRAININGS_FILE = (
    "metrics.jsonl", "cells.jsonl", "shards.jsonl", "trainings.jsonl",
)  # fmt: skip
"""Files that a folder of results may hold, in the order in which they are looked for."""


def read_rows(path: Path | str) -> Rows:
    """Read a file or a folder of results as rows.

    A folder of a training run has one row for each update, a folder of an experiment one for each cell, and a folder of
    an ablation one for each shard. A file of records has one row for each episode, with the agent and the points of
    each seat. The JSON of ``match``, ``run`` and ``ablate`` has one row for each agent, table row or part.

    Args:
        path: File or folder.

    Returns:
        Rows of numbers and texts; nested values have dotted names, lists are JSON texts.

    Raises:
        GameError: The path holds no such results, or is damaged.
        OSError: The path cannot be read.
    """
    path = check_path("path", path)
    if path.is_dir():
        file = next((path / name for name in _READERS if (path / name).is_file()), None)
        if file is None:
            raise GameError(f"{path}: no results (there would be {', '.join(_READERS)})", ErrorCode.FILE_NOT_READABLE)
        return _READERS[file.name](file)
    if path.name in _READERS:
        return _READERS[path.name](path)
    if path.suffix == ".json":
        return _json_rows(path, read_json_file(path))
    return [record_row(record) for record in read_valid_records(path)]


def read_frame(path: Path | str) -> Any:
    """Read a file or a folder of results as a ``pandas.DataFrame``; see `read_rows`.

    Args:
        path: File or folder.

    Returns:
        The frame.

    Raises:
        GameError: pandas is not installed (code ``missing-library``), or the path holds no results.
        OSError: The path cannot be read.
    """
    return rows_to_frame(read_rows(path))


def record_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as a row: agents and points by seat, and the number of acts.

    Args:
        record: Record of an episode.
    """
    by_seat = {
        f"{name}_{seat}": value
        for key, name in (("players", "player"), ("points", "points"))
        if isinstance(record.get(key), list)
        for seat, value in enumerate(record[key])
    }
    acts = record.get("acts", record.get("plays"))
    count = {"num_acts": len(acts)} if isinstance(acts, list) else {}
    return flatten({key: value for key, value in record.items() if key not in ("players", "points")}) | by_seat | count


def match_rows(result: MatchResult) -> Rows:
    """Return the result of a match as rows: one an agent, and one an agent and role where roles differ.

    Args:
        result: Result of a match.
    """
    common = {"game": result.game, "games": result.games, "seed": result.seed, "draws": result.draws}
    rates = [(result.rate, result.interval)]
    if len(result.agents) == 2:
        rates.append((1 - result.rate, (1 - result.interval[1], 1 - result.interval[0])))
    rows = []
    for index, (agent, wins) in enumerate(zip(result.agents, result.wins, strict=True)):
        row = {**common, "agent": agent, "role": "", "wins": wins}
        if index < len(rates):
            row |= {"rate": rates[index][0], "low": rates[index][1][0], "high": rates[index][1][1]}
        standing = next((standing for standing in result.standings if standing.agent == agent), None)
        if standing is not None:
            row |= {"first": standing.first, "place": standing.place, "points": standing.points}
        rows.append(row)
    for role in result.roles:
        low, high = role.interval
        rows.append({
            **common, "agent": role.agent, "role": role.role, "games": role.games, "wins": role.wins,
            "rate": role.rate, "low": low, "high": high, "points": role.points,
        })  # fmt: skip
    return rows


def _cell_rows(file: Path) -> Rows:
    """Return the cells of a file, inputs and results side by side."""
    rows = []
    for key, result in read_results(file).items():
        value = result if isinstance(result, Mapping) else {"value": result}
        rows.append(flatten(json.loads(key), "cell.") | flatten(value, "result."))
    return rows


def _json_rows(file: Path, value: Any) -> Rows:
    """Return the rows of the JSON that a command has printed."""
    if isinstance(value, Mapping) and isinstance(value.get("tables"), Mapping):
        return [{"table": name, **flatten(row)} for name, table in value["tables"].items() for row in table["rows"]]
    if isinstance(value, Mapping):
        lists = [value[key] for key in ("rows", "points") if isinstance(value.get(key), list)]
        if lists:
            common = {key: value[key] for key in ("game", "agent", "seed") if key in value}
            return [common | flatten(row) for row in lists[0]]
        if isinstance(value.get("agents"), list):
            return [flatten(value)]
    raise GameError(f"{file}: not the JSON of match, run or ablate", ErrorCode.INVALID_JSON)


_READERS: dict[str, Callable[[Path], Rows]] = {
    METRICS_FILE: lambda file: read_metrics(file.parent),
    CELLS_FILE: _cell_rows,
    SHARDS_FILE: _cell_rows,
    TRAININGS_FILE: _cell_rows,
}
