"""Files of JSON lines, plain or gzipped, a piece at a time: no line and no packed file is too long for the memory."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

from abl_cards.errors import GameError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 16 << 20
"""Bytes; a file without line ends must not fill the memory."""
LONGEST_SKIPPED = 1 << 30
"""Bytes of a line that is too long, up to which its end is looked for."""
READ_AT_ONCE = 1 << 19
"""Bytes: some thousands of states."""
_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 1 << 16

Line = tuple[int, bytes]
"""A line and its number, from 1."""


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked when its name ends in .gz; GameError where it cannot be unpacked."""
    try:
        with path.open("rb") as file:
            yield cast(IO[bytes], io.BufferedReader(_Unpacked(file)) if path.suffix == ".gz" else file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise GameError(f"{path}: damaged gzip file ({problem})") from None


def batches(stream: IO[bytes], file: str = "", cut: bool = False) -> Iterator[list[Line]]:
    """The lines that are there, as soon as they are there: whoever asks one thing at a time is answered at once.

    The last line of all is what follows the last line end, and may be empty. A line that is too long is cut, or ends
    the reading by GameError: at once, or where it is longer than anything that would be read to its end.
    """
    number, begun, size = 1, list[bytes](), 0  # the line that has no end yet, in pieces
    while chunk := stream.read1(READ_AT_ONCE):  # type: ignore[attr-defined]
        first, *others = chunk.split(b"\n")
        if size <= LONGEST_LINE:
            begun.append(first)
        size += len(first)
        if others:
            lines = [b"".join(begun), *others[:-1]]
            yield list(enumerate(lines, number))
            number, begun, size = number + len(lines), others[-1:], len(others[-1])
        if size > (LONGEST_SKIPPED if cut else LONGEST_LINE):
            raise GameError(f"{file}line {number} {too_long()}")
    yield [(number, b"".join(begun))]


def is_too_long(line: bytes) -> bool:
    """Return whether a line is longer than any that is read."""
    return len(line) > LONGEST_LINE


def too_long() -> str:
    """Return what is wrong with a line that is longer than any that is read."""
    return f"is longer than {LONGEST_LINE >> 20} MiB: that is none of ours"


def read_value(path: Path) -> Any:
    """The JSON value that a file holds; raises OSError, and GameError for what is none or too long."""
    with path.open("rb") as file:
        text = file.read(LONGEST_LINE + 1)
    if len(text) > LONGEST_LINE:
        raise GameError(f"{path} is longer than {LONGEST_LINE >> 20} MiB: that is none of ours")
    return parse_line(text)


def parse_line(line: bytes) -> Any:
    """The JSON value of a line; raises GameError for what is none."""
    if is_too_long(line):
        raise GameError(f"the line {too_long()}")
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


def _reject(constant: str) -> NoReturn:
    raise GameError(f"not JSON: {constant} is no number")


class _Unpacked(io.RawIOBase):
    """A gzip file, member by member. All that a cut one holds comes out before its end is found missing: EOFError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._packed = file, b""
        self._member, self._begun = zlib.decompressobj(_GZIP), False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._more(len(view))
        view[: len(data)] = data
        return len(data)

    def _more(self, most: int) -> bytes:
        while True:
            data = self._member.decompress(self._packed, most)
            self._packed = self._member.unconsumed_tail
            if self._member.eof:  # zeros may follow the last member
                self._packed = self._member.unused_data.lstrip(b"\0")
                self._member, self._begun = zlib.decompressobj(_GZIP), bool(self._packed)
            if data:
                return data
            if not self._packed and not self._refill():
                return b""

    def _refill(self) -> bool:
        self._packed = self._file.read(_PIECE)
        if self._begun and not self._packed:
            raise EOFError("it is cut off")
        self._begun = self._begun or bool(self._packed)
        return self._begun
