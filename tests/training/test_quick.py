"""The preset for custom games: it learns from scratch within minutes, in any folder."""

import shlex
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, default_preset
from abl_cards.learners.symmetry import Symmetries
from abl_cards.learners.weights_io import load_networks
from abl_cards.training import prior_scale
from abl_cards.training.prior_scale import calibrate_prior_scale
from abl_cards.training.updates import PPOLearner
from tests.cli_runs import run
from tests.effort import amount

LITTLE = (
    "decisions=16_000", "tables=128", "rows=1024", "batch=64", "against_kb=0", "critic_first=1",
    "workers=1", "threads=1",
)  # fmt: skip


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a custom game: singles and pairs for three seats, without preferences."""
    folder = tmp_path_factory.mktemp("own") / "mine"
    assert run("kb", "new", str(folder)).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def output(mine: Path) -> list[str]:
    """Return the output lines of a short run, started with the path of its folder."""
    words = [word for setting in LITTLE for word in ("--set", setting)]
    answer = run("train", str(mine), "--dir", str(mine.parent / "run"), *words)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout.splitlines()


def test_printed_match_command_beats_random(mine: Path, output: list[str]) -> None:
    """Beat random play from scratch: without preferences an untrained policy is uniform."""
    weights = mine.parent / "run" / "mine-quick.safetensors"
    assert output[-1] == f"try it: abl-cards match {mine} abl:weights={weights} kb"
    words = shlex.split(output[-1].removeprefix("try it: abl-cards "))
    played = run(*words[:-2], f"{words[-2]},no-lookahead", "random", "--games", str(amount(200, 400)), "--json")
    assert played.exit_code == 0, played.stderr
    assert float(played.stdout.partition('"rate":')[2].partition(",")[0]) > 0.6


def test_weights_load_for_a_relative_folder(mine: Path, output: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert output
    weights = mine.parent / "run" / "mine-quick.safetensors"
    monkeypatch.chdir(mine.parent)
    assert load_networks(weights, load("mine").engine()).has_trained_critic
    with pytest.raises(GameError, match="president") as error:
        load_networks(weights, load("president").engine())
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH


def test_default_preset_is_that_of_the_shipped_agent() -> None:
    assert [default_preset(name) for name in ("guandan", "tractor", "president", "mine")] == [
        "small", "planes-abl", "quick", "quick",
    ]  # fmt: skip


def test_prior_scale_is_inversely_proportional_to_costs() -> None:
    costs = np.array([[0, 3, 9, np.inf], [0, np.inf, 6, 0], [0, np.inf, np.inf, np.inf]], np.float32)
    alike = np.zeros((2, 3), np.float32)
    assert calibrate_prior_scale(10 * costs, 0.1) == pytest.approx(calibrate_prior_scale(costs, 0.1) / 10)
    assert calibrate_prior_scale(alike, 0.1) == pytest.approx(0.25), "where all cost the same, as little as there is"


def test_prior_scale_without_preferences_needs_no_games(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior_scale, "collect_decisions", lambda *_: pytest.fail("games are played"))
    assert prior_scale.estimate_prior_scale(load(mine).engine(), 0.1, 1) == pytest.approx(0.25)


def test_learning_rate_is_annealed_to_a_tenth() -> None:
    engine = load("president").engine()
    networks = Networks(PRESETS["quick"], GameShape.of(engine))
    trainer = PPOLearner(networks, Symmetries.from_orders(engine.symmetries, engine.observation_features))
    rates = []
    for done in (0.0, 0.5, 1.0):
        trainer.anneal_lr(done)
        rates.append(trainer.policy_optimiser.param_groups[0]["lr"] / PRESETS["quick"].ppo.learning_rate)
    assert torch.allclose(torch.tensor(rates), torch.tensor([1, 0.5, 0.1]))
