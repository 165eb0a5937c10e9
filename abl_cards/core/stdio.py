"""Make standard streams complete, however Python was started, and escape text that would control a terminal."""

from __future__ import annotations

import io
import os
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDOUT_NAME = "stdout"
"""File name of errors that writing to stdout raises, after `name_stdout_errors`."""

_BLANKS = "\xa0\u3000"  # not printable by Python's definition


class _NamedStdout(io.FileIO):
    """Name stdout in errors, which would otherwise look like those of any other file."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, STDOUT_NAME) from None


class _FlushingWriter(io.BufferedWriter):
    """Write and flush until every byte is written."""

    def write(self, data: ReadableBuffer, /) -> int:
        written = super().write(data)
        self.flush()
        return written


def name_stdout_errors() -> None:
    """Replace stdout by a stream whose errors have `STDOUT_NAME` as file name; after `ensure_complete_writes`."""
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(stream.buffer, io.BufferedWriter):
        return
    if isinstance(stream.buffer.raw, io.FileIO):
        stream.flush()
        writer = io.TextIOWrapper(
            type(stream.buffer)(_NamedStdout(stream.fileno(), "w", closefd=False)),
            stream.encoding,
            stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        _replace_stream("stdout", writer)


def ensure_complete_writes() -> None:
    """Replace unbuffered stdout and stderr by streams that write every byte.

    Without buffers (``python -u``, PYTHONUNBUFFERED), Python makes one system call for each write. Where the process is
    stopped and continued (Ctrl-Z and ``fg``, a debugger), a pipe may take a part of it, and the rest would be lost.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.FileIO):
            encoding, errors = stream.encoding, stream.errors
            writer = io.TextIOWrapper(_FlushingWriter(stream.detach()), encoding, errors, write_through=True)
            _replace_stream(name, writer)


def open_standard_streams() -> None:
    """Open the null device for each of stdin, stdout and stderr that is closed.

    Otherwise the next file that is opened would become the output of this process and of its children. A closed stdout
    is opened for reading, so that writing to it fails with EBADF and no result is lost in silence.
    """
    for standard, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(standard)
        except OSError:
            descriptor = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if descriptor != standard:
                os.dup2(descriptor, standard)
                os.close(descriptor)
        if getattr(sys, name) is None:
            stream = os.fdopen(standard, "r" if standard == 0 else "w", encoding="utf-8", closefd=False)
            _replace_stream(name, stream)


def _replace_stream(name: str, stream: IO[str]) -> None:
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def escape_controls(text: str, one_line: bool = False) -> str:
    r"""Escape the control characters of a text, such as a message of another program, which would act on the terminal.

    Args:
        text: Text of any origin.
        one_line: Also escape line ends and tabs, as in a name.

    >>> print(escape_controls("\x1b[2Jgone"))
    \x1b[2Jgone
    """
    kept = _BLANKS if one_line else f"{_BLANKS}\n\t"
    return "".join(
        character if character.isprintable() or character in kept else character.encode("unicode_escape").decode()
        for character in text
    )
