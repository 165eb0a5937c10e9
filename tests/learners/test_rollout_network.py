"""The rollout network: the compiled choice against torch, and its weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners import weights_io
from abl_cards.learners.batches import to_input_tensors
from abl_cards.learners.model_inputs import ModelInputs
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, WEIGHTS_FOLDER, RolloutConfig
from abl_cards.learners.rollout_network import RolloutNetwork, choose_candidates
from abl_cards.learners.weights_io import (
    WeightsCard,
    load_card,
    load_networks,
    rollout_weights_file,
    save_networks,
    write_weights,
)
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.abduction import find_best_cards, plays_after
from tests.learners.tiny import TINY

CONFIG = RolloutConfig(hidden=(24, 16))


def random_network(shape: GameShape, seed: int = 1, config: RolloutConfig = CONFIG) -> RolloutNetwork:
    """Return a network whose every input affects the outputs."""
    torch.manual_seed(seed)
    network = RolloutNetwork(shape, config)
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(0.3 * torch.randn(weights.shape))
    return network


@pytest.mark.parametrize("game", ["doudizhu", "guandan", "big2", "hearts", "tractor"])
def test_compiled_choice_is_the_most_probable_label_with_its_cheapest_cards(game: str) -> None:
    engine = load(game).engine()
    decisions = sample_from_play(engine, 120, 3)
    model = engine.preference_model()
    best = find_best_cards(engine, model, decisions)
    inputs = ModelInputs(
        observation=decisions.observe(),
        legal=best.choosable,
        to_beat=decisions.label_to_beat,
        regret=best.regret(),
        plays_left=plays_after(engine, decisions, best),
        estimate=np.zeros((120, 0, 0), np.float32),
        response_counts=np.zeros((120, 0, 0), np.uint8),
        prior=np.zeros((120, 0, 0), np.float32),
    )
    for seed in range(3):
        network = random_network(GameShape.of(engine), seed)
        with torch.inference_mode():
            log_probs = network(to_input_tensors(inputs, torch.device("cpu"))).numpy()
        cost, consistent = model.costs(decisions, best.lists)
        rows, has_choice = choose_candidates(
            network.to_weights(), best.lists.start, best.label, cost, consistent,
            engine.plays_left(decisions, best.lists), inputs.observation, inputs.to_beat,
        )  # fmt: skip
        assert (has_choice == best.has_choice).all()
        chosen = best.label[rows]
        assert (best.best_row[np.arange(120), chosen] == rows).all()
        assert (log_probs[np.arange(120), chosen] > log_probs.max(axis=1) - 1e-4).all()
        assert len(set(chosen)) > 2


@pytest.fixture
def weights_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of weights for Dou dizhu, with a rollout network beside it."""
    monkeypatch.setitem(PRESETS, "tiny", replace(TINY, rollout=CONFIG))
    shape, card = GameShape.of(load("doudizhu").engine()), WeightsCard("doudizhu", "tiny", True, seed=5, steps=7)
    save_networks(tmp_path / "some.safetensors", Networks(PRESETS["tiny"], shape, 5), card)
    write_weights(tmp_path / "some-rollout.safetensors", random_network(shape).state_dict(), card)
    return tmp_path / "some.safetensors"


def test_networks_are_loaded_with_the_rollout_network_beside_them(weights_file: Path) -> None:
    engine = load("doudizhu").engine()
    loaded = load_networks(weights_file, engine)
    assert loaded.rollout_weights is not None
    expected = random_network(GameShape.of(engine)).to_weights()
    for one, other in zip(loaded.rollout_weights, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3, rtol=2e-3)
    rollout_weights_file(weights_file).unlink()
    assert load_networks(weights_file, engine).rollout_weights is None


def test_rollout_network_of_other_sizes_is_an_error(weights_file: Path) -> None:
    engine = load("doudizhu").engine()
    other = random_network(GameShape.of(engine), config=RolloutConfig(hidden=(8, 16)))
    write_weights(rollout_weights_file(weights_file), other.state_dict(), WeightsCard("doudizhu", "tiny", True, seed=5))
    with pytest.raises(GameError) as problem:
        load_networks(weights_file, engine)
    assert problem.value.code == ErrorCode.WEIGHTS_MISMATCH
    write_weights(
        rollout_weights_file(weights_file), {"first.bias": torch.zeros(24)}, WeightsCard("doudizhu", "tiny", True, 5)
    )
    with pytest.raises(GameError) as problem:
        load_networks(weights_file, engine)
    assert problem.value.code == ErrorCode.WEIGHTS_MISMATCH


def test_shipped_rollout_networks_fit_the_weights_that_they_lie_beside() -> None:
    files = sorted(WEIGHTS_FOLDER.glob("*-rollout.safetensors"))
    assert files
    for file in files:
        card = load_card(file)
        weights = file.with_name(f"{card.game}-{card.preset}.safetensors")
        assert rollout_weights_file(weights) == file
        assert card.command
        assert file.stat().st_size < 5_000_000
        assert load_networks(weights, load(card.game).engine()).rollout_weights is not None


def test_rollout_weights_are_no_weights_to_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message that lists shipped weights leaves them out."""
    monkeypatch.setattr(weights_io, "WEIGHTS_FOLDER", tmp_path)
    for stem in ("whist-small", "whist-small-rollout"):
        (tmp_path / f"{stem}.safetensors").touch()
    with pytest.raises(GameError, match=r"there are: whist-small\)"):
        weights_io.find_shipped_weights("whist", "none")
