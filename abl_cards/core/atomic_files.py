"""Write files atomically: to a temporary file beside the target, which then replaces it.

>>> write_text(Path("report.md"), "No errors.")  # doctest: +SKIP

Locks do not use filelock: it fails with ENOLCK, as network file systems without locks have it, names no holder, and its
import takes 30 ms of the start of ``web``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_native_id
from typing import IO

from abl_cards.core.errors import ErrorCode, GameError

_PARTIAL_SUFFIX = ".partial"


@contextmanager
def atomic_write(file: str | Path, durable: bool = True) -> Iterator[IO[bytes]]:
    """Open a file for writing such that readers see the old file or the whole new one.

    Args:
        file: The target; missing folders are made.
        durable: Whether to wait until the disk has the bytes.

    Yields:
        A binary stream. The target is replaced when the block ends without an error.

    Raises:
        OSError: The file cannot be written; it names the target, and nothing of the new file is left.
    """
    file = Path(file).resolve()  # the target of a symbolic link, so that the link stays
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
        with suppress(OSError):  # a file system that is read-only refuses this too, and its error would hide the first
            beside.unlink()
        raise


@contextmanager
def make_folder(folder: str | Path) -> Iterator[Path]:
    """Make a folder for the block to fill, and remove it if the block fails.

    Args:
        folder: The new folder; missing folders above it are made, and stay.

    Yields:
        The folder.

    Raises:
        FileExistsError: The folder exists already; it is left as it is.
        OSError: The folder cannot be made or filled; errors without the name of a file name the folder.
    """
    folder = Path(folder)
    folder.mkdir(parents=True)
    try:
        with attribute_os_errors(folder):
            try:
                yield folder
            except shutil.Error as problem:  # of shutil.copytree: a list of source, target and text
                _, target, text = problem.args[0][0]
                reason = text.partition("] ")[2].partition(": '")[0] or text
                raise OSError(None, f"cannot be written: {reason}", str(target)) from problem
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def resolve_output_path(path: str | Path) -> Path:
    """Resolve the path of a file to write, which a command can check before it works for long.

    Args:
        path: The file; one that exists can be replaced.

    Returns:
        The absolute path, without symbolic links.

    Raises:
        GameError: The path is a folder or a device, or its folder does not exist.
    """
    path = Path(path)
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise GameError(f"{path} is there and is no file that could be replaced", ErrorCode.RECORDS_NOT_WRITTEN)
    if not target.parent.is_dir():
        raise GameError(f"{path}: there is no folder {path.parent}", ErrorCode.RECORDS_NOT_WRITTEN)
    return target


@contextmanager
def attribute_os_errors(file: str | Path, *aliases: str | Path) -> Iterator[None]:
    """Make errors of the system name a file.

    Args:
        file: The file that errors name.
        aliases: Paths that stand for it in errors.

    Raises:
        OSError: Any that is raised in the block without a name, or with one of the aliases.
    """
    try:
        yield
    except OSError as problem:
        if problem.filename in (None, *map(str, aliases)):
            kept = "; the old file is unchanged" if Path(file).is_file() else ""
            text = f"cannot be written: {problem.strerror or problem}{kept}"
            raise OSError(problem.errno, text, str(file)) from problem
        raise


def write_text(file: str | Path, text: str) -> None:
    """Write a text file in UTF-8 atomically.

    Args:
        file: The target; missing folders are made.
        text: The whole text.

    Raises:
        OSError: The file cannot be written.
    """
    with atomic_write(file) as stream:
        stream.write(text.encode())


def remove_partial_files(folder: Path) -> None:
    """Remove partly written files of killed processes; no other process may write to the folder."""
    for file in folder.glob(f".*{_PARTIAL_SUFFIX}"):
        file.unlink(missing_ok=True)


LOCK_FILE = ".lock"
"""Name of the file in a locked folder that holds the id of the last process."""


class FolderLockedError(OSError):
    """Another process has locked the folder.

    Attributes:
        code: Kind of the error.
    """

    code = ErrorCode.FOLDER_LOCKED


@contextmanager
def lock_folder(folder: str | Path) -> Iterator[None]:
    """Lock a folder for this process, and make it where it is missing.

    The system releases the lock when the process ends, also when it is killed. Partly written files are removed.
    Windows and some network file systems have no such locks: there, nothing keeps a second process away.

    Args:
        folder: The folder.

    Raises:
        FolderLockedError: Another process has locked the folder.
        OSError: The folder cannot be made or written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with attribute_os_errors(folder):
            _acquire_lock(folder, file)
        remove_partial_files(folder)
        yield
    finally:
        os.close(file)


def _acquire_lock(folder: Path, file: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has no flock
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        holder = os.read(file, 20).decode("ascii", "replace").strip()
        who = f"process {holder}" if holder.isdigit() else "another process"
        text = f"{who} is at work here; wait until it has ended, or choose another folder"
        raise FolderLockedError(problem.errno, text, str(folder)) from None
    except OSError:  # a file system without locks
        return
    os.ftruncate(file, 0)
    os.write(file, b"%d\n" % os.getpid())
