"""One process at a time in the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abl_cards.files import sweep
from abl_cards.games import GameError

LOCK = ".lock"
"""Stays in the folder, and holds the number of the process that had it last."""


@contextmanager
def only_here(folder: Path) -> Iterator[None]:
    """Meanwhile no other process may be in the folder; raises GameError where one is.

    The system lets go of it when the process ends, however it ends. What a process left half written is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _take(folder, file)
        sweep(folder)
        yield
    finally:
        os.close(file)


def _take(folder: Path, file: int) -> None:
    try:
        import fcntl
    except ImportError:  # not on this platform: its users have to see to it themselves
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 20).decode("ascii", "replace").strip()
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise GameError(f"{folder}: {who} is at work here; wait until it has ended, or choose another folder") from None
    except OSError:  # a file system without locks cannot tell, and nobody is refused
        return
    os.ftruncate(file, 0)
    os.write(file, b"%d\n" % os.getpid())
