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

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.lines import batches, is_too_long, parse_line, reading, too_long
from abl_cards.platforms.douzero import own_record

MOST_BLANKS = 100_000
"""Empty lines that may follow each other."""
PIECE = 4 << 20
"""Bytes of lines that are looked at together: some hundred episodes of Guandan."""
MOST_UNREAD = 1_000
"""Lines that a file may begin with before there is one of text."""
_BESIDES = 400  # bytes that the shortest record takes

Record = Mapping[str, Any]


def read_records(path: Path, limit: int | None = None) -> list[Record | GameError]:
    """The first records of a file, in place of a line that is none what is wrong with it.

    Raises GameError for a file that is no text, OSError for one that cannot be read.
    """
    return [record for piece in pieces(path, limit) for record in piece]


def pieces(path: Path, limit: int | None = None) -> Iterator[list[Record | GameError]]:
    """The same, so many at a time as are no burden to the memory."""
    piece: list[Record | GameError] = []
    size = 0
    for record, length in islice(_sized(path), limit):
        piece.append(record)
        size += length + _BESIDES
        if size >= PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _sized(path: Path) -> Iterator[tuple[Record | GameError, int]]:
    """The records of a file with the lengths of their lines; empty lines at the end do no harm."""
    blanks = 0
    for line in _from_text_on(path, _lines(path)):
        if isinstance(line, GameError) or line.strip():
            yield from ((GameError("an empty line"), 0) for _ in range(blanks))
            blanks = 0
            yield (line, 0) if isinstance(line, GameError) else (_record(line), len(line))
        else:
            blanks += 1
            if blanks > MOST_BLANKS:
                raise GameError(f"{path}: {MOST_BLANKS:,} empty lines on end: that is none of ours")


def in_own_form(engine: Engine, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record in the form that the engine reads, whoever wrote it; raises GameError for what is none.

    Logs of Botzone and games of DouZero become records of ours; anything else stays as it is.
    """
    from abl_cards.platforms.botzone import log_record

    return log_record.own_record(engine, own_record(record))


def all_in_own_form(engine: Engine, records: Iterable[Record | GameError]) -> list[Record | GameError]:
    """The same of many; in place of a record that is none what is wrong with it."""

    def form(record: Record | GameError) -> Record | GameError:
        try:
            return record if isinstance(record, GameError) else in_own_form(engine, record)
        except GameError as problem:
            return problem

    return [form(record) for record in records]


def profile_in(record: Any, profiles: Collection[str]) -> str | None:
    """The profile that a record or a state names; that of the platform for a log of Botzone's."""
    from abl_cards.platforms.botzone import log_record

    return log_record.profile_of(record, profiles) if isinstance(record, Mapping) else None


def profile_of_file(path: Path, profiles: Collection[str]) -> str | None:
    """The profile that the first record of a file names, where it is one of these."""
    first = next(pieces(path, 1), [None])[0]
    named = profile_in(first, profiles)
    return named if named in profiles else None


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records; a file that was there before stays whole until all are written."""
    with replacing(replaceable(path)) as file:
        file.writelines(map(line_of, records))


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
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


def replaceable(path: Path) -> Path:
    """Where a file of records is to lie; raises GameError where there cannot be one."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise GameError(f"{path} is there and is no file that could be replaced")
    if not target.parent.is_dir():
        raise GameError(f"{path}: there is no folder {path.parent}")
    return target


def line_of(record: Record) -> bytes:
    """A record as a line of a file."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class Cut(GameError):
    """The last line of a file that ends in the middle of it, as a kill or a full disk leaves one behind."""

    def __init__(self) -> None:
        """A line of which not all is there."""
        super().__init__("the last line is cut: the file ends in the middle of it")


class Unreadable(GameError):
    """A line that is no text, or too long."""


def _from_text_on(path: Path, lines: Iterator[bytes | GameError]) -> Iterator[bytes | GameError]:
    """The same lines; raises GameError for a file that begins with lines that cannot be read, and then has no text."""
    head, text = list[bytes | GameError](), False
    for line in lines:
        head.append(line)
        text = isinstance(line, Cut) or (isinstance(line, bytes) and bool(line.strip()))
        if text or len(head) > MOST_UNREAD:
            break
    for number, line in enumerate(head, start=1):
        if not text and isinstance(line, Unreadable):
            raise GameError(f"{path}: line {number} {line}")
    yield from head
    yield from lines


def _lines(path: Path) -> Iterator[bytes | GameError]:
    """The lines of a file, in place of one that cannot be read why; those that were ended have their line end."""
    number, held = 0, b""
    with reading(path) as file:
        try:
            for number, line in chain.from_iterable(batches(file, f"{path}: ", cut=True)):
                if number > 1:
                    yield _text(held, b"\n")
                held = line
        except EOFError:
            if number:
                yield _text(held, b"\n")
            yield Cut()
        else:
            yield _text(held)


def _text(line: bytes, end: bytes = b"") -> bytes | GameError:
    """A line with its end; or why it cannot be read."""
    if is_too_long(line):
        return Unreadable(too_long())
    if b"\0" in line:
        return Unreadable("holds zero bytes: this is no text")
    return line + end


def _record(line: bytes) -> Record | GameError:
    try:
        value = parse_line(line)
    except GameError as problem:
        return Cut() if line.lstrip().startswith(b"{") and not line.endswith(b"\n") else problem
    if not isinstance(value, dict):
        return GameError("not a record: a record is a JSON object")
    try:
        return own_record(value)
    except GameError as problem:
        return problem


def readable(file: Path) -> list[Mapping[str, Any]]:
    """The records of a file; raises GameError at the first line that is none."""
    records: list[Mapping[str, Any]] = []
    for line, record in enumerate(read_records(file), start=1):
        if isinstance(record, GameError):
            raise GameError(f"{file}:{line}: {record}")
        records.append(record)
    return records


def matches_of(records: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
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
