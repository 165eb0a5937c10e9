"""Looking for garbage less often: compiled rules are millions of objects that stay, and a look walks over all."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_within = 0
_wanted = False


def seldom() -> None:
    """For processes that play, of their own: what has been imported stays, and looks at the rest are rare."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@contextmanager
def none_made() -> Iterator[None]:
    """Compiling makes hardly any garbage that reference counts do not find; may be nested, and used by threads."""
    global _within, _wanted
    with _lock:
        if not _within:
            _wanted = gc.isenabled()
            gc.disable()
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within and _wanted:
                gc.enable()
