"""Write records of games during play: each episode as it ends, so that a killed program loses none.

with open_record_file(Path("games.jsonl.gz"), print) as write:
    write({"match": 0, "plays": []})

The file grows by whole records, a line or a gzip member each: records written before a kill can be read after it.
Games played side by side end in turns; at the end the file is sorted by game.
"""

from __future__ import annotations

import gzip
import json
import os
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_path, resolve_output_path
from abl_cards.games.tables import NullListener, Recorder
from abl_cards.games.types import Indices
from abl_cards.matches.records import Record, record_to_line, replace_file

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

WriteRecord = Callable[[dict[str, Any]], None]
LogMessage = Callable[[str], None]


class RecordWriteError(GameError):
    """Failure to write a record; the records before it are complete."""

    def __init__(self, message: str) -> None:
        """Make an error.

        Args:
            message: One line about the file and the problem.
        """
        super().__init__(message, ErrorCode.RECORDS_NOT_WRITTEN)


@contextmanager
def open_record_file(
    path: str | Path, log: LogMessage = lambda line: None, final_fields: Record | None = None
) -> Iterator[WriteRecord]:
    """Open a file of records for writing.

    An existing file is replaced when all records are written; until then the new ones are in a file beside it.

    Args:
        path: File to write; ``.gz`` at the end compresses it.
        log: Called with a line about the file beside an existing one, and about the records left after an error.
        final_fields: Fields added to every record at the end, such as a seed that must stay secret during play.

    Yields:
        Function that appends a record.

    Raises:
        GameError: The file cannot be created, or a record cannot be written.
    """
    path = check_path("path", path)
    journal = _RecordFile(path, log)
    try:
        yield journal.write
        journal.finish(final_fields or {})
    except RecordWriteError:
        journal.close_unfinished()
        raise
    except BaseException:
        if journal.close_unfinished():
            log(f"{journal.path} holds the {journal.num_records} episodes that had ended")
        raise


class RecordWriter(NullListener):
    """Listener that writes the records of a recorder as episodes end, with more fields in front."""

    def __init__(self, recorder: Recorder, write: WriteRecord, extra_fields: Callable[[int], Record]) -> None:
        """Make a writer.

        Args:
            recorder: Recorder of the same tables; it must be called before this listener.
            write: Function that stores a record.
            extra_fields: Function that returns the first fields of a record, by table.
        """
        self._recorder, self._write, self._extra_fields = recorder, write, extra_fields

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Write the records of the tables whose episodes end."""
        for table in rows.tolist():
            for record in self._recorder.pop_records(table):
                self._write({**self._extra_fields(table), **record})


class _RecordFile:
    """File that records are appended to, with the offset of each."""

    def __init__(self, path: Path, log: LogMessage) -> None:
        self._requested_path, self._target, self._log = path, resolve_output_path(path), log
        self.path, self._file = _open_unused(self._target)
        self._is_gzip = self._target.suffix == ".gz"
        self._starts, self._games = array("q", [0]), array("q")
        if self.path != self._target:
            log(f"{path} is there already: the new episodes are written to {self.path}, which replaces it at the end")

    @property
    def num_records(self) -> int:
        """Number of records."""
        return len(self._games)

    def write(self, record: Record) -> None:
        """Append a record; on an error nothing of it stays."""
        line = record_to_line(record)
        end = self._starts[-1]
        try:
            written = self._append(gzip.compress(line, mtime=0) if self._is_gzip else line)
        except BaseException as problem:
            with suppress(OSError):
                self._file.truncate(end)
                self._file.seek(end)
            if isinstance(problem, OSError):
                text = problem.strerror or problem
                raise RecordWriteError(
                    f"{self.path}: {text}; the {self.num_records} episodes before are in it"
                ) from None
            raise
        game = record.get("match", 0)
        self._games.append(game if isinstance(game, int) else 0)
        self._starts.append(end + written)

    def _append(self, data: bytes) -> int:
        written = 0
        while written < len(data):
            written += self._file.write(data[written:])
        return written

    def close_unfinished(self) -> bool:
        """Close the file, and remove an empty one; returns whether there is one."""
        self._file.close()
        if not self.num_records:
            self.path.unlink(missing_ok=True)
        return self.num_records > 0

    def finish(self, final_fields: Record) -> None:
        """Sort the games, add the final fields, and move the file to its place."""
        games = np.array(self._games, np.int64)
        try:
            if self._is_gzip or final_fields or (np.diff(games) < 0).any():
                self._rewrite(np.argsort(games, kind="stable"), final_fields)
        except OSError as problem:
            text = problem.strerror or problem
            self._log(f"{self.path}: {text}; the episodes stand in the order in which they ended")
        self._file.close()
        if self.path != self._target:
            os.replace(self.path, self._target)

    def _rewrite(self, order: NDArray[np.int64], final_fields: Record) -> None:
        lines = map(self._read_line, order.tolist())
        with replace_file(self.path) as file:
            file.writelines(
                (record_to_line({**final_fields, **json.loads(line)}) for line in lines) if final_fields else lines
            )

    def _read_line(self, number: int) -> bytes:
        start, end = self._starts[number], self._starts[number + 1]
        data = os.pread(self._file.fileno(), end - start, start)
        return gzip.decompress(data) if self._is_gzip else data


def _open_unused(target: Path) -> tuple[Path, IO[bytes]]:
    """Create the file, or the first free name beside it, never one that exists."""
    ending = "".join(target.suffixes[-2:]) if target.suffix == ".gz" else target.suffix
    stem = target.name.removesuffix(ending)
    beside = (target.with_name(f"{stem}.part{number or ''}{ending}") for number in chain([0], count(2)))
    for path in chain([target], beside):
        with suppress(FileExistsError):
            return path, cast(IO[bytes], path.open("x+b", buffering=0))
    raise AssertionError  # there is always another number
