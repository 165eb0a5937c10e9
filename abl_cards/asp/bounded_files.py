"""Read untrusted files: regular files only, up to a bound on their size, and inside of given folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path


class NotAFileError(OSError):
    """Error for a path that is not a regular file, such as a folder, a pipe or a device."""


class FileTooLargeError(OSError):
    """Error for a file that is larger than its limit."""


def read_regular_file(path: str | Path, limit: int) -> bytes:
    """Read a regular file.

    Args:
        path: Path of the file.
        limit: Largest size of the file, in bytes.

    Returns:
        Content of the file.

    Raises:
        NotAFileError: The path is not a regular file; it is not opened.
        FileTooLargeError: The file is larger than the limit.
        OSError: The file cannot be read.
    """
    _require_regular(os.stat(path))
    # The file may have become a pipe in the meantime, on which an open would block.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        _require_regular(os.fstat(handle))
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FileTooLargeError(f"larger than {limit} bytes")
    return content


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotAFileError("not a file")


def root_folders(files: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the folders in which the files of a knowledge base may lie.

    Args:
        files: Rule files as they were passed.

    Returns:
        The outermost parent folders of the files, with links resolved. A folder inside of another one is not listed,
        so `rules/profiles` may not be a link to a folder elsewhere.
    """
    parents = {Path(os.path.abspath(file)).parent for file in files}
    outermost = [
        folder for folder in parents if not any(other != folder and folder.is_relative_to(other) for other in parents)
    ]
    return tuple(sorted({Path(os.path.realpath(folder)) for folder in outermost}))


def is_inside(path: str | Path, folders: Iterable[str | Path]) -> bool:
    """Return whether a path leads into one of the folders.

    Args:
        path: Path, whose links are followed.
        folders: Folders with links resolved.

    Returns:
        True for a folder itself and for anything inside.
    """
    return _as_prefix(os.path.realpath(path)).startswith(tuple(map(_as_prefix, folders)))


def _as_prefix(path: str | Path) -> str:
    """Return a path with a separator at its end, so that it begins all paths inside and no others."""
    return os.path.normcase(os.path.join(path, ""))
