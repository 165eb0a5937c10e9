"""What a run measures of itself: JSON lines, and TensorBoard where it is installed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any


class Metrics:
    """A line an update. A run that goes on from a checkpoint cuts off the lines that came after it."""

    def __init__(self, directory: Path, size: int, update: int) -> None:
        """Go on after so many bytes of the file and so many updates."""
        directory.mkdir(parents=True, exist_ok=True)
        self._file = (directory / "metrics.jsonl").open("ab")
        self._file.truncate(size)
        self._board = _board(directory / "tensorboard", update)

    def __enter__(self) -> Metrics:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._board:
            self._board.close()

    def write(self, values: dict[str, Any]) -> None:
        """One line; numbers go to TensorBoard too, by the number of the update."""
        self._file.write(json.dumps(values).encode() + b"\n")
        self._file.flush()
        for name, value in values.items() if self._board else ():
            if isinstance(value, int | float):
                self._board.add_scalar(name, value, values["update"])

    def size(self) -> int:
        """Bytes written so far, safely on the disk."""
        os.fsync(self._file.fileno())
        return self._file.tell()


def read_metrics(directory: Path) -> list[dict[str, Any]]:
    """The lines of a run."""
    return [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]


def _board(directory: Path, update: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(directory), purge_step=update + 1)
