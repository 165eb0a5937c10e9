"""Reading the files of others: ordinary files only, never more than a bound, never beyond a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path


class NotAFileError(OSError):
    """A folder, a pipe, a device: nothing that is opened."""


class FileTooLargeError(OSError):
    """A file beyond the bound."""


def read_regular_file(path: str | Path, limit: int) -> bytes:
    """The bytes of an ordinary file.

    Raises NotAFileError for anything else, which is not opened, FileTooLargeError beyond the limit, and OSError.
    """
    _require_regular(os.stat(path))
    # What was a file a moment ago may be a pipe by now: not to be waited for.
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


def root_folders(files: Iterable[Path]) -> tuple[Path, ...]:
    """Where the files of a knowledge base may lie: the folders that they are named in, links resolved.

    A folder beneath another one is no folder of its own: `rules/profiles` may not be a link to somewhere else.
    """
    named = {Path(os.path.abspath(file)).parent for file in files}
    outermost = [one for one in named if not any(other != one and one.is_relative_to(other) for other in named)]
    return tuple(sorted({Path(os.path.realpath(folder)) for folder in outermost}))


def is_inside(path: str | Path, folders: Iterable[Path]) -> bool:
    """Whether a path leads into one of the folders once its links are followed."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(folder) for folder in folders)
