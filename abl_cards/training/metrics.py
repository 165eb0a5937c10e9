"""Metrics of a run: JSON lines, and TensorBoard where it is installed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import (
    ErrorCode,
    GameError,
    attribute_os_errors,
    check_path,
    column_names,
    import_pandas,
    parse_json_line,
)

METRICS_FILE = "metrics.jsonl"
"""Name of the file of metrics in the folder of a run."""

OPPONENT_NAMES = ("itself", "kb", "its past")
"""Names of the players that the learner meets, by their numbers."""


class MetricsWriter:
    """Writer of one line per update; lines after the checkpoint of a resumed run are cut off.

    If lines are missing, it continues after the existing ones with a note on stderr.
    """

    def __init__(self, directory: str | Path, size: int, update: int) -> None:
        """Open the file of metrics after its first ``size`` bytes, which hold ``update`` updates."""
        directory = check_path("directory", directory)
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / METRICS_FILE
        valid_size = _complete_lines_size(self._path, size)
        if valid_size < size:
            text = f"{size - valid_size} bytes of lines from before update {update} are missing; the next ones follow"
            print(f"note: {self._path}: {text}", file=sys.stderr)
        self._file = self._path.open("ab")
        self._file.truncate(valid_size)
        self._tensorboard = _open_tensorboard(directory / "tensorboard", update)

    def __enter__(self) -> MetricsWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._tensorboard:
            self._tensorboard.close()
        with attribute_os_errors(self._path):
            self._file.close()

    @property
    def size(self) -> int:
        """Size of the file in bytes, including lines that are not flushed yet."""
        return self._file.tell()

    def write(self, values: dict[str, Any]) -> None:
        """Write a line; numbers go to TensorBoard too."""
        with attribute_os_errors(self._path):
            self._file.write(json.dumps(values).encode() + b"\n")
            self._file.flush()
        for name, value in values.items() if self._tensorboard else ():
            if isinstance(value, int | float):
                self._tensorboard.add_scalar(name, value, values["update"])

    def sync(self) -> int:
        """Flush to disk; returns the size of the file in bytes."""
        with attribute_os_errors(self._path):
            os.fsync(self._file.fileno())
        return self._file.tell()


def read_metrics(directory: str | Path) -> list[dict[str, Any]]:
    """Read the metrics of a run as dictionaries, one for each update.

    An incomplete last line is left out: a process is writing it, or was killed during the write.

    Args:
        directory: The folder of the run.

    Raises:
        GameError: A line is damaged, or the directory is not a path.
        OSError: The file cannot be read.
    """
    directory = check_path("directory", directory)
    file, rows = directory / METRICS_FILE, []
    *lines, _ = file.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            row = parse_json_line(line)
            if not isinstance(row, dict) or not all(isinstance(value, int | float | None) for value in row.values()):
                raise GameError("no numbers by name", ErrorCode.INVALID_JSON)
        except GameError as problem:
            raise GameError(f"{file}, line {number}: {problem}; remove the line", ErrorCode.INVALID_JSON) from None
        rows.append(row)
    return rows


class TrainingMetrics(dict[str, NDArray[np.float64]]):
    """Measurements of a run by name, each float64 [updates]; NaN where an update has no value.

    >>> TrainingMetrics.from_rows([{"update": 1}, {"update": 2, "entropy": 0.5}])["entropy"].tolist()
    [nan, 0.5]
    """

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> TrainingMetrics:
        """Return the columns of lines of ``metrics.jsonl``."""
        values = {name: [row.get(name) for row in rows] for name in column_names(rows)}
        return cls({name: np.array(column, np.float64) for name, column in values.items()})

    def to_frame(self) -> Any:
        """Return the measurements as a ``pandas.DataFrame`` with a row for each update.

        Raises:
            GameError: pandas is not installed (code ``missing-library``).
        """
        return import_pandas().DataFrame(dict(self))


def load_metrics(directory: str | Path) -> TrainingMetrics:
    """Load the metrics of a run as arrays.

    Args:
        directory: The folder of the run.

    Raises:
        GameError: A line is damaged, or the directory is not a path.
        OSError: The file cannot be read.
    """
    directory = check_path("directory", directory)
    return TrainingMetrics.from_rows(read_metrics(directory) if (directory / METRICS_FILE).exists() else [])


def _complete_lines_size(file: Path, size: int) -> int:
    """Return the size of the complete lines within the first bytes of a file."""
    if not file.exists():
        return 0
    with file.open("rb") as stream:
        return stream.read(size).rfind(b"\n") + 1


def _open_tensorboard(directory: Path, update: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(directory), purge_step=update + 1)
