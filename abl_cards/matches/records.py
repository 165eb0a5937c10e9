"""Played games as JSON lines, one episode a line, plain or gzipped; the records of the contest are in the same form.

records = read_records(Path("games.jsonl.gz"))
write_records(Path("copy.jsonl"), records)
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import (
    DATA,
    PROJECT,
    GameError,
    is_line_too_long,
    line_too_long_message,
    open_maybe_gzip,
    parse_json_line,
    read_line_batches,
)
from abl_cards.games import Engine
from abl_cards.protocols import convert_douzero_record

MAX_BLANK_LINES = 100_000
"""Empty lines that may follow each other."""
MAX_CHUNK_BYTES = 4 << 20
"""Bytes of lines that are looked at together: some hundred episodes of Guandan."""
MAX_UNREADABLE_LINES = 1_000
"""Lines that a file may begin with before there is one of text."""
_RECORD_OVERHEAD = 400  # bytes that the shortest record takes

Record = Mapping[str, Any]


def read_records(path: Path, limit: int | None = None) -> list[Record | GameError]:
    """The first records of a file, in place of a line that is none what is wrong with it.

    Raises GameError for a file that is no text, OSError for one that cannot be read.
    """
    return [record for piece in read_record_chunks(path, limit) for record in piece]


def read_record_chunks(path: Path, limit: int | None = None) -> Iterator[list[Record | GameError]]:
    """The same, so many at a time as are no burden to the memory."""
    piece: list[Record | GameError] = []
    size = 0
    for record, length in islice(_read_sized_records(path), limit):
        piece.append(record)
        size += length + _RECORD_OVERHEAD
        if size >= MAX_CHUNK_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _read_sized_records(path: Path) -> Iterator[tuple[Record | GameError, int]]:
    """The records of a file with the lengths of their lines; empty lines at the end do no harm."""
    blanks = 0
    for line in _require_text(path, _read_lines(path)):
        if isinstance(line, GameError) or line.strip():
            yield from ((GameError("an empty line"), 0) for _ in range(blanks))
            blanks = 0
            yield (line, 0) if isinstance(line, GameError) else (_parse_record(line), len(line))
        else:
            blanks += 1
            if blanks > MAX_BLANK_LINES:
                raise GameError(f"{path}: {MAX_BLANK_LINES:,} empty lines on end: that is none of ours")


def normalise_record(engine: Engine, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record in the form that the engine reads, whoever wrote it; raises GameError for what is none.

    Logs of Botzone and games of DouZero become records of ours; anything else stays as it is.
    """
    from abl_cards.protocols.botzone import convert_log

    return convert_log(engine, convert_douzero_record(record))


def normalise_records(engine: Engine, records: Iterable[Record | GameError]) -> list[Record | GameError]:
    """The same of many; in place of a record that is none what is wrong with it."""

    def form(record: Record | GameError) -> Record | GameError:
        try:
            return record if isinstance(record, GameError) else normalise_record(engine, record)
        except GameError as problem:
            return problem

    return [form(record) for record in records]


def find_profile(record: Any, profiles: Collection[str]) -> str | None:
    """The profile that a record or a state names; that of the platform for a log of Botzone's."""
    from abl_cards.protocols.botzone import find_profile

    return find_profile(record, profiles) if isinstance(record, Mapping) else None


def read_file_profile(path: Path, profiles: Collection[str]) -> str | None:
    """The profile that the first record of a file names, where it is one of these."""
    first = next(read_record_chunks(path, 1), [None])[0]
    named = find_profile(first, profiles)
    return named if named in profiles else None


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records; a file that was there before stays whole until all are written."""
    with replace_file(resolve_output_path(path)) as file:
        file.writelines(map(record_to_line, records))


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """A file, packed if it has such a name, that takes its place when the block is left without an error.

    The same content makes the same bytes: no time stamp and no name in a gzip file.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.aside")
    try:
        with aside.open("xb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
                    yield cast(IO[bytes], file)
            else:
                yield raw
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def resolve_output_path(path: Path) -> Path:
    """Where a file of records is to lie; raises GameError where there cannot be one."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise GameError(f"{path} is there and is no file that could be replaced")
    if not target.parent.is_dir():
        raise GameError(f"{path}: there is no folder {path.parent}")
    return target


def record_to_line(record: Record) -> bytes:
    """A record as a line of a file."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class TruncatedRecord(GameError):
    """The last line of a file that ends in the middle of it, as a kill or a full disk leaves one behind."""

    def __init__(self) -> None:
        """A line of which not all is there."""
        super().__init__("the last line is cut: the file ends in the middle of it")


class UnreadableRecord(GameError):
    """A line that is no text, or too long."""


def _require_text(path: Path, lines: Iterator[bytes | GameError]) -> Iterator[bytes | GameError]:
    """The same lines; raises GameError for a file that begins with lines that cannot be read, and then has no text."""
    head, text = list[bytes | GameError](), False
    for line in lines:
        head.append(line)
        text = isinstance(line, TruncatedRecord) or (isinstance(line, bytes) and bool(line.strip()))
        if text or len(head) > MAX_UNREADABLE_LINES:
            break
    for number, line in enumerate(head, start=1):
        if not text and isinstance(line, UnreadableRecord):
            raise GameError(f"{path}: line {number} {line}")
    yield from head
    yield from lines


def _read_lines(path: Path) -> Iterator[bytes | GameError]:
    """The lines of a file, in place of one that cannot be read why; those that were ended have their line end."""
    number, held = 0, b""
    with open_maybe_gzip(path) as file:
        try:
            for number, line in chain.from_iterable(read_line_batches(file, f"{path}: ", truncate=True)):
                if number > 1:
                    yield _check_line(held, b"\n")
                held = line
        except EOFError:
            if number:
                yield _check_line(held, b"\n")
            yield TruncatedRecord()
        else:
            yield _check_line(held)


def _check_line(line: bytes, end: bytes = b"") -> bytes | GameError:
    """A line with its end; or why it cannot be read."""
    if is_line_too_long(line):
        return UnreadableRecord(line_too_long_message())
    if b"\0" in line:
        return UnreadableRecord("holds zero bytes: this is no text")
    return line + end


def _parse_record(line: bytes) -> Record | GameError:
    try:
        value = parse_json_line(line)
    except GameError as problem:
        return TruncatedRecord() if line.lstrip().startswith(b"{") and not line.endswith(b"\n") else problem
    if not isinstance(value, dict):
        return GameError("not a record: a record is a JSON object")
    try:
        return convert_douzero_record(value)
    except GameError as problem:
        return problem


def read_valid_records(file: Path) -> list[Mapping[str, Any]]:
    """The records of a file; raises GameError at the first line that is none."""
    records: list[Mapping[str, Any]] = []
    for line, record in enumerate(read_records(file), start=1):
        if isinstance(record, GameError):
            raise GameError(f"{file}:{line}: {record}")
        records.append(record)
    return records


def match_indices(records: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
    """[records] the number of the match each episode belongs to, whether they lie in a row or were told in turns."""
    numbers: list[int] = []
    running: dict[Any, int] = {}
    fresh = count()
    for record in records:
        name = record.get("match")
        first = record["episode"] == 0 if "episode" in record else not (record.get("tribute") or record.get("anti"))
        if name not in running or first:  # else one goes before it
            running[name] = next(fresh)
        numbers.append(running[name])
    return np.array(numbers, np.int64)


def find_contest_records(game: str) -> Path:
    """Recorded games of a contest: in the folder ABL_CARDS_DATA, or ``../shared/data`` beside the project.

    The sample that comes with the package stands in for them; raises GameError where there is none either.
    """
    files = data_folder() / f"{game}_contest_bots.jsonl.gz", sample_records_path(game)
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise GameError(f"no recorded games of {game}: set ABL_CARDS_DATA to the folder that holds {files[0].name}")
    return found


def data_folder() -> Path:
    """Where recorded games are looked for."""
    near = PROJECT.parent / "shared" / "data"
    return Path(os.environ.get("ABL_CARDS_DATA") or near)


def sample_records_path(game: str) -> Path:
    """The recorded games of a contest that come with the package, if there are any."""
    return DATA / f"{game}_contest_sample.jsonl.gz"
