"""Every experiment has settings with words, and a small budget; results are kept, and belong to what they came from."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from abl_cards.loop.lock import only_here
from abl_cards.settings import plain
from experiments import matches
from experiments.desk import Desk
from experiments.experiment import Experiment, experiments
from experiments.report import Cell, Curves, Report, Table
from tests.cli_runs import run
from tests.edited import edited

KNOWN = experiments()


@pytest.mark.parametrize("experiment", KNOWN.values(), ids=KNOWN)
def test_every_setting_has_a_default_and_a_word(experiment: Experiment) -> None:
    assert experiment.summary
    for field in fields(experiment.settings):
        assert field.metadata["doc"]
    smaller = experiment.budget(smoke=True)
    assert smaller != experiment.settings == experiment.budget(smoke=False)
    json.dumps(plain(smaller))


def test_the_command_lists_them() -> None:
    shown = run("run")
    assert all(name in shown.stdout for name in KNOWN)
    assert json.loads(run("run", "--json").stdout) == {name: each.summary for name, each in KNOWN.items()}


def test_the_command_shows_the_settings() -> None:
    shown = run("run", "guandan_tournament", "--settings", "--set", "games=77", "--seed", "5")
    assert "77" in shown.stdout
    assert "of the deals" in shown.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["guandan_turnament"], "did you mean 'guandan_tournament'"),
        (["guandan_tournament", "--set", "game=3"], "with a key out of agents"),
        (["guandan_tournament", "--set", "games=some"], "games is of type int"),
    ],
)
def test_what_cannot_be_run_is_misuse(words: list[str], problem: str) -> None:
    shown = run("run", *words)
    assert shown.exit_code == 2
    assert problem in shown.stderr


def test_one_experiment_at_a_time_in_a_folder(tmp_path: Path) -> None:
    with only_here(tmp_path):
        shown = run("run", "big2_exact", "--smoke", "--dir", str(tmp_path))
    assert shown.exit_code == 1
    assert f"error: {tmp_path}: process {os.getpid()} is at work here" in shown.stderr
    assert [file.name for file in tmp_path.iterdir()] == [".lock"]


def test_an_unknown_agent_is_named(tmp_path: Path) -> None:
    shown = run("run", "guandan_tournament", "--dir", str(tmp_path), "--set", "agents=kb gredy")
    assert shown.exit_code == 1
    assert "did you mean 'greedy'" in shown.stderr


def test_results_are_kept_and_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "guandan_tournament", "--dir", str(tmp_path), "--set", "agents=random greedy", "--json"]
    first = json.loads(run(*words, "--set", "games=2").stdout)
    for name in ("settings.json", "report.md", "results.json", "wins.png", "log.txt", "cells.jsonl"):
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
        run(*words, "--set", "games=2", "--afresh")


def test_edited_rules_are_measured_anew(tmp_path: Path) -> None:
    rules = edited(tmp_path / "kb", more='preference(none, passing). says(none, en, "Nothing."). cost(none, 1).')
    words = ["run", "guandan_kb_ablation", "--dir", str(tmp_path / "out"), "--json", "--set", "agent=kb"]
    words += ["--set", "games=2", "--set", "without=passing"]
    for more in ([], ["--set", f"kb={rules}"], []):
        assert run(*words, *more).exit_code == 0
    kept = (tmp_path / "out" / "cells.jsonl").read_text("utf-8").splitlines()
    assert len(kept) == len({json.dumps(json.loads(line)["cell"]["marks"]) for line in kept}) == 2


def test_a_cell_is_measured_once(tmp_path: Path) -> None:
    done = []

    def work(tell: Any) -> dict[str, Any]:
        done.append(1)
        return {"pair": (1, 2)}

    assert Desk(tmp_path).cell({"a": 1}, work, "first") == {"pair": [1, 2]}
    assert Desk(tmp_path).cell({"a": 1}, work, "again") == {"pair": [1, 2]}
    assert Desk(tmp_path).cell({"a": 2}, work, "another") == {"pair": [1, 2]}
    assert len(done) == 2


def test_a_report_as_markdown_json_and_pictures(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["x", 1234, 0.25, None], ["y", 5, 0.5, 1.5]]
    table = Table("t", "Title", ("name", "count", "share", "size"), rows, "Note.", frozenset({"share"}))
    plot = Curves("p", "Plot", "x", "y", {"line": [(1, 2), (2, 3)]}, backwards=True)
    report = Report([table], [plot])
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
    report.draw(tmp_path, lambda line: None)
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
