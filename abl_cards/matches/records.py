"""Read and write records of games as JSON lines, one episode a line, plain or gzipped, like those of the contest.

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
    ErrorCode,
    GameError,
    check_integer,
    check_path,
    is_line_too_long,
    is_truncated_json,
    line_too_long_message,
    open_maybe_gzip,
    parse_json_line,
    read_line_batches,
    resolve_output_path,
    to_plain_json,
)
from abl_cards.games import Engine
from abl_cards.protocols import convert_douzero_record

MAX_BLANK_LINES = 100_000
"""Most empty lines in a row."""
MAX_CHUNK_BYTES = 4 << 20
"""Bytes of lines read at a time: some hundred episodes of Guandan."""
MAX_UNREADABLE_LINES = 1_000
"""Most unreadable lines at the beginning of a file."""
_RECORD_OVERHEAD = 400  # bytes of the shortest record in memory
_CUT_MAGIC = r"Not a gzipped file (b'\x1f')"
"""Message of ``GzipFile`` about a member that is cut after its first byte."""

Record = Mapping[str, Any]


def read_records(path: str | Path, limit: int | None = None) -> list[Record | GameError]:
    """Read records from a file.

    Args:
        path: File of JSON lines, plain or ``.gz``.
        limit: Most lines to read; None for all.

    Returns:
        A record for each line, or a GameError for a line that is not a record.

    Raises:
        GameError: The file is not text, or the limit is not a whole number from 0 on.
        OSError: The file cannot be read.
    """
    path = check_path("path", path)
    return [record for chunk in read_record_chunks(path, limit) for record in chunk]


def read_record_chunks(path: Path, limit: int | None = None) -> Iterator[list[Record | GameError]]:
    """Yield records and errors of a file in chunks of about 4 MiB; raises GameError, OSError."""
    limit = None if limit is None else check_integer("limit", limit, 0)
    chunk: list[Record | GameError] = []
    size = 0
    for record, length in islice(_read_sized_records(path), limit):
        chunk.append(record)
        size += length + _RECORD_OVERHEAD
        if size >= MAX_CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _read_sized_records(path: Path) -> Iterator[tuple[Record | GameError, int]]:
    """Yield the records of a file with the lengths of their lines; empty lines at the end are ignored."""
    blanks = 0
    for line in _require_text(path, _read_lines(path)):
        if isinstance(line, GameError) or line.strip():
            yield from ((BlankLine(), 0) for _ in range(blanks))
            blanks = 0
            yield (line, 0) if isinstance(line, GameError) else (_parse_record(line), len(line))
        else:
            blanks += 1
            if blanks > MAX_BLANK_LINES:
                problem = f"{path}: {MAX_BLANK_LINES:,} empty lines in a row: this is no file of records"
                raise GameError(problem, ErrorCode.INVALID_RECORD)


def normalise_record(engine: Engine, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a log of Botzone or a game of DouZero to a record of this package; return anything else unchanged.

    Args:
        engine: Compiled game.
        record: A record, log or game.

    Returns:
        The record.

    Raises:
        GameError: The log or game is invalid.
    """
    from abl_cards.protocols.botzone import convert_log

    return convert_log(engine, convert_douzero_record(record))


def normalise_records(engine: Engine, records: Iterable[Record | GameError]) -> list[Record | GameError]:
    """Convert logs of Botzone and games of DouZero to records; an invalid item is replaced by a GameError.

    Args:
        engine: Compiled game.
        records: Records, logs, games and errors of lines.

    Returns:
        Records and errors, in their order.
    """

    def convert(record: Record | GameError) -> Record | GameError:
        try:
            return record if isinstance(record, GameError) else normalise_record(engine, record)
        except GameError as problem:
            return problem

    return [convert(record) for record in records]


def find_profile(record: Any, profiles: Collection[str]) -> str | None:
    """Return the profile that a record or a state names; for a log of Botzone, the profile of the platform."""
    from abl_cards.protocols.botzone import find_profile

    return find_profile(record, profiles) if isinstance(record, Mapping) else None


def require_rereadable(path: str | Path, remedy: str) -> None:
    """Check that a file can be read more than once, as a pipe or a terminal cannot.

    Args:
        path: File to read; one that does not exist is not checked.
        remedy: What to do otherwise, for the message.

    Raises:
        GameError: The file can be read only once.
    """
    path = check_path("path", path)
    if path.exists() and not path.is_file() and not path.is_dir():
        problem = f"{path}: a pipe can be read only once: {remedy}, or write it to a file"
        raise GameError(problem, ErrorCode.FILE_NOT_READABLE)


def read_file_profile(path: str | Path, profiles: Collection[str]) -> str | None:
    """Return the profile that the first record of a file names; None if it is not one of ``profiles``.

    Args:
        path: File of records.
        profiles: Names of the profiles.

    Raises:
        GameError: The path is a pipe, whose records would be lost for the next reader.
    """
    path = check_path("path", path)
    if not profiles:
        return None
    require_rereadable(path, "name the profile of its records (--profile)")
    first = next((record for record, _ in _read_sized_records(path) if not isinstance(record, BlankLine)), None)
    profile = find_profile(first, profiles)
    return profile if profile in profiles else None


def write_records(path: str | Path, records: Iterable[Record]) -> None:
    """Write records to a file; an existing file is replaced when all records are written.

    Args:
        path: File to write; ``.gz`` at the end compresses it.
        records: Records.

    Raises:
        GameError: The path is a folder, or its folder does not exist.
        OSError: The file cannot be written.
    """
    path = check_path("path", path)
    with replace_file(resolve_output_path(path)) as file:
        file.writelines(map(record_to_line, records))


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file, compressed for ``.gz``, that replaces the path when the block ends without an error.

    Equal content gives equal bytes: a gzip file holds no time stamp and no name.
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


def record_to_line(record: Record) -> bytes:
    """Encode a record as a line of a file, with plain numbers for those of NumPy; raises GameError for other values."""
    try:
        if not isinstance(record, Mapping):
            raise TypeError(f"a record is a dictionary, not {type(record).__name__}")
        return json.dumps(record, separators=(",", ":"), default=to_plain_json).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise GameError(f"record: {error}", ErrorCode.INVALID_RECORD) from None


class TruncatedRecord(GameError):
    """Error of a last line that is not complete, as a kill or a full disk leaves one behind."""

    def __init__(self) -> None:
        """Make an error."""
        super().__init__("the last line is cut: the file ends in the middle of it", ErrorCode.TRUNCATED_RECORD)


class BlankLine(GameError):
    """Error that stands for an empty line between records, which readers skip."""

    def __init__(self) -> None:
        """Make an error."""
        super().__init__("an empty line", ErrorCode.INVALID_RECORD)


class UnreadableRecord(GameError):
    """Error of a line that is not text, or too long."""

    def __init__(self, message: str) -> None:
        """Make an error.

        Args:
            message: The problem.
        """
        super().__init__(message, ErrorCode.INVALID_RECORD)


def _require_text(path: Path, lines: Iterator[bytes | GameError]) -> Iterator[bytes | GameError]:
    """Pass lines on; raises GameError for a file that begins with unreadable lines and has no text."""
    head, text = list[bytes | GameError](), False
    for line in lines:
        head.append(line)
        text = isinstance(line, TruncatedRecord) or (isinstance(line, bytes) and bool(line.strip()))
        if text or len(head) > MAX_UNREADABLE_LINES:
            break
    for number, line in enumerate(head, start=1):
        if not text and isinstance(line, UnreadableRecord):
            raise GameError(f"{path}: line {number} {line}", ErrorCode.INVALID_RECORD)
    yield from head
    yield from lines


def _read_lines(path: Path) -> Iterator[bytes | GameError]:
    """Yield the lines of a file, or the error of one that cannot be read; complete lines keep their line end."""
    number, held = 0, b""
    with open_maybe_gzip(path) as file:
        try:
            for number, line in chain.from_iterable(read_line_batches(file, f"{path}: ", truncate=True)):
                if number > 1:
                    yield _check_line(held, b"\n")
                held = line
        except (EOFError, gzip.BadGzipFile) as problem:
            if isinstance(problem, gzip.BadGzipFile) and str(problem) != _CUT_MAGIC:
                raise
            if number:
                yield _check_line(held, b"\n")
            yield TruncatedRecord()
        else:
            yield _check_line(held)


def _check_line(line: bytes, end: bytes = b"") -> bytes | GameError:
    """Return a line with its end, or the error why it cannot be read."""
    if is_line_too_long(line):
        return UnreadableRecord(line_too_long_message())
    if b"\0" in line:
        return UnreadableRecord("holds zero bytes: this is no text")
    return line + end


def _parse_record(line: bytes) -> Record | GameError:
    try:
        value = parse_json_line(line)
    except GameError as problem:
        text = line.strip()
        if text.startswith(b"{") and not line.endswith(b"\n") and is_truncated_json(text):
            return TruncatedRecord()
        if b"\r" in text:
            return GameError("lines end in CR alone: convert the line ends to LF", ErrorCode.INVALID_RECORD)
        return problem
    if not isinstance(value, dict):
        return GameError("not a record: a record is a JSON object", ErrorCode.INVALID_RECORD)
    try:
        return convert_douzero_record(value)
    except GameError as problem:
        return problem


def read_valid_records(file: str | Path) -> list[Mapping[str, Any]]:
    """Read records from a file without an invalid line; empty lines are skipped.

    Args:
        file: File of JSON lines, plain or ``.gz``.

    Returns:
        The records.

    Raises:
        GameError: A line is not a record, and the message names file and line; or there are no records.
        OSError: The file cannot be read.
    """
    return read_numbered_records(file)[1]


def read_numbered_records(file: str | Path) -> tuple[list[int], list[Record]]:
    """Read records from a file without an invalid line, with the numbers of their lines; empty lines are skipped.

    Args:
        file: File of JSON lines, plain or ``.gz``.

    Returns:
        The number of the line of each record, from 1, and the records.

    Raises:
        GameError: A line is not a record, and the message names file and line; or there are no records.
        OSError: The file cannot be read.
    """
    file = check_path("file", file)
    lines, read = skip_blank_lines(read_records(file))
    records: list[Record] = []
    for line, record in zip(lines, read, strict=True):
        if isinstance(record, GameError):
            raise GameError(f"{file}:{line}: {record}", record.code)
        records.append(record)
    if not records:
        raise GameError(f"{file}: no records", ErrorCode.NO_RECORDS)
    return lines, records


def skip_blank_lines(
    records: Iterable[Record | GameError], start: int = 1
) -> tuple[list[int], list[Record | GameError]]:
    """Leave out empty lines.

    Args:
        records: A record or an error for each line, as `read_records` returns them.
        start: Number of the first line.

    Returns:
        The numbers of the other lines, and their records and errors.
    """
    kept = [(line, record) for line, record in enumerate(records, start) if not isinstance(record, BlankLine)]
    return [line for line, _ in kept], [record for _, record in kept]


def find_held_out(records: Sequence[Mapping[str, Any]], num_matches: int, file: str | Path) -> NDArray[np.bool_]:
    """Mark the episodes of the last matches, which are held out.

    Args:
        records: One record for each episode.
        num_matches: Number of matches to hold out.
        file: Name of the file in an error.

    Returns:
        Whether an episode belongs to these matches, bool [records].

    Raises:
        GameError: There is no match besides those to hold out.
    """
    indices = match_indices(records)
    total = int(indices.max(initial=-1)) + 1
    if num_matches >= total:
        raise GameError(
            f"{file}: of {total} matches {num_matches} are to be held out, which leaves none to learn from; "
            f"hold out {max(0, total - 1)} at most",
            ErrorCode.NO_RECORDS,
        )
    held_out: NDArray[np.bool_] = indices >= total - num_matches
    return held_out


def match_indices(records: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
    """Number the matches that episodes belong to, also where episodes of several matches alternate.

    Args:
        records: One record for each episode.

    Returns:
        Index of the match, int64 [records].
    """
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
    """Find recorded games of a contest in ``data_folder()``, else the sample that comes with the package.

    Args:
        game: Name of the game.

    Returns:
        Path of a file of records.

    Raises:
        GameError: There are no recorded games and no sample.
    """
    files = data_folder() / f"{game}_contest_bots.jsonl.gz", sample_records_path(game)
    path = next((file for file in files if file.is_file()), None)
    if path is None:
        problem = f"no recorded games of {game}: set ABL_CARDS_DATA to the folder that holds {files[0].name}"
        raise GameError(problem, ErrorCode.NO_RECORDS)
    return path


def data_folder() -> Path:
    """Return the folder of recorded games: ``ABL_CARDS_DATA``, or ``../shared/data`` beside the project."""
    default = PROJECT.parent / "shared" / "data"
    return Path(os.environ.get("ABL_CARDS_DATA") or default)


def sample_records_path(game: str) -> Path:
    """Return the path of the recorded games that come with the package; it may not exist."""
    return DATA / f"{game}_contest_sample.jsonl.gz"
