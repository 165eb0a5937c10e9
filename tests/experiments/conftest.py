"""Shared fixtures of the tests of experiments: recorded games, and an agent with tiny networks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from abl_cards.core.plot_drawing import PAGE_WIDTH, save_figure
from abl_cards.core.plots import Plot
from abl_cards.experiments import report
from abl_cards.experiments.experiment import run_experiment
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import save_networks
from abl_cards.matches.records import sample_records_path
from tests.effort import amount
from tests.learners.tiny import TINY

SAMPLE = sample_records_path("guandan")


@pytest.fixture(scope="session")
def engine() -> Engine:
    return load("guandan").engine()


@pytest.fixture(autouse=True)
def _only_svg(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no PDF files, which embed fonts, with the plots of experiments, except in the test of them and long runs."""
    if not (request.config.getoption("--long") or "pdf_files" in request.fixturenames):
        monkeypatch.setattr(report, "PDF_WIDTHS", ())


@pytest.fixture
def pdf_files() -> None:
    """Draw plots as PDF files too."""


class Stopped(BaseException):
    """The end of an interrupted run."""


def partial_results(name: str, settings: Any, folder: Path, beside: Path) -> list[dict[str, Any]]:
    """Return the results of a finished experiment as if it had been stopped after each of its measurements.

    Nothing is measured again: each run gets the finished cells, and stops at the first missing one. In ``make test``
    it is stopped after the first two and the last two measurements.
    """
    drawn: set[str] = set()

    def draw_once(plot: Plot, file: Path, width: float = PAGE_WIDTH) -> None:
        """Draw a plot once, since the partial results share most of their plots."""
        if (content := json.dumps(plot.to_json())) not in drawn:
            drawn.add(content)
            save_figure(plot, file, width)

    cells = (folder / "cells.jsonl").read_text("utf-8").splitlines(keepends=True)
    left, ends = [], amount(2, len(cells))
    for done in sorted({*range(1, len(cells))[:ends], *range(1, len(cells))[-ends:]}):
        part = beside / f"{name}-{done}"
        shutil.copytree(folder, part)
        for file in ("report.md", "results.json", "settings.json"):
            (part / file).unlink()
        (part / "cells.jsonl").write_text("".join(cells[:done]), "utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ExperimentWorkspace, "_measure", _stop)
            patch.setattr(report, "save_figure", draw_once)
            with pytest.raises(Stopped):
                run_experiment(name, settings, part)
        assert "**This is a part.** Not measured yet: " in (part / "report.md").read_text("utf-8")
        left.append(json.loads((part / "results.json").read_text("utf-8")))
    return left


def _stop(*arguments: Any) -> None:
    raise Stopped


@pytest.fixture
def tiny_agent(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of an agent abl with untrained networks."""
    torch.set_num_threads(1)  # the networks are too small for more threads
    monkeypatch.setitem(PRESETS, TINY.name, TINY)
    monkeypatch.setattr(
        "abl_cards.training.settings.NUM_THREADS", 1
    )  # a helper takes longer to start than to train them
    file = tmp_path / "tiny.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(engine)), WeightsCard("guandan", TINY.name, True, 0))
    return f"abl:weights={file}"
