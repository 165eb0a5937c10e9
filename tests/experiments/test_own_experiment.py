"""Experiments in files of a user: run, listed settings, partial results, cells on Ray, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_an_experiment_may_lie_anywhere(file: Path) -> None:
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


def test_settings_and_other_names_of_a_file(file: Path) -> None:
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


def test_a_cell_is_measured_in_another_process_by_the_absolute_name(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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
def test_a_file_without_an_experiment_is_named(file: Path, name: str, text: str | None, code: ErrorCode) -> None:
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
