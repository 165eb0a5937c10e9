"""Everything a run needs to go on exactly where it was, in one file that is never half written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch

from abl_cards.games import GameError


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """Write beside the file, then put it in its place: whoever reads finds the old one or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".partial")
    with beside.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(file)


def save_checkpoint(file: Path, state: dict[str, Any]) -> None:
    """Write everything a run needs; see ``written_whole``."""
    with written_whole(file) as stream:
        torch.save(state, stream)


def load_checkpoint(file: Path) -> dict[str, Any] | None:
    """The state in a file, None where there is no file; raises GameError for a file that cannot be read."""
    if not file.exists():
        return None
    try:
        # The file was written by this program: it holds arrays and the states of random number generators.
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=False)
    except Exception as problem:
        raise GameError(f"{file}: not a checkpoint ({problem}); move it away to start anew") from None
    return state
