"""What the tests of runs share: a run to compare with."""

from __future__ import annotations

import pytest

from abl_cards.loop.training import Report, Run
from learners.presets import PRESETS
from tests.learners.tiny import TINY
from tests.loop.test_training import settings


@pytest.fixture(scope="session")
def reports() -> list[Report]:
    """What the whole run said."""
    return []


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, reports: list[Report]) -> Run:
    """A tiny run from its beginning to its end; who goes on with it takes a copy of its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "tiny", TINY)
        run = Run(settings(tmp_path_factory.mktemp("run") / "whole"))
        run.go(reports.append)
    return run
