"""The rollout network: the compiled choice against torch, and its weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core import kernel
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.rollouts import position_inputs
from abl_cards.learners import weights_files
from abl_cards.learners.batches import to_input_tensors
from abl_cards.learners.model_inputs import ModelInputs
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, WEIGHTS_FOLDER, RolloutConfig
from abl_cards.learners.rollout_network import (
    POSITIONS_AT_ONCE,
    RolloutNetwork,
    add_inputs,
    apply_second_layers,
    change_inputs,
    choose_candidates,
    choose_label,
    list_label_inputs,
)
from abl_cards.learners.weights_files import (
    WeightsCard,
    load_card,
    opponent_weights_file,
    rollout_weights_file,
    write_weights,
)
from abl_cards.learners.weights_io import load_networks, save_networks
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.abduction import find_best_cards, plays_after
from tests.games.rollouts.sampled_tables import sample_tables
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
def test_chosen_candidate_is_the_most_probable_label_with_its_cheapest_cards(game: str) -> None:
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


@kernel
def choose_from_sums(weights, inputs, to_beat, legal, width):  # type: ignore[no-untyped-def]
    """Choose labels from sums that change from one decision to the next."""
    chosen, total = np.zeros(len(inputs), np.int64), np.zeros(width, np.float32)
    active, labels = np.zeros(len(weights.first), np.int64), np.zeros(legal.shape[1], np.int64)
    no_values = np.zeros((2, legal.shape[1]), np.float32)
    changes = np.zeros((inputs.shape[1], 2), np.int64)
    hidden = np.zeros((POSITIONS_AT_ONCE, width), np.float32)
    last = np.zeros((POSITIONS_AT_ONCE, len(weights.second_bias)), np.float32)
    for j in range(width):
        total[j] = weights.first_bias[j]
    for i in range(len(inputs)):
        ended, n, count = 0, 0, 0
        for index in range(inputs.shape[1]):
            if i and inputs[i - 1, index] and not inputs[i, index]:
                changes[ended, 0], changes[ended, 1] = index, -1
                ended += 1
        paired = 0
        for index in range(inputs.shape[1]):
            if inputs[i, index] and not (i and inputs[i - 1, index]):
                if paired < ended:
                    changes[paired, 1] = index
                    paired += 1
                else:
                    active[n], n = index, n + 1
        change_inputs(weights.first, changes, ended, total)
        add_inputs(weights.first, active, n, total)
        for label in range(legal.shape[1]):
            if legal[i, label]:
                labels[count], count = label, count + 1
        n = list_label_inputs(len(weights.first), legal.shape[1], np.int64(to_beat[i]), labels, count, active, 0)
        place = i % POSITIONS_AT_ONCE
        for j in range(width):
            hidden[place, j] = total[j]
        add_inputs(weights.first, active, n, hidden[place])
        apply_second_layers(weights, hidden, last)
        chosen[i] = choose_label(weights, last[place], labels, count, no_values)
    return chosen


@pytest.mark.parametrize("game", ["doudizhu", "guandan", "president"])
def test_compiled_choice_is_the_most_probable_label(game: str) -> None:
    """Sums that change with the inputs are as exact as new ones, after any number of changes."""
    engine = load(game).engine()
    tables = sample_tables(engine, 120, 9)
    decisions = tables.decisions(rows := tables.rows_to_play())
    count = len(rows)
    inputs = ModelInputs(
        observation=position_inputs(tables, rows),
        legal=decisions.legal_mask.T.astype(bool),
        to_beat=decisions.label_to_beat,
        regret=np.zeros((count, 0), np.float32),
        plays_left=np.zeros((count, 0), np.uint8),
        estimate=np.zeros((count, 0, 0), np.float32),
        response_counts=np.zeros((count, 0, 0), np.uint8),
        prior=np.zeros((count, 0, 0), np.float32),
    )
    assert (inputs.to_beat < 0).any()
    assert (inputs.to_beat >= 0).any()
    for seed in range(3):
        network = random_network(GameShape.of(engine), seed, replace(CONFIG, is_compiled=True))
        with torch.inference_mode():
            log_probs = network(to_input_tensors(inputs, torch.device("cpu"))).numpy()
        chosen = choose_from_sums(
            network.to_weights(), inputs.observation, inputs.to_beat, inputs.legal, CONFIG.hidden[0]
        )
        assert inputs.legal[np.arange(count), chosen].all()
        assert (log_probs[np.arange(count), chosen] > log_probs.max(axis=1) - 0.05).all()
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
    assert loaded.opponent_weights is None
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


@pytest.mark.parametrize(("find_file", "attribute"), [
    (rollout_weights_file, "rollout_weights"), (opponent_weights_file, "opponent_weights"),
])  # fmt: skip
def test_shipped_light_networks_fit_the_weights_that_they_lie_beside(
    find_file: Callable[[Path], Path], attribute: str
) -> None:
    files = sorted(WEIGHTS_FOLDER.glob(find_file(Path("*.safetensors")).name))
    assert files
    for file in files:
        card = load_card(file)
        weights = file.with_name(f"{card.game}-{card.preset}.safetensors")
        assert find_file(weights) == file
        assert card.command
        assert file.stat().st_size < 5_000_000
        assert getattr(load_networks(weights, load(card.game).engine()), attribute) is not None


def test_rollout_weights_are_no_weights_to_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message that lists shipped weights leaves them out."""
    monkeypatch.setattr(weights_files, "WEIGHTS_FOLDER", tmp_path)
    for stem in ("whist-small", "whist-small-rollout", "whist-small-opponents"):
        (tmp_path / f"{stem}.safetensors").touch()
    with pytest.raises(GameError, match=r"there are: whist-small\)"):
        weights_files.find_shipped_weights("whist", "none")


@pytest.mark.parametrize("hidden", [(250, 64), (256, 30), (0, 16)])
def test_widths_are_multiples_of_four(hidden: tuple[int, int]) -> None:
    """Compiled functions would read beyond the arrays."""
    with pytest.raises(ValueError, match="multiples of 4"):
        RolloutConfig(hidden=hidden)
    with pytest.raises(ValueError, match="multiples of 4"):
        RolloutConfig(opponent_hidden=hidden)
