"""What a run measures of itself: JSON lines, and TensorBoard where it is installed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from abl_cards.errors import GameError
from abl_cards.files import naming
from abl_cards.lines import parse_line


class Metrics:
    """A line an update. A run that goes on from a checkpoint cuts off the lines that came after it.

    Where lines are missing it goes on after those that are there, and says so on stderr.
    """

    def __init__(self, directory: Path, size: int, update: int) -> None:
        """Go on after so many bytes of the file and so many updates."""
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / "metrics.jsonl"
        kept = _whole_lines(self._path, size)
        if kept < size:
            text = f"{size - kept} bytes of lines from before update {update} are missing; the next ones follow"
            print(f"note: {self._path}: {text}", file=sys.stderr)
        self._file = self._path.open("ab")
        self._file.truncate(kept)
        self._board = _board(directory / "tensorboard", update)

    def __enter__(self) -> Metrics:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._board:
            self._board.close()
        with naming(self._path):
            self._file.close()

    def write(self, values: dict[str, Any]) -> None:
        """One line; numbers go to TensorBoard too, by the number of the update."""
        with naming(self._path):
            self._file.write(json.dumps(values).encode() + b"\n")
            self._file.flush()
        for name, value in values.items() if self._board else ():
            if isinstance(value, int | float):
                self._board.add_scalar(name, value, values["update"])

    def size(self) -> int:
        """Bytes written so far, safely on the disk."""
        with naming(self._path):
            os.fsync(self._file.fileno())
        return self._file.tell()


def read_metrics(directory: Path) -> list[dict[str, Any]]:
    """Read what a run has measured, an object for each update; raises GameError where a line is damaged."""
    file, rows = directory / "metrics.jsonl", []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            rows.append(parse_line(line))
        except GameError as problem:
            raise GameError(f"{file}, line {number}: {problem}; remove the line") from None
    return rows


def _whole_lines(file: Path, size: int) -> int:
    """How many of the first so many bytes of a file are there and end a line."""
    if not file.exists():
        return 0
    with file.open("rb") as stream:
        return stream.read(size).rfind(b"\n") + 1


def _board(directory: Path, update: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(directory), purge_step=update + 1)
