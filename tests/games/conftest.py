"""Compiled rules, once a session; shipped games share the rules of their engines with all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl_cards.asp import sandbox
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from tests.games.notation import folders
from tests.games.sampling import folders as telling_folders


@pytest.fixture(autouse=True, scope="module")
def grounding() -> Iterator[None]:
    """Ground in this process; ``tests/asp`` and the tests of commands cover child processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "_in_process", True)
        yield


@pytest.fixture(scope="session")
def president() -> CompiledGame:
    return load("president").engine().rules


@pytest.fixture(scope="session")
def guandan() -> CompiledGame:
    return load("guandan").engine().rules


@pytest.fixture(scope="session")
def paodekuai() -> CompiledGame:
    return load("paodekuai").engine().rules


@pytest.fixture(scope="session")
def auction(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "auction", folders.AUCTION)


@pytest.fixture(scope="session")
def wild(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "wild", folders.WILD)


@pytest.fixture(scope="session")
def gifts(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "gifts", telling_folders.GIFTS)


@pytest.fixture(scope="session")
def watchful(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "watchful", folders.WATCHFUL)


@pytest.fixture(scope="session")
def judging(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "judging", folders.JUDGING)


@pytest.fixture(scope="session")
def faces(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "faces", folders.FACES)


@pytest.fixture(scope="session")
def passes(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return folders.rules_of(tmp_path_factory.mktemp("games") / "passes", folders.TRICKS_WITH_PASSES)


@pytest.fixture(params=["president", "guandan", "paodekuai", "auction", "wild", "watchful", "faces", "passes"])
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    """Each of the games."""
    compiled: CompiledGame = request.getfixturevalue(request.param)
    return compiled
