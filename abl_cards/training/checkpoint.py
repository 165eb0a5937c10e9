"""Everything a run needs to go on exactly where it was, in one file that is never half written.

What lies in the files is data and nothing else (see ``archive``): a file that somebody tampered with can be wrong, but
it cannot run code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abl_cards.core import ArchiveError, ErrorCode, GameError, atomic_write, read_archive, write_archive

CHECKPOINT_SUFFIX = ".state"
"""What the names of these files end with."""

_OLD_SUFFIX = ".pt"
"""What they ended with while they were read by a library that runs what it is told."""

_START_ANEW_HINT = "choose another folder, or move it away to start anew"

_RESTORE_ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What comes of taking up what was never put away."""


def save_checkpoint(file: Path, state: dict[str, Any]) -> None:
    """Write everything a run needs; see ``atomic_write``."""
    with atomic_write(file) as stream:
        write_archive(stream, state)


def load_checkpoint(file: Path) -> dict[str, Any] | None:
    """The state in a file, None where there is no file; raises GameError for a file that is none of ours."""
    if not file.exists():
        before = file.with_suffix(_OLD_SUFFIX)
        if before.exists():
            raise GameError(
                f"{before}: begun with an older version, whose files could run code; {_START_ANEW_HINT}",
                ErrorCode.CHECKPOINT_NOT_READABLE,
            )
        return None
    try:
        state = _read_archive(file)
    except ArchiveError as problem:
        raise GameError(
            f"{file}: not a checkpoint, or a damaged one ({problem}); {_START_ANEW_HINT}",
            ErrorCode.CHECKPOINT_NOT_READABLE,
        ) from None
    if not isinstance(state, dict):
        raise GameError(f"{file}: not what such a run keeps; {_START_ANEW_HINT}", ErrorCode.CHECKPOINT_NOT_READABLE)
    return state


def _read_archive(file: Path) -> Any:
    if not file.is_file():  # a pipe would have us wait for somebody to write
        raise ArchiveError("no plain file")
    with file.open("rb") as stream:
        return read_archive(stream, os.fstat(stream.fileno()).st_size)


@contextmanager
def translate_restore_errors(file: Path) -> Iterator[None]:
    """What was kept in a file is taken up meanwhile; GameError where it is of another shape than expected."""
    try:
        yield
    except GameError:
        raise
    except _RESTORE_ERRORS as problem:
        last = str(problem).strip().rpartition("\n")[2].strip()
        what = f"no {last}" if isinstance(problem, KeyError) else last or type(problem).__name__
        raise GameError(
            f"{file}: of other settings, or another version began it; {_START_ANEW_HINT} ({what})",
            ErrorCode.RUN_MISMATCH,
        ) from None


class CheckpointFile:
    """The file that a run goes on from; notices when another process has gone on from it."""

    def __init__(self, file: Path) -> None:
        self.file, self._stamp = file, _file_stamp(file)

    def load(self) -> dict[str, Any] | None:
        """What it holds now; see ``load_checkpoint``."""
        self._stamp = _file_stamp(self.file)
        return load_checkpoint(self.file)

    def save(self, state: dict[str, Any]) -> None:
        """Put this in its place; see ``save_checkpoint``."""
        save_checkpoint(self.file, state)
        self._stamp = _file_stamp(self.file)

    def check_unchanged(self) -> None:
        """Raises GameError where it is not what was loaded or saved here last."""
        if _file_stamp(self.file) != self._stamp:
            raise GameError(
                f"{self.file}: another process has gone on with this run; give the command again", ErrorCode.RUN_LOCKED
            )


def _file_stamp(file: Path) -> tuple[int, int, int] | None:
    """What changes when a file is written anew; None where there is none."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
