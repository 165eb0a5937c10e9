"""Experiments over seeds: one cell a seed, combined tables and plots, paired tests."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.plots import ErrorBarPlot, LinePlot, MatrixPlot
from abl_cards.core.settings import setting
from abl_cards.experiments.experiment import find_experiments
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.seeds import SeedsConfig, combine_reports, over_seeds
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.matches.seed_intervals import combine_seeds, paired_test

RATES = {"first": (0.5, 0.6, 0.4), "second": (0.6, 0.8, 0.5)}


@dataclass(frozen=True)
class DrawnConfig(SeedsConfig):
    """Settings of an experiment whose seed is its result."""

    seed: int = setting(0, "seed of the result", range(100))


def drawn_report(seed: int) -> ExperimentReport:
    """Two rows with rates, an interval and a path that differs by seed, in an order that differs by seed."""
    rows: list[list[Any]] = [
        [name, 100, rates[seed], rates[seed] - 0.1, rates[seed] + 0.1, float(seed), f"runs/{seed}"]
        for name, rates in RATES.items()
    ]
    columns = ("agent", "games", "won", "from", "to", "points", "file")
    percent = frozenset(columns[2:5])
    table = ReportTable("rates", "Rates", columns, rows[:: 1 if seed else -1], "", percent, paired_column="won")
    line = LinePlot("line", "Line", "x", "y", {"won": [(0.0, 0.0), (1.0 + seed, 1.0 + seed)]})
    bars = ErrorBarPlot("bars", "Bars", "x", {"first": (RATES["first"][seed], 0.0, 1.0)}, 0.5)
    matrix = MatrixPlot("matrix", "Matrix", ("a",), ("b",), [[RATES["first"][seed]]])
    return ExperimentReport([table], [line, bars, matrix])


def run_drawn(settings: DrawnConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    workspace.measure_cell({"drawn": settings.seed}, lambda tell: settings.seed, "drawn")
    return drawn_report(settings.seed)


def test_tables_are_means_with_intervals() -> None:
    combined = combine_reports({seed: drawn_report(seed) for seed in range(3)})
    table, paired = combined.tables
    rows = {row["agent"]: row for row in table.to_json()["rows"]}
    for name, rates in RATES.items():
        expected = combine_seeds(rates, [0.2 / (2 * 1.959964)] * 3, bounds=(0, 1))
        assert rows[name]["won"] == expected.mean
        assert (rows[name]["from"], rows[name]["to"]) == expected.interval
        assert rows[name]["games"] == 100
        assert rows[name]["points"] == 1
        assert rows[name]["points, from"] < 1 < rows[name]["points, to"]
        assert rows[name]["file"] is None
    assert "3 training seeds and deals together" in table.note
    (test,) = paired.to_json()["rows"]
    differences = np.array(RATES[test["row"]]) - np.array(RATES[test["against row"]])
    assert test["difference of won"] == pytest.approx(differences.mean(), abs=1e-6)
    assert test["p"] == pytest.approx(paired_test(differences))


def test_plots_are_means() -> None:
    line, bars, matrix = combine_reports({seed: drawn_report(seed) for seed in range(3)}).plots
    assert isinstance(line, LinePlot)
    assert isinstance(bars, ErrorBarPlot)
    assert isinstance(matrix, MatrixPlot)
    assert line.lines["won"][-1] == pytest.approx((1.0, 1.0))  # as far as all seeds have points
    mean, low, _ = bars.bars["first"]
    assert mean == 0.5
    assert low is not None
    assert low < 0.4
    assert matrix.values[0][0] == pytest.approx(0.5)


def test_each_seed_is_a_cell(tmp_path: Path) -> None:
    run = over_seeds(run_drawn)
    assert run(DrawnConfig(seed=2), ExperimentWorkspace(tmp_path / "one")) == drawn_report(2)
    partial: list[str] = []
    workspace = ExperimentWorkspace(tmp_path / "three", publish=lambda report, missing: partial.append(missing))
    report = run(DrawnConfig(seeds=3), workspace)
    assert report.to_json() == combine_reports({seed: drawn_report(seed) for seed in range(3)}).to_json()
    assert partial == ["seed 1, seed 2", "seed 2"]
    cells = (tmp_path / "three" / "cells.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["cell"]["seed"] for line in cells] == [0, 1, 2]
    more = run(DrawnConfig(seeds=2), ExperimentWorkspace(tmp_path / "three"))
    assert more.to_json() == combine_reports({seed: drawn_report(seed) for seed in range(2)}).to_json()
    assert len((tmp_path / "three" / "cells.jsonl").read_text("utf-8").splitlines()) == 3


@dataclass(frozen=True)
class InputFilesConfig(GameConfig, DrawnConfig):
    """Settings of an experiment that reads rules, records and weights."""

    records: Path | None = setting(None, "a file")
    agents: tuple[str, ...] = setting((), "agents")


def test_a_seed_is_measured_anew_after_a_change_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a path is relative, or a rule belongs to the parent of a variant."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(NEW_GAME, "mine")
    Path("variant").mkdir()
    Path("variant", "variant.lp").write_text("parent(mine).\n", "utf-8")
    records, weights = Path("records.jsonl"), Path("some.safetensors")
    every = [
        (InputFilesConfig(seeds=2, game="mine"), Path("mine", "rules.lp")),
        (InputFilesConfig(seeds=2, kb=Path("mine")), Path("mine", "rules.lp")),
        (InputFilesConfig(seeds=2, game="variant"), Path("mine", "rules.lp")),
        (InputFilesConfig(seeds=2, records=records), records),
        (InputFilesConfig(seeds=2, agents=("kb", f"abl:no-lookahead,weights={weights}")), weights),
    ]
    for file in (records, weights):
        file.write_text("first", "utf-8")
    for number, (settings, changed) in enumerate(every):
        for cells in (2, 4):
            folder = tmp_path / str(number)
            over_seeds(run_drawn)(settings, ExperimentWorkspace(folder))
            assert len((folder / "cells.jsonl").read_text("utf-8").splitlines()) == cells
            changed.write_text(changed.read_text("utf-8") + "% changed\n", "utf-8")


def test_experiments_that_train_have_a_seeds_setting() -> None:
    """Only experiments that measure what is there already have no setting ``seeds``."""
    measuring = {
        "abduction_effects", "big2_agents", "big2_depth", "big2_exact", "guandan_example", "guandan_expert",
        "guandan_kb_ablation", "guandan_tournament", "ladder",
    }  # fmt: skip
    without = {name for name, found in find_experiments().items() if not hasattr(found.settings, "seeds")}
    assert without == measuring
