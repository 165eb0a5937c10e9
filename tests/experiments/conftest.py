"""What the tests of experiments share: recorded games, and an agent with tiny networks."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from abl_cards.games import Engine, game
from abl_cards.records import sample_records
from learners.networks import GameShape, Networks
from learners.presets import PRESETS
from learners.store import Card, save_networks
from tests.learners.tiny import TINY

SAMPLE = sample_records("guandan")


@pytest.fixture(scope="session")
def engine() -> Engine:
    return game("guandan").engine()


@pytest.fixture
def tiny_agent(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an agent abl whose networks know nothing."""
    torch.set_num_threads(1)  # they are too small to be shared, and threads that wait for work take it from others
    monkeypatch.setitem(PRESETS, TINY.name, TINY)
    file = tmp_path / "tiny.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(engine)), Card("guandan", TINY.name, True, 0))
    return f"abl:weights={file}"
