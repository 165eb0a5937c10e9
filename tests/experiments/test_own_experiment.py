"""Experiments in files of a user: run, listed settings, partial results, cells on Ray, and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.atomic_files import lock_folder
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.result_file import result_key
from abl_cards.experiments.experiment import (
    Experiment,
    absolute_name,
    get_experiment,
    is_experiment_file,
    run_experiment,
    short_name,
)
from abl_cards.experiments.remote_cells import _measure
from abl_cards.experiments.report import ReportTable
from abl_cards.games.game import load
from tests.cli_runs import run

SOURCE = '''
"""An experiment of one's own."""

from dataclasses import dataclass
from pathlib import Path

from abl_cards.core import LinePlot, setting
from abl_cards.experiments import Experiment, ExperimentReport, ExperimentWorkspace, GameConfig, ReportTable
from abl_cards.matches import play_match


@dataclass(frozen=True)
class PairConfig(GameConfig):
    """Two agents at several seeds."""

    game: str = setting("president", "the game")
    agents: tuple[str, ...] = setting(("greedy", "random"), "the two agents")
    seeds: tuple[int, ...] = setting((0, 1, 2), "seeds of the deals")
    games: int = setting(20, "games for each seed")
    notes: Path | None = setting(None, "a file of notes")


def run(settings: PairConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    def measure(seed: int) -> float:
        def play(progress):
            return play_match(settings.engine, settings.agents, games=settings.games, seed=seed).rate

        inputs = {"agents": settings.agents, "games": settings.games, "seed": seed}
        return workspace.measure_cell(inputs, play, f"seed {seed}")

    def report(shares) -> ExperimentReport:
        rows = [[seed, share] for seed, share in shares.items()]
        plot = LinePlot("shares", "Shares", "seed", "share", {settings.agents[0]: list(shares.items())})
        return ExperimentReport([ReportTable("shares", "Shares", ("seed", "share"), rows)], [plot])

    return report(workspace.measure_each(settings.seeds, measure, report))


EXPERIMENT = Experiment("Who wins?", PairConfig(), run, smoke={"games": 4})
SECOND = Experiment("Who wins more games?", PairConfig(games=40), run, smoke={"games": 4})
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "studies").mkdir()
    monkeypatch.chdir(tmp_path)
    path = Path("studies") / "pairs.py"
    path.write_text(SOURCE, "utf-8")
    return path


def test_experiment_file_runs_from_any_folder(file: Path) -> None:
    words = ["run", str(file), "--set", "seeds=3 4", "--smoke", "--json"]
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["experiment"] == str(file)
    assert results["directory"] == "runs/pairs-smoke"
    assert results["command"] == f"abl-cards run {file} --set 'seeds=3 4' --set games=4"
    assert set(results["marks"]) == {"pairs.py"}
    rows = results["tables"]["shares"]["rows"]
    assert [row["seed"] for row in rows] == [3, 4]
    folder = Path("runs/pairs-smoke")
    for name in ("settings.json", "report.md", "results.json", "shares.svg", "log.txt", "cells.jsonl"):
        assert (folder / name).stat().st_size > 0
    assert "Who wins?" in (folder / "report.md").read_text("utf-8")
    assert json.loads(run(*words).stdout) == results
    assert len((folder / "cells.jsonl").read_text("utf-8").splitlines()) == 2
    again = run(*results["command"].split(" ")[1:3], "--set", "seeds=3 4", "--set", "games=4", "--dir", str(folder))
    assert again.exit_code == 0
    assert len((folder / "cells.jsonl").read_text("utf-8").splitlines()) == 2


def test_experiment_file_settings_and_variable_names(file: Path) -> None:
    shown = run("run", str(file), "--settings", "--set", "games=77")
    assert shown.exit_code == 0
    assert "77" in shown.stdout
    assert "seeds of the deals" in shown.stdout
    second = get_experiment(f"{file}:SECOND")
    assert isinstance(second, Experiment)
    assert second.settings.games == 40
    assert short_name(f"{file}:SECOND") == "pairs"
    assert is_experiment_file(f"{file}:SECOND")
    assert not is_experiment_file("big2_exact")
    rules = run(
        "run", str(file), "--smoke", "--kb", str(load("president").directory), "--set", "seeds=1", "--dir", "out"
    )
    assert rules.exit_code == 0, rules.stderr


def test_cell_is_measured_by_absolute_name(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = get_experiment(str(file)).make_settings(smoke=True)
    run_experiment(str(file), settings, tmp_path / "here")
    cells = [json.loads(line) for line in (tmp_path / "here" / "cells.jsonl").read_text("utf-8").splitlines()]
    name = absolute_name(str(file))
    monkeypatch.chdir(tmp_path / "studies")
    from abl_cards.training import to_plain

    key = result_key(cells[1]["cell"])
    known = {result_key(cells[0]["cell"]): cells[0]["result"]}
    assert _measure(name, to_plain(settings), str(tmp_path / "there"), known, key) == cells[1]["result"]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("missing.py", None, ErrorCode.UNKNOWN_EXPERIMENT),
        ("empty.py", "x = 1\n", ErrorCode.UNKNOWN_EXPERIMENT),
        ("other.py:THIRD", "x = 1\n", ErrorCode.UNKNOWN_EXPERIMENT),
        ("broken.py", "x = 1\n1 / 0\n", ErrorCode.EXPERIMENT_FAILED),
        ("typo.py", "def f(:\n", ErrorCode.EXPERIMENT_FAILED),
    ],
)
def test_files_without_an_experiment_are_rejected(file: Path, name: str, text: str | None, code: ErrorCode) -> None:
    if text is not None:
        Path(name.partition(":")[0]).write_text(text, "utf-8")
    with pytest.raises(GameError) as error:
        get_experiment(name)
    assert error.value.code == code
    shown = run("run", name)
    assert shown.exit_code == 2
    assert name.partition(":")[0] in shown.stderr
    if code == ErrorCode.EXPERIMENT_FAILED:
        assert f"{name}:" in shown.stderr


FAILING = """
from dataclasses import dataclass

import numpy as np

from abl_cards.core import LinePlot, setting
from abl_cards.experiments import Experiment, ExperimentReport, ReportTable


@dataclass(frozen=True)
class Config:
    seed: int = setting(0, "of nothing")


def run(settings, workspace):
    workspace.measure_cell({"seed": 0}, lambda progress: 1, "a cell")
    try:
        workspace.measure_cell({"seed": 1}, lambda progress: 2, "another cell")
    except Exception:  # as experiments handle errors of their own
        raise AssertionError from None
    BODY


EXPERIMENT = Experiment("Does it end?", Config(), run)
"""


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        ("raise KeyError('oops')", ErrorCode.EXPERIMENT_FAILED, "fails.py:21"),
        ("raise SystemExit(3)", ErrorCode.EXPERIMENT_FAILED, "fails.py:21"),
        ("open('nowhere/data.csv')", ErrorCode.EXPERIMENT_FAILED, "fails.py:21"),
        ("return {'rows': []}", ErrorCode.EXPERIMENT_FAILED, "dict"),
        (
            "workspace.set_partial_report(lambda: 1 / 0)\n    raise ValueError",
            ErrorCode.EXPERIMENT_FAILED,
            "fails.py:22: ValueError",
        ),
        (
            "return ExperimentReport([ReportTable('t', 'T', ('a', 'b'), [[np.float32(1)]])])",
            ErrorCode.INVALID_RESULT,
            "float32",
        ),
        (
            "return ExperimentReport([ReportTable('t', 'T', ('a', 'b'), [[1, 2], [3]])])",
            ErrorCode.INVALID_RESULT,
            "row 2",
        ),
        (
            "return ExperimentReport([], [LinePlot('p', 'P', 'x', 'y', {'l': [(0, 1.0), (1, float('nan'))]})])",
            ErrorCode.INVALID_RESULT,
            "nan",
        ),
        *[
            (f"return ExperimentReport([], [LinePlot({plot})])", ErrorCode.INVALID_RESULT, word)
            for plot, word in (
                ("'p', 'P', 'x', 'y', {'l': [(0, None)]}", "None"),
                ("'p', 'P', 'x', 'y', {'l': [(0, 'half')]}", "half"),
                ("'p', 'P', 'x', 'y', {'l': [('first', 1)]}", "first"),
                ("'p', 'P', 'x', 'y', {'l': [(0, np.float32(1))]}", "float32"),
                ("'p', 'P', 'x', 'y', {'l': [0, 1]}", "2 numbers"),
                ("'p', 'P', 'x', 'y', {'l': 1}", "2 numbers"),
                ("'p', 'P', 'x', 'y', {}, bands={'l': [(0, 1)]}", "3 numbers"),
                ("'p', 'P', 'x', 'y', {}, reference=np.float32(1)", "float32"),
                ("'../p', 'P', 'x', 'y', {}", "../p"),
                ("'', 'P', 'x', 'y', {}", "name"),
            )
        ],
        ("return ExperimentReport([ReportTable('t', 'T', (), [])] * 2)", ErrorCode.INVALID_RESULT, "'t'"),
        ("return ExperimentReport([], [LinePlot('p', 'P', 'x', 'y', {})] * 2)", ErrorCode.INVALID_RESULT, "'p'"),
        ("return ExperimentReport([{'rows': []}])", ErrorCode.INVALID_RESULT, "dict"),
        (
            "workspace.measure_each([0, 1], lambda item: item, lambda known: None)\n    workspace.publish_partial()",
            ErrorCode.EXPERIMENT_FAILED,
            "NoneType",
        ),
    ],
)
def test_errors_of_an_experiment_name_it_and_keep_its_cells(
    tmp_path: Path, body: str, code: ErrorCode, word: str
) -> None:
    file, folder = tmp_path / "fails.py", tmp_path / "out"
    file.write_text(FAILING.replace("BODY", body), "utf-8")
    settings = get_experiment(str(file)).make_settings(smoke=False)
    with pytest.raises(GameError) as error:
        run_experiment(str(file), settings, folder)
    assert error.value.code is code
    assert word in str(error.value)
    if code is ErrorCode.EXPERIMENT_FAILED and "returned" not in str(error.value):
        assert error.value.__cause__ is not None
    assert len((folder / "cells.jsonl").read_text("utf-8").splitlines()) == 2
    shown = run("run", str(file), "--dir", str(folder))
    assert shown.exit_code == 1
    assert shown.stderr.startswith("error: ")


def test_a_cell_of_another_process_is_measured_although_errors_are_handled(tmp_path: Path) -> None:
    file = tmp_path / "fails.py"
    file.write_text(FAILING.replace("BODY", "return ExperimentReport([])"), "utf-8")
    known = {result_key({"seed": 0}): 1}
    assert _measure(str(file), {"seed": 0}, str(tmp_path), known, result_key({"seed": 1})) == 2


def test_numbers_that_are_none_are_empty_cells() -> None:
    table = ReportTable("t", "T", ("a", "b"), [[float("nan"), 1], [float("inf"), 2]])
    assert [row["a"] for row in table.to_json()["rows"]] == [None, None]
    assert [row[0] for row in table.cell_texts()] == ["–", "–"]


@pytest.mark.parametrize(
    ("name", "settings", "folder", "code"),
    [
        (3, None, "out", ErrorCode.UNKNOWN_EXPERIMENT),
        ("ladder", None, "out", ErrorCode.INVALID_SETTING),
        ("ladder", {"games": 3}, "out", ErrorCode.INVALID_SETTING),
        ("ladder", None, "", ErrorCode.INVALID_VALUE),
    ],
)
def test_wrong_arguments_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Any, settings: Any, folder: str, code: ErrorCode
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GameError) as error:
        run_experiment(name, settings, folder)
    assert error.value.code is code
    assert not list(tmp_path.iterdir())


def test_a_restart_deletes_neither_the_experiment_nor_a_folder_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = tmp_path / "mine" / "fails.py", tmp_path / "mine"
    folder.mkdir()
    file.write_text(FAILING.replace("BODY", "return ExperimentReport([])"), "utf-8")
    for name in ("mine", "out"):
        assert run("run", str(file), "--dir", str(tmp_path / name)).exit_code == 0
    refused = run("run", str(file), "--dir", str(folder), "--restart")
    assert (refused.exit_code, file.exists()) == (2, True)
    with lock_folder(tmp_path / "out"):
        assert run("run", str(file), "--dir", str(tmp_path / "out"), "--restart").exit_code == 2
    assert (tmp_path / "out" / "cells.jsonl").exists()
    monkeypatch.chdir(tmp_path / "out")
    assert run("run", str(file), "--dir", ".", "--restart").exit_code == 2
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out" / "old").mkdir()
    assert run("run", str(file), "--dir", "out", "--restart").exit_code == 0
    assert not (tmp_path / "out" / "old").exists()
