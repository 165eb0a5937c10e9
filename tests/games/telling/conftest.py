"""Compiled rules, once a session."""

from __future__ import annotations

import pytest

from abl_cards.games.reading.rules import Rules
from tests.games.telling import folders
from tests.games.words import folders as others


@pytest.fixture(scope="session")
def gifts(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return others.rules_of(tmp_path_factory.mktemp("games") / "gifts", folders.GIFTS)
