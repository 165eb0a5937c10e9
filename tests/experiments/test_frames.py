"""Rows of records, metrics, cells, matches and ablations, as CSV files and frames."""

from __future__ import annotations

import csv
import doctest
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from abl_cards.core import csv_tables
from abl_cards.core.csv_tables import rows_to_frame, write_csv
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.result_file import append_result
from abl_cards.experiments.frames import match_rows, read_frame, read_rows
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.records import write_records
from tests.cli_runs import run


def test_doctests_pass() -> None:
    assert doctest.testmod(csv_tables).failed == 0


def test_record_rows_have_agents_and_points_by_seat(tmp_path: Path) -> None:
    records: list[Any] = []
    play_match("president", ["kb", "greedy"], games=6, seed=1, write_record=records.append)
    write_records(tmp_path / "games.jsonl.gz", records)
    rows = read_rows(tmp_path / "games.jsonl.gz")
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert [row[f"player_{seat}"] for seat in range(4)] == record["players"]
        assert [row[f"points_{seat}"] for seat in range(4)] == record["points"]
        assert row["num_acts"] == len(record["acts"])
        assert json.loads(row["finish"]) == record["finish"]


def test_match_rows_have_one_row_per_agent_and_role() -> None:
    result = play_match("doudizhu", ["kb", "greedy"], games=6, seed=1)
    rows = match_rows(result)
    assert [(row["agent"], row["role"]) for row in rows[:2]] == [("kb", ""), ("greedy", "")]
    assert rows[0]["rate"] + rows[1]["rate"] == pytest.approx(1)
    assert rows[1]["low"] == pytest.approx(1 - rows[0]["high"])
    assert {row["role"] for row in rows[2:]} == {role.role for role in result.roles}


def test_rows_are_read_from_cells_and_metrics(tmp_path: Path) -> None:
    cells, run_folder = tmp_path / "cells", tmp_path / "run"
    cells.mkdir()
    run_folder.mkdir()
    append_result(cells / "cells.jsonl", {"match": ["a", "b"], "seed": 1}, {"rate": 0.5, "roles": {"x": 1}})
    append_result(cells / "cells.jsonl", {"sum": 3}, 6)
    assert read_rows(cells) == [
        {"cell.match": '["a", "b"]', "cell.seed": 1, "result.rate": 0.5, "result.roles.x": 1},
        {"cell.sum": 3, "result.value": 6},
    ]
    (run_folder / "metrics.jsonl").write_text('{"update": 1, "entropy": 0.5}\n{"update": 2}\n', "utf-8")
    assert read_rows(run_folder) == [{"update": 1, "entropy": 0.5}, {"update": 2}]


def test_rows_are_read_from_command_json(tmp_path: Path) -> None:
    table = tmp_path / "results.json"
    table.write_text(json.dumps({"tables": {"rates": {"title": "Rates", "rows": [{"won": 0.5}]}}}), "utf-8")
    assert read_rows(table) == [{"table": "rates", "won": 0.5}]
    table.write_text(json.dumps({"game": "g", "agent": "kb", "rows": [{"part": "p", "interval": [0, 1]}]}), "utf-8")
    assert read_rows(table) == [{"game": "g", "agent": "kb", "part": "p", "interval": "[0, 1]"}]
    table.write_text("[1]", "utf-8")
    with pytest.raises(GameError):
        read_rows(table)
    with pytest.raises(GameError) as error:
        read_rows(tmp_path)
    assert error.value.code == ErrorCode.FILE_NOT_READABLE


def test_csv_holds_all_columns(tmp_path: Path) -> None:
    write_csv(tmp_path / "rows.csv", [{"a": 1, "b": 'x, "y"'}, {"a": 2, "c": 0.5}])
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [{"a": "1", "b": 'x, "y"', "c": ""}, {"a": "2", "b": "", "c": "0.5"}]


def test_read_frame_uses_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"update": 1}\n{"update": 2, "entropy": 0.5}\n', "utf-8")
    made = SimpleNamespace(DataFrame=lambda rows, columns: (rows, columns))
    monkeypatch.setitem(sys.modules, "pandas", made)
    assert read_frame(tmp_path) == ([{"update": 1}, {"update": 2, "entropy": 0.5}], ["update", "entropy"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(GameError) as error:
        rows_to_frame([])
    assert error.value.code == ErrorCode.MISSING_LIBRARY
    assert "pip install pandas" in str(error.value)


def test_commands_write_csv(tmp_path: Path) -> None:
    games, table = tmp_path / "games.jsonl", tmp_path / "match.csv"
    words = ["match", "president", "kb", "greedy", "--games", "6"]
    answer = run(*words, "--record", str(games), "--csv", str(table))
    assert answer.exit_code == 0, answer.stderr
    assert table.read_text("utf-8").count("\n") == 3
    episodes = tmp_path / "episodes.csv"
    assert run("replay", "president", str(games), "--csv", str(episodes)).exit_code == 0
    with episodes.open(encoding="utf-8", newline="") as file:
        assert {row["player_0"] for row in csv.DictReader(file)} == {"kb", "greedy"}
    parts = tmp_path / "parts.csv"
    words = ["ablate", "president", "--parts", "kb:leading", "--games", "12", "--dir", str(tmp_path / "a")]
    assert run(*words, "--csv", str(parts)).exit_code == 0
    assert "kb:leading" in parts.read_text("utf-8")
