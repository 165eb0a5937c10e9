"""Looking for garbage less often: compiled rules are millions of objects that stay, and a look walks over all."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_pause_depth = 0
_was_enabled = False


def reduce_gc() -> None:
    """For processes that play, of their own: what has been imported stays, and looks at the rest are rare."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@contextmanager
def pause_gc() -> Iterator[None]:
    """Compiling makes hardly any garbage that reference counts do not find; may be nested, and used by threads."""
    global _pause_depth, _was_enabled
    with _lock:
        if not _pause_depth:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pause_depth += 1
    try:
        yield
    finally:
        with _lock:
            _pause_depth -= 1
            if not _pause_depth and _was_enabled:
                gc.enable()
