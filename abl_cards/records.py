"""Played games as JSON lines, one episode a line, plain or gzipped; the records of the contest are in the same form.

records = read_records(Path("games.jsonl.gz"))
write_records(Path("copy.jsonl"), records)
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import GameError

LONGEST_LINE = 16 << 20
"""Bytes; what is longer is no record, and a file without line ends must not fill the memory."""

Record = Mapping[str, Any]


def read_records(path: Path, limit: int | None = None) -> list[Record | GameError]:
    """The first records of a file, in place of a line that is none what is wrong with it.

    Raises GameError for a file that is no text, OSError for one that cannot be read.
    """
    records: list[Record | GameError] = []
    with reading(path) as file:
        records += map(_record, islice(_lines(path, file), limit))
    while records and isinstance(records[-1], _Blank):
        records.pop()
    return records


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records; a file that was there before stays whole until all are written."""
    with recording(path) as write:
        for record in records:
            write(record)


@contextmanager
def recording(path: Path) -> Iterator[Callable[[Record], None]]:
    """Gives a function that writes a record; the file appears when the block is left without an error."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise GameError(f"{path} is there and is no file that could be replaced")
    if not target.parent.is_dir():
        raise GameError(f"{path}: there is no folder {path.parent}")
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with aside.open("xb") as raw, _writer(target, raw) as file:
            yield lambda record: _write(file, record)
        os.replace(aside, target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked when its name ends in .gz; GameError where it cannot be unpacked."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(IO[bytes], file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise GameError(f"{path}: damaged gzip file ({problem})") from None


def parse_line(line: bytes) -> Any:
    """The JSON value of a line; raises GameError for what is none."""
    try:
        return json.loads(line.removeprefix(b"\xef\xbb\xbf").decode(), parse_constant=_reject)
    except UnicodeDecodeError as problem:
        raise GameError(f"not UTF-8 text (byte {problem.start + 1})") from None
    except json.JSONDecodeError as problem:
        raise GameError(f"not JSON: {problem.msg} (column {problem.colno})") from None
    except RecursionError:
        raise GameError("not a record: nested too deeply") from None
    except GameError:
        raise
    except ValueError as problem:  # a number of thousands of digits
        raise GameError(f"not a record: {problem}") from None


class _Blank(GameError):
    """An empty line; at the end of a file it does no harm."""


def _record(line: bytes) -> Record | GameError:
    if not line.strip():
        return _Blank("an empty line")
    try:
        value = parse_line(line)
    except GameError as problem:
        return problem
    return value if isinstance(value, dict) else GameError("not a record: a record is a JSON object")


def _lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if b"\0" in line:
            raise GameError(f"{path}: line {number} holds zero bytes: this is no text file")
        if len(line) > LONGEST_LINE:
            raise GameError(f"{path}: line {number} is longer than {LONGEST_LINE >> 20} MiB: these are no records")
        yield line


def _reject(constant: str) -> NoReturn:
    raise GameError(f"not JSON: {constant} is no number")


def _writer(path: Path, raw: IO[bytes]) -> IO[bytes]:
    """The same records make the same bytes: no time stamp and no name in a gzip file."""
    if path.suffix != ".gz":
        return raw
    return cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))


def _write(file: IO[bytes], record: Record) -> None:
    file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")


def readable(file: Path) -> list[Mapping[str, Any]]:
    """The records of a file; raises GameError at the first line that is none."""
    records: list[Mapping[str, Any]] = []
    for line, record in enumerate(read_records(file), start=1):
        if isinstance(record, GameError):
            raise GameError(f"{file}:{line}: {record}")
        records.append(record)
    return records


def matches_of(records: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
    """[records] the number of the match each episode belongs to."""
    first = [not (record.get("tribute") or record.get("anti")) for record in records]  # else one goes before it
    return np.cumsum(first) - 1


def contest_records(game: str) -> Path:
    """Recorded games of a contest: in the folder ABL_CARDS_DATA, or ``../shared/data`` beside the project.

    The sample that comes with the package stands in for them; raises GameError where there is none either.
    """
    files = data_folder() / f"{game}_contest_bots.jsonl.gz", sample_records(game)
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise GameError(f"no recorded games of {game}: set ABL_CARDS_DATA to the folder that holds {files[0].name}")
    return found


def data_folder() -> Path:
    """Where recorded games are looked for."""
    near = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ABL_CARDS_DATA") or near)


def sample_records(game: str) -> Path:
    """The recorded games of a contest that come with the package, if there are any."""
    return Path(__file__).parent / "data" / f"{game}_contest_sample.jsonl.gz"
