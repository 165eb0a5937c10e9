"""The main job of ``make run``, with untrained networks and seconds of training."""

from pathlib import Path

import pytest
import torch

from abl_cards.cli.demo_run import render_mid_game
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import save_networks
from abl_cards.matches.records import read_records, sample_records_path
from tests.cli_runs import run
from tests.effort import long
from tests.learners.tiny import TINY


def test_demo_runs_all_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setitem(PRESETS, TINY.name, TINY)
    monkeypatch.setattr(
        "abl_cards.training.settings.NUM_THREADS", 1
    )  # a helper takes longer to start than to train them
    file = tmp_path / "tiny.safetensors"
    save_networks(
        file, Networks(TINY, GameShape.of(load("guandan").engine())), WeightsCard("guandan", TINY.name, True, 0)
    )
    report = tmp_path / "report"
    shown = run("demo", "--smoke", "--init-from", f"abl:weights={file}", "--dir", str(report))
    assert shown.exit_code == 0, shown.stderr
    commands = [line.split()[2] for line in shown.stdout.splitlines() if line.startswith("$ abl-cards ")]
    assert commands == ["kb", "replay", "run", "run", "explain"]
    for words in (
        "no errors",
        " 0 disagreements",
        "legal labels",
        "## Before, on the way, and after",
        "| after 0.02 minutes | random |",
        "| kb | random |",
        "estimated hands",
        "after projection",
        "| counting + facts + hints |",
        "## Candidates of a decision",
        "This takes about",
        "[6/6, about",
    ):
        assert words in shown.stdout
    assert {"report.md", "learned.svg", "decision.png"} <= {path.name for path in report.iterdir()}
    assert f"{report / 'learned.svg'}" in shown.stdout


@long
def test_failing_step_stops_the_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fail `make run` when the replay finds a disagreement."""
    sample = sample_records_path("guandan")
    spoilt = [{**record, "level": "3"} for record in read_records(sample, 2) if isinstance(record, dict)]
    monkeypatch.setattr("abl_cards.matches.replay.read_record_chunks", lambda *arguments: iter([spoilt]))
    shown = run("demo", "--smoke", "--dir", str(tmp_path))
    assert shown.exit_code == 1
    assert "joint abduction loop" not in shown.stdout


def test_mid_game_table_is_deterministic_and_follows_a_play() -> None:
    text = render_mid_game(load("guandan").engine())
    assert "to beat: " in text
    assert text == render_mid_game(load("guandan").engine())


def test_demo_rejects_unknown_game() -> None:
    assert run("demo", "--game", "mahjong").exit_code != 0
