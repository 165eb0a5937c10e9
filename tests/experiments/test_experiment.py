"""Experiments: described settings, a small budget for each, and results saved with their provenance."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.plots import LinePlot
from abl_cards.core.settings import check_settings, settings_to_json
from abl_cards.experiments import guandan_abln, matches
from abl_cards.experiments.experiment import Experiment, find_experiments, run_experiment
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.matches.match_runner import play_match
from abl_cards.training.run_lock import lock_run_folder
from tests.cli_runs import run
from tests.edited import edited
from tests.effort import amount, long

KNOWN = find_experiments()


@pytest.mark.parametrize("experiment", KNOWN.values(), ids=KNOWN)
def test_settings_are_documented_and_serialisable(experiment: Experiment) -> None:
    assert experiment.summary
    for field in fields(experiment.settings):
        assert field.metadata["doc"]
    smaller = experiment.make_settings(smoke=True)
    assert smaller != experiment.settings == experiment.make_settings(smoke=False)
    json.dumps(settings_to_json(smaller))
    check_settings(smaller)
    check_settings(experiment.settings)


WITHOUT_GAME = {"digit_addition"}
"""Experiments without cards."""


@pytest.mark.parametrize("name", KNOWN)
def test_experiments_with_games_accept_custom_rules(name: str) -> None:
    assert isinstance(KNOWN[name].settings, RulesConfig) == (name not in WITHOUT_GAME)


@pytest.mark.parametrize("name", WITHOUT_GAME)
def test_experiments_without_games_reject_rules(name: str, tmp_path: Path) -> None:
    refused = run("run", name, "--kb", "president", "--dir", str(tmp_path / "out"))
    assert refused.exit_code == 2
    assert "kb=president" in refused.stderr
    assert not (tmp_path / "out").exists()


def test_custom_rules_are_used_and_measured_separately(tmp_path: Path) -> None:
    """Agents use the rules of the table, and results are kept apart by rules."""
    rules = edited(tmp_path / "mine", more='preference(none, passing). says(none, en, "Nothing."). cost(none, 1).')
    words = ["run", "guandan_abln", "--dir", str(tmp_path / "out"), "--json", "--set", "agent=kb", "--set", "rounds=1"]
    words += ["--set", "twin=greedy", "--set", "games=2"]
    for more in ([], ["--kb", str(rules)], ["--profile", "danzero"]):
        done = run(*words, *more)
        assert done.exit_code == 0, done.stderr
    cells = (tmp_path / "out" / "cells.jsonl").read_text("utf-8").splitlines()
    assert len(cells) == len({json.dumps(json.loads(line)["cell"]["marks"]) for line in cells}) == 3
    wrong = run(*words, "--profile", "nobody")
    assert wrong.exit_code == 1
    assert "unknown profile 'nobody'" in wrong.stderr


def test_run_command_lists_experiments() -> None:
    shown = run("run")
    assert all(name in shown.stdout for name in KNOWN)
    assert json.loads(run("run", "--json").stdout) == {name: experiment.summary for name, experiment in KNOWN.items()}


def test_run_command_shows_settings() -> None:
    shown = run("run", "guandan_tournament", "--settings", "--set", "games=77", "--seed", "5")
    assert "77" in shown.stdout
    assert "of the deals" in shown.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["guandan_turnament"], "did you mean 'guandan_tournament'"),
        (["guandan_tournament", "--set", "gmae=3"], "with a key out of kb, profile, game, agents"),
        (["guandan_tournament", "--set", "games=some"], "games is of type int"),
    ],
)
def test_invalid_run_commands_exit_with_2(words: list[str], problem: str) -> None:
    shown = run("run", *words)
    assert shown.exit_code == 2
    assert problem in shown.stderr


def test_experiment_folder_is_locked(tmp_path: Path) -> None:
    with lock_run_folder(tmp_path):
        shown = run("run", "big2_exact", "--smoke", "--dir", str(tmp_path))
    assert shown.exit_code == 1
    assert f"error: {tmp_path}: process {os.getpid()} is at work here" in shown.stderr
    assert [file.name for file in tmp_path.iterdir()] == [".lock"]


def test_unknown_agent_is_reported(tmp_path: Path) -> None:
    shown = run("run", "guandan_tournament", "--dir", str(tmp_path), "--set", "agents=kb gredy")
    assert shown.exit_code == 1
    assert "did you mean 'greedy'" in shown.stderr


def test_results_are_saved_and_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "guandan_tournament", "--dir", str(tmp_path), "--set", "agents=random greedy", "--json"]
    first = json.loads(run(*words, "--set", "games=2").stdout)
    for name in ("settings.json", "report.md", "results.json", "wins.svg", "log.txt", "cells.jsonl"):
        assert (tmp_path / name).stat().st_size > 0
    assert first == json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert first["tables"]["wins"]["rows"] == [
        {"agent": "random", "random": None, "greedy": 0.0},
        {"agent": "greedy", "random": 1.0, "greedy": None},
    ]
    cells = tmp_path / "cells.jsonl"
    cells.write_text(cells.read_text("utf-8") + '{"cell": {"mat', "utf-8")  # killed while it was writing

    def no_match(*arguments: Any, **more: Any) -> None:
        raise AssertionError("a match was played")

    monkeypatch.setattr(matches, "play_match", no_match)
    assert json.loads(run(*words, "--set", "games=2").stdout) == first
    with pytest.raises(AssertionError, match="a match was played"):
        run(*words, "--set", "games=2", "--seed", "1")
    with pytest.raises(AssertionError, match="a match was played"):
        run(*words, "--set", "games=2", "--restart")


def test_interrupted_run_has_a_partial_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the report before the next measurement, so that an interruption does not lose it."""
    seen: list[str] = []
    play = play_match

    def watched(*arguments: Any, **more: Any) -> Any:
        report = tmp_path / "report.md"
        seen.append(report.read_text("utf-8") if report.exists() else "")
        if len(seen) == 3:
            raise KeyboardInterrupt
        return play(*arguments, **more)

    monkeypatch.setattr(matches, "play_match", watched)
    numbers = range(2, amount(3, 4) + 1)
    settings = guandan_abln.GuandanAblnConfig(
        agent="greedy", twin="random", rounds=numbers[-1], games=2, episodes=amount(20, 100)
    )
    with pytest.raises(KeyboardInterrupt):
        run_experiment("guandan_abln", settings, tmp_path)
    assert seen[0] == ""
    left = [f"round {number}" for number in numbers]
    assert f"**This is a part.** Not measured yet: {', '.join(left)}. The same command goes on." in seen[1]
    assert "| greedy | random | 2 | 4 | 100.0% |" in seen[2]
    partial = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert partial["missing"] == ", ".join(left[1:])
    assert set(partial["plots"]["rounds"]["bars"]) == {"round 1", "round 2", "all rounds"}
    assert (tmp_path / "rounds.svg").read_bytes().startswith(b"<?xml")
    monkeypatch.setattr(matches, "play_match", play)
    whole = run_experiment("guandan_abln", settings, tmp_path)
    assert "missing" not in whole
    assert "This is a part" not in (tmp_path / "report.md").read_text("utf-8")
    assert len((tmp_path / "cells.jsonl").read_text("utf-8").splitlines()) == numbers[-1]


def test_experiment_without_partial_report_publishes_raw_results(tmp_path: Path) -> None:
    published: list[tuple[ExperimentReport, str]] = []
    desk = ExperimentWorkspace(tmp_path, publish=lambda report, missing: published.append((report, missing)))
    desk.plan_cells(3)
    desk.measure_cell({"a": 1}, lambda tell: {"pair": (1, 2)}, "first")
    assert not published
    desk.measure_cell({"a": 2}, lambda tell: "x" * 1000, "second")
    desk.publish_partial()
    desk.publish_partial()
    assert [(len(report.tables[0].rows), missing) for report, missing in published] == [
        (1, "2 of 3 measurements"),
        (2, "1 of 3 measurements"),
    ]
    (first, second) = published[1][0].tables[0].rows
    assert first == ["first", '{"pair": [1, 2]}']
    assert len(str(second[1])) < 300


@long
def test_edited_rules_are_measured_again(tmp_path: Path) -> None:
    rules = edited(tmp_path / "kb", more='preference(none, passing). says(none, en, "Nothing."). cost(none, 1).')
    words = ["run", "guandan_kb_ablation", "--dir", str(tmp_path / "out"), "--json", "--set", "agent=kb"]
    words += ["--set", "games=2", "--set", "without=passing"]
    for more in ([], ["--set", f"kb={rules}"], []):
        assert run(*words, *more).exit_code == 0
    cells = (tmp_path / "out" / "cells.jsonl").read_text("utf-8").splitlines()
    assert len(cells) == len({json.dumps(json.loads(line)["cell"]["marks"]) for line in cells}) == 2


def test_ablation_and_tournament_accept_any_game(tmp_path: Path) -> None:
    """Measure a folder made by `kb new` and a shipped game without levels."""
    assert run("kb", "new", str(tmp_path / "small")).exit_code == 0
    ablation = ["run", "guandan_kb_ablation", "--set", "agent=kb", "--set", "without=control", "--set", "games=4"]
    tournament = ["run", "guandan_tournament", "--set", "agents=random greedy", "--set", "games=4"]
    for words, game in ((ablation, "president"), (tournament, str(tmp_path / "small"))):
        shown = run(*words, "--set", f"game={game}", "--dir", str(tmp_path / words[1]), "--json")
        assert shown.exit_code == 0, shown.stderr
        (first, *_) = json.loads(shown.stdout)["tables"].values()
        assert first["rows"]


def test_cells_are_measured_once(tmp_path: Path) -> None:
    done = []

    def work(tell: Any) -> dict[str, Any]:
        done.append(1)
        return {"pair": (1, 2)}

    assert ExperimentWorkspace(tmp_path).measure_cell({"a": 1}, work, "first") == {"pair": [1, 2]}
    assert ExperimentWorkspace(tmp_path).measure_cell({"a": 1}, work, "again") == {"pair": [1, 2]}
    assert ExperimentWorkspace(tmp_path).measure_cell({"a": 2}, work, "another") == {"pair": [1, 2]}
    assert len(done) == 2


@pytest.mark.usefixtures("pdf_files")
def test_report_is_written_as_markdown_json_and_plots(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["x", 1234, 0.25, None], ["y", 5, 0.5, 1.5]]
    table = ReportTable("t", "Title", ("name", "count", "share", "size"), rows, "Note.", frozenset({"share"}))
    plot = LinePlot("p", "Plot", "x", "y", {"line": [(1, 2), (2, 3)]}, reverse_x=True)
    report = ExperimentReport([table], [plot])
    text = report.to_markdown("exp", "Why?", {"agents": ["a", "b"]})
    for line in (
        "agents = a b",
        "| name | count | share | size |",
        "|---|---:|---:|---:|",
        "| x | 1,234 | 25.0% | – |",
    ):
        assert line in text
    assert report.to_json()["tables"]["t"]["rows"][1] == {"name": "y", "count": 5, "share": 0.5, "size": 1.5}
    assert report.to_json()["plots"]["p"]["lines"] == {"line": [[1, 2], [2, 3]]}
    report.draw_plots(tmp_path, lambda line: None)
    assert (tmp_path / "p.svg").read_bytes().startswith(b"<?xml")
    for width in (3.3, 6.9):
        assert (tmp_path / f"p-{width}in.pdf").read_bytes().startswith(b"%PDF")


def test_a_stored_result_of_another_form_is_named(tmp_path: Path) -> None:
    words = ["run", "guandan_tournament", "--dir", str(tmp_path), "--set", "agents=random greedy", "--set", "games=4",
             "--set", "game=president"]  # fmt: skip
    assert run(*words).exit_code == 0
    cells = tmp_path / "cells.jsonl"
    line = json.loads(cells.read_text("utf-8").splitlines()[0])
    cells.write_text(json.dumps({**line, "result": 3}) + "\n", "utf-8")
    shown = run(*words)
    assert shown.exit_code == 1
    assert "greedy : random" in shown.stderr
    assert str(cells) in shown.stderr
