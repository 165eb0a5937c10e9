"""Shared fixtures of the tests of reasoners: Guandan with constraints among its preferences."""

from __future__ import annotations

import pytest

from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from tests.edited import STRICT, edited
from tests.in_process import grounding, sandboxed  # noqa: F401


@pytest.fixture(scope="session")
def strict_guandan(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return Guandan with the constraints of `STRICT`."""
    return load("guandan").engine(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT))
