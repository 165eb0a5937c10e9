"""Writing games down while they are played: each episode as it ends, so that nothing ends a program takes them away.

with recording(Path("games.jsonl.gz"), print) as write:
    write({"match": 0, "plays": []})

The file grows by whole records, a line or a gzip member each: what was written before a kill can be read after it.
Games played side by side end in turns; when all are played the file is put in order, game by game.
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
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.audience import Quiet
from abl_cards.games.results import Recorder
from abl_cards.games.tables import Indices
from abl_cards.records import Record, line_of, replaceable, replacing

Write = Callable[[dict[str, Any]], None]
Say = Callable[[str], None]


class Unwritable(GameError):
    """The medium takes no more; what was written before is whole."""


@contextmanager
def recording(path: Path, say: Say = lambda line: None, at_end: Record | None = None) -> Iterator[Write]:
    """Gives a function that writes a record for good.

    ``at_end`` are fields that every record gets when all are written, and none before: a seed that nobody may read
    while games of it are still to be played.

    A file that was there before stays until all is written; the new episodes lie beside it until then, and ``say`` is
    told where. It is told as well what there is when the block is left by an error.
    """
    journal = _Journal(path, say)
    try:
        yield journal.write
        journal.finish(at_end or {})
    except Unwritable:
        journal.leave()
        raise
    except BaseException:
        if journal.leave():
            say(f"{journal.place} holds the {journal.number} episodes that had ended")
        raise


class Scribe(Quiet):
    """Hears episodes end, after the recorder has, and hands over their records under a heading of more fields."""

    def __init__(self, recorder: Recorder, write: Write, heading: Callable[[int], Record]) -> None:
        """``heading`` gives the fields of a table."""
        self._recorder, self._write, self._heading = recorder, write, heading

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Write down what there is."""
        for table in which.tolist():
            for record in self._recorder.records(table):
                self._write({**self._heading(table), **record})


class _Journal:
    """A file that records are added to, and where in it each of them begins."""

    def __init__(self, path: Path, say: Say) -> None:
        self._path, self._target, self._say = path, replaceable(path), say
        self.place, self._file = _open_new(self._target)
        self._packs = self._target.suffix == ".gz"
        self._starts, self._games = array("q", [0]), array("q")
        if self.place != self._target:
            say(f"{path} is there already: the new episodes are written to {self.place}, which replaces it at the end")

    @property
    def number(self) -> int:
        """How many records there are."""
        return len(self._games)

    def write(self, record: Record) -> None:
        """Add a record, or nothing of it."""
        line = line_of(record)
        end = self._starts[-1]
        try:
            written = self._append(gzip.compress(line, mtime=0) if self._packs else line)
        except BaseException as problem:
            with suppress(OSError):
                self._file.truncate(end)
                self._file.seek(end)
            if isinstance(problem, OSError):
                told = problem.strerror or problem
                raise Unwritable(f"{self.place}: {told}; the {self.number} episodes before are in it") from None
            raise
        game = record.get("match", 0)
        self._games.append(game if isinstance(game, int) else 0)
        self._starts.append(end + written)

    def _append(self, data: bytes) -> int:
        written = 0
        while written < len(data):
            written += self._file.write(data[written:])
        return written

    def leave(self) -> bool:
        """Close the file as it is; an empty one is removed. Tells whether there is one."""
        self._file.close()
        if not self.number:
            self.place.unlink(missing_ok=True)
        return self.number > 0

    def finish(self, more: Record) -> None:
        """Put the games in order, one gzip stream, and the file in its place; every record gets some more fields."""
        games = np.array(self._games, np.int64)
        try:
            if self._packs or more or (np.diff(games) < 0).any():
                self._rewrite(np.argsort(games, kind="stable"), more)
        except OSError as problem:
            told = problem.strerror or problem
            self._say(f"{self.place}: {told}; the episodes stand in the order in which they ended")
        self._file.close()
        if self.place != self._target:
            os.replace(self.place, self._target)

    def _rewrite(self, order: NDArray[np.int64], more: Record) -> None:
        lines = map(self._line, order.tolist())
        with replacing(self.place) as file:
            file.writelines((line_of({**more, **json.loads(line)}) for line in lines) if more else lines)

    def _line(self, number: int) -> bytes:
        start, end = self._starts[number], self._starts[number + 1]
        data = os.pread(self._file.fileno(), end - start, start)
        return gzip.decompress(data) if self._packs else data


def _open_new(target: Path) -> tuple[Path, IO[bytes]]:
    """The file itself, or the first free name beside it: never one that somebody else writes."""
    ending = "".join(target.suffixes[-2:]) if target.suffix == ".gz" else target.suffix
    stem = target.name.removesuffix(ending)
    beside = (target.with_name(f"{stem}.part{number or ''}{ending}") for number in chain([0], count(2)))
    for place in chain([target], beside):
        with suppress(FileExistsError):
            return place, cast(IO[bytes], place.open("x+b", buffering=0))
    raise AssertionError  # there is always another number
