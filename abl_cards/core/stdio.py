"""Output that arrives whole, however Python was started."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _FlushingWriter(io.BufferedWriter):
    """Keeps nothing back, but goes on until everything is written."""

    def write(self, data: ReadableBuffer, /) -> int:
        written = super().write(data)
        self.flush()
        return written


def ensure_complete_writes() -> None:
    """Lose nothing of what is written to stdout and stderr.

    Told to do without buffers (``python -u``, PYTHONUNBUFFERED), Python makes one call of the system for each write.
    A pipe then takes only what it has room for when this process is stopped and goes on (Ctrl-Z and ``fg``, a
    debugger), and the rest is gone without a word.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.FileIO):
            encoding, errors = stream.encoding, stream.errors
            whole = io.TextIOWrapper(_FlushingWriter(stream.detach()), encoding, errors, write_through=True)
            setattr(sys, name, whole)
            setattr(sys, f"__{name}__", whole)


def open_standard_streams() -> None:
    """Open /dev/null in the place of a closed stdin, stdout or stderr.

    Otherwise the next file that is opened would become the process's output, for libraries and child processes too.
    Writing to a stdout that was closed fails with EBADF, so that results are not lost in silence.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            descriptor = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
        if getattr(sys, name) is None:
            stream = os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
