"""Checkpoints: the state of a run in one file that is never half written.

The files hold data only (see ``core.archive``): one that was tampered with can be wrong, but it cannot run code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abl_cards.core import ArchiveError, ErrorCode, GameError, atomic_write, check_path, read_archive, write_archive

CHECKPOINT_SUFFIX = ".state"
"""Suffix of checkpoints."""

START_ANEW_HINT = "choose another folder, or move this one away to start anew"
"""Remedy for a folder whose run cannot go on."""

_RESTORE_ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors of restoring a state of another form."""


def save_checkpoint(file: str | Path, state: dict[str, Any]) -> None:
    """Write a state atomically.

    Args:
        file: The checkpoint.
        state: Plain values, arrays and tensors, nested.
    """
    with atomic_write(file) as stream:
        write_archive(stream, state)


def load_checkpoint(file: str | Path) -> dict[str, Any] | None:
    """Read a state.

    Args:
        file: The checkpoint.

    Returns:
        The state; None where there is no file.

    Raises:
        GameError: The file is damaged, or of another format.
    """
    file = check_path("file", file)
    if not file.exists():
        return None
    try:
        state = _read_archive(file)
    except ArchiveError as problem:
        raise GameError(
            f"{file}: not a checkpoint, or a damaged one ({problem}); {START_ANEW_HINT}",
            ErrorCode.CHECKPOINT_NOT_READABLE,
        ) from None
    if not isinstance(state, dict):
        raise GameError(f"{file}: not what such a run keeps; {START_ANEW_HINT}", ErrorCode.CHECKPOINT_NOT_READABLE)
    return state


def _read_archive(file: Path) -> Any:
    if not file.is_file():  # opening a pipe would wait for a writer
        raise ArchiveError("no plain file")
    with file.open("rb") as stream:
        return read_archive(stream, os.fstat(stream.fileno()).st_size)


@contextmanager
def translate_restore_errors(file: str | Path) -> Iterator[None]:
    """Translate errors of restoring a state inside the block.

    Args:
        file: The checkpoint, for messages.

    Raises:
        GameError: The state does not have the expected form.
    """
    file = check_path("file", file)
    try:
        yield
    except GameError:
        raise
    except _RESTORE_ERRORS as problem:
        last = str(problem).strip().rpartition("\n")[2].strip()
        what = f"no {last}" if isinstance(problem, KeyError) else last or type(problem).__name__
        raise GameError(
            f"{file}: of other settings, or another version began it; {START_ANEW_HINT} ({what})",
            ErrorCode.RUN_MISMATCH,
        ) from None


class CheckpointFile:
    """The checkpoint of a run; detects that another process has written it."""

    def __init__(self, file: str | Path) -> None:
        file = check_path("file", file)
        self.file, self._stamp = file, _file_stamp(file)

    def load(self) -> dict[str, Any] | None:
        """Return the state in the file; None where there is no file. Raises GameError for a damaged file."""
        self._stamp = _file_stamp(self.file)
        return load_checkpoint(self.file)

    def save(self, state: dict[str, Any]) -> None:
        """Replace the state; see ``save_checkpoint``."""
        save_checkpoint(self.file, state)
        self._stamp = _file_stamp(self.file)

    def check_unchanged(self) -> None:
        """Raise GameError if the file was changed since this object last loaded or saved it."""
        if _file_stamp(self.file) != self._stamp:
            raise GameError(
                f"{self.file}: another process has gone on with this run; give the command again", ErrorCode.RUN_LOCKED
            )


def _file_stamp(file: Path) -> tuple[int, int, int] | None:
    """Return inode, size and time of a file; None where there is none."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
