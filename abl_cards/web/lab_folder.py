"""Temporary folder of the rule laboratory, and removal of those that killed servers left."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_PREFIX, _DRAFTS = "abl-cards-lab-", "drafts"


class LabFolder:
    """Temporary folder that is locked until it is closed, so that other servers see that it is in use.

    Attributes:
        path: Folder of the drafts in it.
    """

    def __init__(self) -> None:
        """Make and lock a folder."""
        self._folder, self._stack = tempfile.TemporaryDirectory(prefix=_PREFIX), ExitStack()
        with suppress(OSError):  # a file system without locks
            self._stack.enter_context(_lock_directory(Path(self._folder.name)))
        self.path = Path(self._folder.name) / _DRAFTS
        self.path.mkdir()  # after the lock: without it a folder is not taken for a stale one

    def close(self) -> None:
        """Delete the folder."""
        self._folder.cleanup()
        self._stack.close()


def remove_stale_folders() -> None:
    """Remove folders of this user whose server has ended without deleting them; not on systems without locks."""
    if os.name != "posix":
        return
    for drafts in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_DRAFTS}"):
        folder = drafts.parent
        with suppress(OSError):  # in use, or removed by another server
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
                with _lock_directory(folder):
                    shutil.rmtree(folder)


@contextmanager
def _lock_directory(folder: Path) -> Iterator[None]:
    """Lock a folder itself, without a file in it: one that another server made there would disturb its removal."""
    if os.name != "posix":
        yield
        return
    import fcntl

    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(directory)
