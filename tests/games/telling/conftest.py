"""Compiled rules, once a session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.rules import Rules, read_rules
from abl_cards.games.reading.variants import HOME
from tests.games.telling import folders
from tests.games.words import folders as others

_SIGHT = """
sees(1,fluent,level). sees(2,seat). sees(3,wild). sees(4,hand). sees(5,sizes,54). sees(6,played). sees(7,recent,7).
sees(8,recent_seat,7). recent(7).
"""


@pytest.fixture(scope="session")
def guandan(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """Guandan as a folder, with the preferences of the shipped game, and seen as its papers see it."""
    path = tmp_path_factory.mktemp("games") / "guandan2"
    shutil.copytree(Path(__file__).parents[1] / "folders" / "guandan2", path)
    for name in ("preferences.lp", "beliefs.lp"):
        shutil.copy(HOME / "guandan" / name, path / name)
    (path / "sight.lp").write_text(_SIGHT, encoding="utf-8")
    return read_rules(Folder(path))


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
