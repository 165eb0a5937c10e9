"""Files that are never half there: written beside, then put in their place.

>>> write_text(Path("report.md"), "All is well.")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_native_id
from typing import IO

_PARTIAL_SUFFIX = ".partial"


@contextmanager
def atomic_write(file: Path, durable: bool = True) -> Iterator[IO[bytes]]:
    """Whoever reads finds the old file or the new one, whatever happens; what lasts is on the disk when this is over.

    Raises OSError that names the file; then nothing of the new one is left.
    """
    file = file.resolve()  # where a link leads, so that it stays one
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}-{get_native_id()}{_PARTIAL_SUFFIX}")
    try:
        with attribute_os_errors(file, beside):
            with beside.open("wb") as stream:
                yield stream
                stream.flush()
                if durable:
                    os.fsync(stream.fileno())
            beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def attribute_os_errors(file: Path, *aliases: Path) -> Iterator[None]:
    """What the system says is wrong with nothing named, or with an alias, is said of this file."""
    try:
        yield
    except OSError as problem:
        if problem.filename in (None, *map(str, aliases)):
            text = f"cannot be written: {problem.strerror or problem}; what was there before is as it was"
            raise OSError(problem.errno, text, str(file)) from problem
        raise


def write_text(file: Path, text: str) -> None:
    """Write a text in UTF-8; see ``atomic_write``."""
    with atomic_write(file) as stream:
        stream.write(text.encode())


def remove_partial_files(folder: Path) -> None:
    """Remove what killed processes left half written, where nobody else writes."""
    for left in folder.glob(f".*{_PARTIAL_SUFFIX}"):
        left.unlink(missing_ok=True)


LOCK_FILE = ".lock"
"""Stays in a folder that is held, and says the number of the process that held it last."""


class FolderLockedError(OSError):
    """Another process is at work in a folder."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Meanwhile no other process may hold the folder, which is made where it is missing.

    Raises FolderLockedError where another one does.

    The system lets go of it when the process ends, however it ends. What a process left half written is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire_lock(folder, file)
        remove_partial_files(folder)
        yield
    finally:
        os.close(file)


def _acquire_lock(folder: Path, file: int) -> None:
    try:
        import fcntl
    except ImportError:  # not on this platform: its users have to see to it themselves
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        holder = os.read(file, 20).decode("ascii", "replace").strip()
        who = f"process {holder}" if holder.isdigit() else "another process"
        text = f"{who} is at work here; wait until it has ended, or choose another folder"
        raise FolderLockedError(problem.errno, text, str(folder)) from None
    except OSError:  # a file system without locks cannot tell, and nobody is refused
        return
    os.ftruncate(file, 0)
    os.write(file, b"%d\n" % os.getpid())
