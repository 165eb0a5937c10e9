"""What the tests of runs share: a run to compare with."""

from __future__ import annotations

import pytest

from abl_cards.learners.presets import PRESETS
from abl_cards.training.joint_loop import Trainer, TrainingReport
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


@pytest.fixture(scope="session")
def reports() -> list[TrainingReport]:
    """What the whole run said."""
    return []


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, reports: list[TrainingReport]) -> Trainer:
    """A tiny run from its beginning to its end; who goes on with it takes a copy of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "tiny", TINY)
        run = Trainer(settings(tmp_path_factory.mktemp("run") / "whole"))
        run.train(reports.append)
    return run
