"""A lock that admits one process at a time to the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from abl_cards.core import ErrorCode, FolderLockedError, GameError, lock_folder


@contextmanager
def lock_run_folder(folder: str | Path) -> Iterator[None]:
    """Lock a folder inside the block.

    Args:
        folder: The folder of the run.

    Raises:
        GameError: Another process has locked it.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_folder(folder))
        except FolderLockedError as problem:
            raise GameError(f"{problem.filename}: {problem.strerror}", ErrorCode.RUN_LOCKED) from None
        yield
