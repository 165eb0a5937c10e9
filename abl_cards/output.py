"""Output that arrives whole, however Python was started."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _AtOnce(io.BufferedWriter):
    """Keeps nothing back, but goes on until everything is written."""

    def write(self, data: ReadableBuffer, /) -> int:
        written = super().write(data)
        self.flush()
        return written


def write_in_full() -> None:
    """Lose nothing of what is written to stdout and stderr.

    Told to do without buffers (``python -u``, PYTHONUNBUFFERED), Python makes one call of the system for each write.
    A pipe then takes only what it has room for when this process is stopped and goes on (Ctrl-Z and ``fg``, a
    debugger), and the rest is gone without a word.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.FileIO):
            encoding, errors = stream.encoding, stream.errors
            whole = io.TextIOWrapper(_AtOnce(stream.detach()), encoding, errors, write_through=True)
            setattr(sys, name, whole)
            setattr(sys, f"__{name}__", whole)
