"""Compiled rules, once a session."""

from __future__ import annotations

import pytest

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.rules import Rules, read_rules
from abl_cards.games.reading.variants import HOME
from tests.games.telling import folders
from tests.games.words import folders as others


@pytest.fixture(scope="session")
def guandan() -> Rules:
    return read_rules(Folder(HOME / "guandan"))


@pytest.fixture(scope="session")
def president() -> Rules:
    return read_rules(Folder(HOME / "president"))


@pytest.fixture(scope="session")
def paodekuai() -> Rules:
    return read_rules(Folder(HOME / "paodekuai"))


@pytest.fixture(scope="session")
def auction(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return others.rules_of(tmp_path_factory.mktemp("games") / "auction", others.AUCTION)


@pytest.fixture(scope="session")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return others.rules_of(tmp_path_factory.mktemp("games") / "wild", others.WILD)


@pytest.fixture(scope="session")
def gifts(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return others.rules_of(tmp_path_factory.mktemp("games") / "gifts", folders.GIFTS)
