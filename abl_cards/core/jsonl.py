"""Read files of JSON lines, plain or gzipped, in pieces of bounded size, whatever the length of lines and files."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, cast

from abl_cards.core.arguments import check_path
from abl_cards.core.errors import ErrorCode, GameError

MAX_LINE_BYTES = 16 << 20
"""Bytes of the longest line that is read; a file without line ends must not fill the memory."""
MAX_SKIPPED_BYTES = 1 << 30
"""Bytes up to which the end of a line that is too long is looked for."""
CHUNK_BYTES = 1 << 19
"""Bytes read at once: some thousands of states."""

_GZIP_MAGIC = b"\x1f\x8b"
_WORD_BEGIN = re.compile(r"[A-Za-z0-9+.\\-]{0,6}")
"""The begin of a word, a number or an escape, where the parser stops if the text ends there."""

NumberedLine = tuple[int, bytes]
"""Number of a line, from 1, and its bytes."""


@contextmanager
def open_maybe_gzip(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a binary file for reading, and decompress it where it begins as gzip files do or its name ends in ``.gz``.

    Args:
        path: The file.

    Raises:
        OSError: The file cannot be opened.
        GameError: The gzip file is damaged or cut off, or the path is an empty text.
    """
    if not str(path):
        raise GameError("an empty text is no path", ErrorCode.FILE_NOT_READABLE)
    path = check_path("path", path)
    try:
        with path.open("rb") as file:
            is_gzip = path.suffix == ".gz" or file.peek(2).startswith(_GZIP_MAGIC)
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file) if is_gzip else file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise GameError(f"{path}: damaged gzip file ({problem})", ErrorCode.FILE_NOT_READABLE) from None


def read_line_batches(stream: IO[bytes], file: str = "", truncate: bool = False) -> Iterator[list[NumberedLine]]:
    """Yield the lines of a stream in batches, as soon as they arrive, so that a single request is answered at once.

    Args:
        stream: Binary stream with ``read1``.
        file: Prefix of error messages, such as ``"games.jsonl: "``.
        truncate: Whether to cut lines that are too long, in place of an error. Beyond 1 GiB, they are an error still.

    Yields:
        Lines with their numbers, without line ends. The very last one follows the last line end and may be empty.

    Raises:
        GameError: A line is too long.
    """
    line_number, pieces, size = 1, list[bytes](), 0  # the pieces and bytes of the line that has no end yet
    while chunk := stream.read1(CHUNK_BYTES):  # type: ignore[attr-defined]
        first, *others = chunk.split(b"\n")
        if size <= MAX_LINE_BYTES:
            pieces.append(first)
        size += len(first)
        if others:
            lines = [b"".join(pieces), *others[:-1]]
            yield list(enumerate(lines, line_number))
            line_number, pieces, size = line_number + len(lines), others[-1:], len(others[-1])
        if size > (MAX_SKIPPED_BYTES if truncate else MAX_LINE_BYTES):
            raise GameError(f"{file}line {line_number} {line_too_long_message()}", ErrorCode.TOO_LARGE)
    yield [(line_number, b"".join(pieces))]


def is_line_too_long(line: bytes) -> bool:
    """Return whether a line is longer than `MAX_LINE_BYTES`."""
    return len(line) > MAX_LINE_BYTES


def line_too_long_message() -> str:
    """Return the end of a message about a line that is too long; the caller names the line."""
    return f"is longer than {MAX_LINE_BYTES >> 20} MiB: no such file is written by abl-cards"


def read_json_file(path: str | Path) -> Any:
    """Read a file that holds one JSON value.

    Args:
        path: The file, in UTF-8.

    Raises:
        OSError: The file cannot be opened.
        GameError: The file is too long, or not JSON.
    """
    path = check_path("path", path)
    with path.open("rb") as file:
        text = file.read(MAX_LINE_BYTES + 1)
    if len(text) > MAX_LINE_BYTES:
        raise GameError(f"{path} {line_too_long_message()}", ErrorCode.TOO_LARGE)
    return _parse_bytes(
        text, f"{path}: ", lambda problem: f"{path}:{problem.lineno}: not JSON: {problem.msg} (column {problem.colno})"
    )


def parse_json_line(line: bytes) -> Any:
    """Parse a line of JSON.

    Args:
        line: The line in UTF-8, with or without a byte order mark.

    Raises:
        GameError: The line is too long, or not JSON. NaN, infinities and numbers beyond floats are refused.
    """
    if is_line_too_long(line):
        raise GameError(f"the line {line_too_long_message()}", ErrorCode.TOO_LARGE)

    def describe(problem: json.JSONDecodeError) -> str:
        if b"\0" in line:
            return "holds zero bytes: write it in UTF-8"
        if b"\r" in line.strip():
            return "lines end in CR alone: convert the line ends to LF"
        return f"not JSON: {problem.msg} (column {problem.colno})"

    return _parse_bytes(line, "", describe)


def _parse_bytes(data: bytes, begin: str, describe: Callable[[json.JSONDecodeError], str]) -> Any:
    """Parse JSON in UTF-8; raises GameError with the begin of messages, or with the description of a syntax error."""
    try:
        return parse_json(data.removeprefix(b"\xef\xbb\xbf").decode())
    except UnicodeDecodeError as problem:
        message = f"{begin}not UTF-8 text (byte {problem.start + 1}): write it in UTF-8"
    except json.JSONDecodeError as problem:
        message = describe(problem)
    except ValueError as problem:
        message = f"{begin}not JSON: {problem}"
    raise GameError(message, ErrorCode.INVALID_JSON)


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; unlike `json.loads`, refuse numbers that other programs cannot read back, and fields named twice.

    Args:
        text: The text.

    Raises:
        ValueError: The text is not JSON, is nested too deeply, or has NaN, an infinity, a number beyond floats or one
            of thousands of digits, or an object has two fields of one name.
    """
    try:
        return json.loads(
            text, parse_constant=_reject_constant, parse_float=_parse_float, object_pairs_hook=_make_object
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as problem:
        if str(problem).startswith("Exceeds the limit"):  # of digits, which Python says how to raise
            raise ValueError("a number of thousands of digits is too large") from None
        raise


def is_truncated_json(line: bytes) -> bool:
    """Return whether a line is not JSON because it ends too early: more text at its end could make it JSON.

    Args:
        line: The line, without its line end.
    """
    try:
        text = line.removeprefix(b"\xef\xbb\xbf").decode()
        json.loads(text)
    except UnicodeDecodeError as problem:
        return problem.reason == "unexpected end of data"
    except json.JSONDecodeError as problem:
        is_open_string = problem.msg.startswith("Unterminated string")
        return is_open_string or _WORD_BEGIN.fullmatch(text[problem.pos :].rstrip()) is not None
    except (ValueError, RecursionError):  # a number of thousands of digits; nested too deeply
        return False
    return False


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _make_object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its fields; two of one name are refused, as one of them would be ignored."""
    values = dict(fields)
    if len(values) < len(fields):
        names = [name for name, _ in fields]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two fields {twice!r:.60} in one object")
    return values


def _parse_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is too large a number")
    return number
