"""A copy of the president folder with a group of preferences that costs every move the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abl_cards.games.description.variants import KB_ROOT

IDLE = """
preference(always, idle).
says(always, en, "Every move costs one.").
says(always, zh, "每手都一样。").
cost(always, 1).
"""


@pytest.fixture(scope="session")
def idle_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules") / "idle"
    shutil.copytree(KB_ROOT / "president", folder)
    (folder / "idle.lp").write_text(IDLE, "utf-8")
    return folder
