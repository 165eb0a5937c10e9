"""Compiled rules, once a session: those of shipped games are what the engines of all tests have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl_cards.games import game
from abl_cards.games.reading.rules import Rules
from abl_cards.logic import child
from tests.games.telling import folders as telling_folders
from tests.games.words import folders


@pytest.fixture(autouse=True, scope="module")
def grounding() -> Iterator[None]:
    """What a child makes of rules is asked in ``tests/logic`` and of the commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "build_in_child", child.build_here)
        yield


@pytest.fixture(scope="session")
def president() -> Rules:
    return game("president").engine().rules


@pytest.fixture(scope="session")
def guandan() -> Rules:
    return game("guandan").engine().rules


@pytest.fixture(scope="session")
def paodekuai() -> Rules:
    return game("paodekuai").engine().rules


@pytest.fixture(scope="session")
def auction(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "auction", folders.AUCTION)


@pytest.fixture(scope="session")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "wild", folders.WILD)


@pytest.fixture(scope="session")
def gifts(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "gifts", telling_folders.GIFTS)


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
