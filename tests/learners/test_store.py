"""Weights as files."""

import json
from pathlib import Path

import pytest
import torch

from abl_cards.games import Engine, GameError, game
from learners import store
from learners.networks import GameShape, Networks
from learners.presets import PRESETS
from learners.store import Card, load_card, load_networks, save_networks
from tests.learners.tiny import TINY


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    return game("guandan").engine()


@pytest.mark.parametrize("abln", [True, False])
@pytest.mark.parametrize("steps", [0, 7])
def test_weights_come_back_in_half_precision(tmp_path: Path, engine: Engine, abln: bool, steps: int) -> None:
    """A critic that has learned something comes along; one that has not stays behind."""
    preset = TINY if abln else TINY.without_abln()
    networks, file = Networks(preset, GameShape.of(engine), 5), tmp_path / "some.safetensors"
    card = Card("guandan", "tiny", abln, seed=5, steps=steps, results={"agreement": 0.5})
    save_networks(file, networks, card)
    assert load_card(file) == card
    loaded = load_networks(file, engine)
    assert loaded.valued == (steps > 0)
    for name, tensor in networks.state_dict().items():
        if steps or not name.startswith("critic."):
            torch.testing.assert_close(loaded.state_dict()[name], tensor, atol=2e-3, rtol=2e-3)
    assert not loaded.training


def test_errors_name_the_file(tmp_path: Path, engine: Engine) -> None:
    file = tmp_path / "some.safetensors"
    networks = Networks(TINY, GameShape.of(engine))
    with pytest.raises(GameError, match=r"some\.json: the card of the weights is missing"):
        load_networks(file, engine)
    save_networks(file, networks, Card("guandan", "tiny", True, 0))
    card = file.with_suffix(".json")
    for change, message in (
        ({"game": "big2"}, "weights for big2, not for guandan"),
        ({"preset": "huge"}, "unknown preset 'huge'"),
        ({"abln": False}, "not weights of such networks"),
        ({"colour": "red"}, "no card of weights"),
    ):
        card.write_text(json.dumps(json.loads(card.read_text()) | change))
        with pytest.raises(GameError, match=message):
            load_networks(file, engine)
        save_networks(file, networks, Card("guandan", "tiny", True, 0))
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(GameError, match=r"some\.safetensors"):
        load_networks(file, engine)


def test_shipped_weights_have_cards_and_fit(engine: Engine) -> None:
    files = sorted(store.SHIPPED.glob("guandan-*.safetensors"))
    for file in files:
        assert load_networks(file, engine).preset.abln == load_card(file).abln
        assert load_card(file).command
    with pytest.raises(GameError, match="no weights 'guandan-none'"):
        store.shipped("guandan", "none")
