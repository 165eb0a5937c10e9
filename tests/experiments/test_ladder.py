"""The experiment `ladder`: ratings of a small game, and reuse of measurements."""

import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.experiments import ladder, matches
from abl_cards.experiments.experiment import run_experiment
from abl_cards.games.game import load
from tests.cli_runs import run
from tests.effort import amount

GAMES = amount(2, 4)


def test_agents_of_a_game_are_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "ladder", "--dir", str(tmp_path), "--json", "--set", "game=president", "--set", f"games={GAMES}"]
    shown = run(*words)
    assert shown.exit_code == 0, shown.stderr
    first = json.loads(shown.stdout)
    ratings = {row["agent"]: row for row in first["tables"]["ratings"]["rows"]}
    assert set(ratings) == set(ladder.game_agents(load("president").engine()))
    assert ratings["kb"]["rating"] == 0
    assert ratings["kb"]["from"] is None
    assert ratings["random"]["rating"] < 0
    assert ratings["random"]["from"] < ratings["random"]["rating"] < ratings["random"]["to"]
    assert first["plots"]["ladder"]["counts"]["kb"] == GAMES * (len(ratings) - 1)
    assert (tmp_path / "ladder.svg").stat().st_size > 0

    def no_match(*arguments: Any, **more: Any) -> None:
        raise AssertionError("a match was played")

    monkeypatch.setattr(matches, "play_match", no_match)
    assert json.loads(run(*words).stdout) == first


def test_ladder_requires_two_agents(tmp_path: Path) -> None:
    shown = run("run", "ladder", "--dir", str(tmp_path), "--set", "game=president", "--set", "agents=kb")
    assert shown.exit_code == 1
    assert "two agents" in shown.stderr


def test_ladder_trains_and_rates_an_agent(tmp_path: Path) -> None:
    words = ["run", "ladder", "--dir", str(tmp_path), "--json", "--set", "game=president", "--set", "games=4",
             "--set", "agents=kb", "--set", "train_decisions=500", "--set", "abl_games=2"]  # fmt: skip
    shown = run(*words)
    assert shown.exit_code == 0, shown.stderr
    first = json.loads(shown.stdout)
    matches_played = {row["agent"]: row["matches"] for row in first["tables"]["ratings"]["rows"]}
    assert matches_played == {"quick": 2, "kb": 2}
    weights = list(tmp_path.glob("quick-*/trained.safetensors"))
    assert len(weights) == 1
    trained = weights[0].stat().st_mtime_ns
    assert json.loads(run(*words).stdout) == first
    assert weights[0].stat().st_mtime_ns == trained


def test_unknown_reference_agent_is_rejected(tmp_path: Path) -> None:
    words = ("--set", "game=president", "--set", "agents=random greedy", "--set", "reference=abl")
    shown = run("run", "ladder", "--dir", str(tmp_path), *words)
    assert shown.exit_code == 1
    assert "reference=abl" in shown.stderr


def test_python_settings_are_validated(tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        run_experiment("ladder", ladder.LadderConfig(game="president", games=0), tmp_path / "out")
    assert error.value.code == ErrorCode.INVALID_SETTING
    assert not (tmp_path / "out").exists()
