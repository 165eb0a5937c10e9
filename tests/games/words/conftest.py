"""Compiled rules, once a session."""

from __future__ import annotations

import pytest

from abl_cards.games.reading.rules import Rules
from tests.games.words import folders


@pytest.fixture(scope="session")
def watchful(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "watchful", folders.WATCHFUL)


@pytest.fixture(scope="session")
def judging(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "judging", folders.JUDGING)


@pytest.fixture(scope="session")
def faces(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "faces", folders.FACES)


@pytest.fixture(scope="session")
def passes(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "passes", folders.TRICKS_WITH_PASSES)


@pytest.fixture(params=["president", "guandan", "paodekuai", "auction", "wild", "watchful", "faces", "passes"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """Each of the games."""
    found: Rules = request.getfixturevalue(request.param)
    return found
