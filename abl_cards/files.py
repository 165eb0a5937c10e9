"""Files that are never half there: written beside, then put in their place.

>>> write_text(Path("report.md"), "All is well.")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_native_id
from typing import IO

_PARTIAL = ".partial"


@contextmanager
def written_whole(file: Path, lasting: bool = True) -> Iterator[IO[bytes]]:
    """Whoever reads finds the old file or the new one, whatever happens; what lasts is on the disk when this is over.

    Raises OSError that names the file; then nothing of the new one is left.
    """
    file = file.resolve()  # where a link leads, so that it stays one
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}-{get_native_id()}{_PARTIAL}")
    try:
        with naming(file, beside):
            with beside.open("wb") as stream:
                yield stream
                stream.flush()
                if lasting:
                    os.fsync(stream.fileno())
            beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def naming(file: Path, *aliases: Path) -> Iterator[None]:
    """What the system says is wrong with nothing named, or with an alias, is said of this file."""
    try:
        yield
    except OSError as problem:
        if problem.filename in (None, *map(str, aliases)):
            text = f"cannot be written: {problem.strerror or problem}; what was there before is as it was"
            raise OSError(problem.errno, text, str(file)) from problem
        raise


def write_text(file: Path, text: str) -> None:
    """Write a text in UTF-8; see ``written_whole``."""
    with written_whole(file) as stream:
        stream.write(text.encode())


def sweep(folder: Path) -> None:
    """Remove what killed processes left half written, where nobody else writes."""
    for left in folder.glob(f".*{_PARTIAL}"):
        left.unlink(missing_ok=True)
