"""Networks from files of weights."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.learners import presets
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import WeightsCard, find_shipped_weights, load_card, write_weights
from abl_cards.learners.weights_io import load_networks, load_weights, save_networks
from tests.core.test_atomic_files import files_end_after
from tests.learners.tiny import TINY


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    return load("guandan").engine()


@pytest.mark.parametrize("abln", [True, False])
@pytest.mark.parametrize("steps", [0, 7])
def test_saved_weights_round_trip_in_half_precision(tmp_path: Path, engine: Engine, abln: bool, steps: int) -> None:
    """Save a trained critic, and leave out an untrained one."""
    preset = TINY if abln else TINY.without_abln()
    networks, file = Networks(preset, GameShape.of(engine), 5), tmp_path / "some.safetensors"
    card = WeightsCard("guandan", "tiny", abln, seed=5, steps=steps, results={"agreement": 0.5})
    save_networks(file, networks, card)
    assert load_card(file) == card
    loaded = load_networks(file, engine)
    assert loaded.has_trained_critic == (steps > 0)
    for name, tensor in networks.state_dict().items():
        if steps or not name.startswith("critic."):
            torch.testing.assert_close(loaded.state_dict()[name], tensor, atol=2e-3, rtol=2e-3)
    assert not loaded.training


def test_paths_may_be_strings(tmp_path: Path, engine: Engine) -> None:
    """Regression: load_networks and load_card raised AttributeError for a text."""
    file, card = str(tmp_path / "some.safetensors"), WeightsCard("guandan", "tiny", True, seed=5)
    save_networks(file, Networks(TINY, GameShape.of(engine), 5), card)
    assert load_card(file) == card
    assert load_networks(file, engine).preset == TINY


def test_errors_name_the_file(tmp_path: Path, engine: Engine) -> None:
    file = tmp_path / "some.safetensors"
    networks = Networks(TINY, GameShape.of(engine))
    with pytest.raises(GameError, match=r"some\.safetensors") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE
    save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    card = file.with_suffix(".json")
    card.unlink()
    with pytest.raises(GameError, match=r"some\.json") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE
    save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    for change, message in (
        ({"game": "big2"}, "weights for big2, not for guandan"),
        ({"preset": "huge"}, "unknown preset 'huge'"),
        ({"abln": False}, "not weights of such networks"),
        ({"colour": "red"}, "no card of weights .'colour' is of another type, or is not known"),
        ({"preset": ["tiny"]}, "no card of weights .'preset' is of another type"),
        ({"abln": 1}, "no card of weights .'abln' is of another type"),
        ({"steps": True}, "no card of weights .'steps' is of another type"),
        ({"game": None}, "no card of weights .'game' is of another type"),
    ):
        card.write_text(json.dumps(json.loads(card.read_text()) | change))
        with pytest.raises(GameError, match=message):
            load_networks(file, engine)
        save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    for text in ("[" * 100_000, "[]", "", "3", '{"game": "guandan"}', "\0"):
        card.write_text(text)
        with pytest.raises(GameError, match=r"some\.json") as error:
            load_networks(file, engine)
        assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE
    save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(GameError, match=r"some\.safetensors"):
        load_networks(file, engine)


@pytest.mark.parametrize("kind", [torch.int8, torch.bool])
def test_integer_weights_raise(tmp_path: Path, engine: Engine, kind: torch.dtype) -> None:
    file = tmp_path / "some.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(engine)), WeightsCard("guandan", "tiny", True, 0))
    save_file({name: tensor.to(kind) for name, tensor in load_file(file).items()}, file)
    with pytest.raises(GameError, match=r"some\.safetensors") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE


@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_pipes_raise_without_blocking(tmp_path: Path, engine: Engine, suffix: str) -> None:
    file = tmp_path / "some.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(engine)), WeightsCard("guandan", "tiny", True, 0))
    file.with_suffix(suffix).unlink()
    os.mkfifo(file.with_suffix(suffix))
    with pytest.raises(GameError, match=rf"some\{suffix}") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("everywhere", [True, False])
def test_non_finite_weights_raise(tmp_path: Path, engine: Engine, odd: float, everywhere: bool) -> None:
    networks, file = Networks(TINY, GameShape.of(engine)), tmp_path / "some.safetensors"
    with torch.no_grad():
        if everywhere:
            for weights in networks.parameters():
                weights.fill_(odd)
        else:
            next(networks.decision.parameters()).view(-1)[0] = odd
    save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    with pytest.raises(GameError, match=r"some\.safetensors") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_NOT_READABLE


@pytest.mark.parametrize("abln", [True, False])
def test_weights_for_other_labels_raise_with_both_counts(tmp_path: Path, engine: Engine, abln: bool) -> None:
    """Reject weights for another number of labels, and print both numbers."""
    preset, shape = TINY if abln else TINY.without_abln(), GameShape.of(engine)
    file = tmp_path / "some.safetensors"
    save_networks(file, Networks(preset, replace(shape, num_labels=179)), WeightsCard("guandan", "tiny", abln, 0))
    with pytest.raises(GameError, match=r"some\.safetensors.* 179 .* 168\b") as error:
        load_networks(file, engine)
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH
    with pytest.raises(GameError, match=r"179 .* 168\b") as error:
        load_weights(file, Networks(TINY, shape))
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH


def test_missing_weights_raise(tmp_path: Path, engine: Engine) -> None:
    file, networks = tmp_path / "some.safetensors", Networks(TINY, GameShape.of(engine))
    write_weights(file, {"decision.policy.weight": torch.zeros(168, 16)}, WeightsCard("guandan", "tiny", False, 0))
    with pytest.raises(GameError, match=r"decision\.join\.weight") as error:
        load_weights(file, networks)
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH


def test_full_disk_keeps_the_old_weights(tmp_path: Path, engine: Engine) -> None:
    file, networks = tmp_path / "some.safetensors", Networks(TINY, GameShape.of(engine))
    save_networks(file, networks, WeightsCard("guandan", "tiny", True, 0))
    before = file.read_bytes()
    with files_end_after(1000), pytest.raises(OSError, match="File too large"):
        save_networks(file, networks, WeightsCard("guandan", "tiny", True, 1))
    assert file.read_bytes() == before
    assert load_card(file).seed == 0
    assert len(list(tmp_path.iterdir())) == 2


def test_shipped_weights_have_cards_and_fit(engine: Engine) -> None:
    files = sorted(presets.WEIGHTS_FOLDER.glob("guandan-*.safetensors"))
    for file in files:
        assert load_card(file).command
        if not file.stem.endswith("-rollout"):  # loaded with the weights that it lies beside
            assert load_networks(file, engine).preset.uses_abln == load_card(file).abln
    with pytest.raises(GameError, match="guandan-none") as error:
        find_shipped_weights("guandan", "none")
    assert error.value.code == ErrorCode.UNKNOWN_WEIGHTS
