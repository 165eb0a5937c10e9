"""What the tests of runs share: a run to compare with."""

from __future__ import annotations

import pytest

from abl_cards.learners.presets import PRESETS
from abl_cards.training.callbacks import Metrics
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


@pytest.fixture(scope="session")
def reports() -> list[Metrics]:
    """What the whole run said."""
    return []


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, reports: list[Metrics]) -> Trainer:
    """A tiny run from its beginning to its end; who goes on with it takes a copy of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "tiny", TINY)
        run = Trainer.from_config(settings(tmp_path_factory.mktemp("run") / "whole"))
        run.fit(callbacks=[reports.append])
    return run
