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

from abl_cards.core.errors import GameError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_LINE_BYTES = 16 << 20
"""Bytes; a file without line ends must not fill the memory."""
MAX_SKIPPED_BYTES = 1 << 30
"""Bytes of a line that is too long, up to which its end is looked for."""
CHUNK_BYTES = 1 << 19
"""Bytes: some thousands of states."""
_GZIP_WBITS = 16 + zlib.MAX_WBITS
_COMPRESSED_CHUNK_BYTES = 1 << 16

NumberedLine = tuple[int, bytes]
"""A line and its number, from 1."""


@contextmanager
def open_maybe_gzip(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked when its name ends in .gz; GameError where it cannot be unpacked."""
    try:
        with path.open("rb") as file:
            yield cast(IO[bytes], io.BufferedReader(_GzipReader(file)) if path.suffix == ".gz" else file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise GameError(f"{path}: damaged gzip file ({problem})") from None


def read_line_batches(stream: IO[bytes], file: str = "", truncate: bool = False) -> Iterator[list[NumberedLine]]:
    """The lines that are there, as soon as they are there: whoever asks one thing at a time is answered at once.

    The last line of all is what follows the last line end, and may be empty. A line that is too long is cut, or ends
    the reading by GameError: at once, or where it is longer than anything that would be read to its end.
    """
    number, begun, size = 1, list[bytes](), 0  # the line that has no end yet, in pieces
    while chunk := stream.read1(CHUNK_BYTES):  # type: ignore[attr-defined]
        first, *others = chunk.split(b"\n")
        if size <= MAX_LINE_BYTES:
            begun.append(first)
        size += len(first)
        if others:
            lines = [b"".join(begun), *others[:-1]]
            yield list(enumerate(lines, number))
            number, begun, size = number + len(lines), others[-1:], len(others[-1])
        if size > (MAX_SKIPPED_BYTES if truncate else MAX_LINE_BYTES):
            raise GameError(f"{file}line {number} {line_too_long_message()}")
    yield [(number, b"".join(begun))]


def is_line_too_long(line: bytes) -> bool:
    """Return whether a line is longer than any that is read."""
    return len(line) > MAX_LINE_BYTES


def line_too_long_message() -> str:
    """Return what is wrong with a line that is longer than any that is read."""
    return f"is longer than {MAX_LINE_BYTES >> 20} MiB: that is none of ours"


def read_json_file(path: Path) -> Any:
    """The JSON value that a file holds; raises OSError, and GameError for what is none or too long."""
    with path.open("rb") as file:
        text = file.read(MAX_LINE_BYTES + 1)
    if len(text) > MAX_LINE_BYTES:
        raise GameError(f"{path} is longer than {MAX_LINE_BYTES >> 20} MiB: that is none of ours")
    return parse_json_line(text)


def parse_json_line(line: bytes) -> Any:
    """The JSON value of a line; raises GameError for what is none."""
    if is_line_too_long(line):
        raise GameError(f"the line {line_too_long_message()}")
    try:
        return json.loads(line.removeprefix(b"\xef\xbb\xbf").decode(), parse_constant=_reject_constant)
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


def _reject_constant(constant: str) -> NoReturn:
    raise GameError(f"not JSON: {constant} is no number")


class _GzipReader(io.RawIOBase):
    """A gzip file, member by member. All that a cut one holds comes out before its end is found missing: EOFError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._compressed = file, b""
        self._decompressor, self._in_member = zlib.decompressobj(_GZIP_WBITS), False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._decompress(len(view))
        view[: len(data)] = data
        return len(data)

    def _decompress(self, max_bytes: int) -> bytes:
        while True:
            data = self._decompressor.decompress(self._compressed, max_bytes)
            self._compressed = self._decompressor.unconsumed_tail
            if self._decompressor.eof:  # zeros may follow the last member
                self._compressed = self._decompressor.unused_data.lstrip(b"\0")
                self._decompressor, self._in_member = zlib.decompressobj(_GZIP_WBITS), bool(self._compressed)
            if data:
                return data
            if not self._compressed and not self._refill():
                return b""

    def _refill(self) -> bool:
        self._compressed = self._file.read(_COMPRESSED_CHUNK_BYTES)
        if self._in_member and not self._compressed:
            raise EOFError("it is cut off")
        self._in_member = self._in_member or bool(self._compressed)
        return self._in_member
