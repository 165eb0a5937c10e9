"""Shared compilation of Numba's kernels: one test process compiles a kernel, and the others load it from the cache.

Without it the workers of pytest-xdist would all compile the same kernels at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import gettempdir
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def share_compilations() -> None:
    """Make processes wait for a kernel that another process is compiling."""
    try:
        import fcntl
    except ImportError:  # not on this platform: each compiles for itself
        return
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    folder = Path(gettempdir()) / f"numba-locks-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    held: set[str] = set()
    alone = Dispatcher.compile

    @contextmanager
    def turn(name: str) -> Iterator[None]:
        """Hold the lock of a kernel; kernels lock those that they call, never their callers."""
        if name in held:  # it calls itself
            yield
            return
        held.add(name)
        try:
            with (folder / name).open("a") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield
        finally:
            held.discard(name)

    @wraps(alone)
    def compile_once(self: Any, signature: Any) -> Any:
        function = self.py_func
        if not str(function.__code__.co_filename).startswith(str(ROOT)):
            return alone(self, signature)
        with global_compiler_lock, turn(f"{function.__module__}.{function.__qualname__}"[-200:]):
            return alone(self, signature)

    Dispatcher.compile = compile_once  # type: ignore[method-assign, assignment]
