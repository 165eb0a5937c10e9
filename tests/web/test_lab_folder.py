"""Temporary folders of the rule laboratory: deleted at the end, or by a later server."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from abl_cards.web.lab_folder import LabFolder, remove_stale_folders

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no locks of folders")


@pytest.fixture(autouse=True)
def _own_temp_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_folder_of_a_killed_server_is_removed_and_one_in_use_is_not(tmp_path: Path) -> None:
    made = "import os; from abl_cards.web.lab_folder import LabFolder; made = LabFolder(); os._exit(9)"
    killed = subprocess.run([sys.executable, "-c", made], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
    assert killed.returncode == 9
    (stale,) = tmp_path.iterdir()
    used = LabFolder()
    remove_stale_folders()
    assert not stale.exists()
    assert [item.name for item in used.path.parent.iterdir()] == [used.path.name]  # no file disturbs its removal
    used.close()
    assert not list(tmp_path.iterdir())


def test_other_folders_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep links, folders that are not locked yet, and those of other users."""
    (tmp_path / "elsewhere" / "drafts").mkdir(parents=True)
    (tmp_path / "abl-cards-lab-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "abl-cards-lab-new").mkdir()
    remove_stale_folders()
    (tmp_path / "abl-cards-lab-other" / "drafts").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    remove_stale_folders()
    assert len(list(tmp_path.iterdir())) == 4
    assert (tmp_path / "elsewhere" / "drafts").is_dir()
