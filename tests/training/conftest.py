"""Shared fixtures of the tests of runs: a small preset, and a finished run for comparison."""

from __future__ import annotations

import pytest

from abl_cards.learners.presets import PRESETS
from abl_cards.training.callbacks import Metrics
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a preset of small networks."""
    monkeypatch.setitem(PRESETS, "tiny", TINY)


@pytest.fixture(scope="session")
def reports() -> list[Metrics]:
    """Return the metrics that the finished run reported."""
    return []


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, reports: list[Metrics]) -> Trainer:
    """Return a finished tiny run; tests that continue it copy its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "tiny", TINY)
        run = Trainer.from_config(settings(tmp_path_factory.mktemp("run") / "whole"))
        run.fit(callbacks=[reports.append])
    return run
