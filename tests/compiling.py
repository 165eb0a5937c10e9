"""Shared compilation: one test process compiles a kernel or a test module, and the others load it from the cache.

Without it the workers of pytest-xdist would all compile the same kernels, and rewrite the assertions of the same
modules, at the same time.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import source_hash
from pathlib import Path
from tempfile import gettempdir
from types import CodeType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
_held = set[str]()


def keep_bytecode() -> None:
    """Let this process and its children store the bytecode of modules; numba stores kernels in the same folders.

    Otherwise each of some hundred child processes would compile all modules that it imports.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def share_compilations() -> None:
    """Make processes wait for a kernel or a module that another process is compiling."""
    try:
        import fcntl  # noqa: F401
    except ImportError:  # not on this platform: each compiles for itself
        return
    _share_kernels()
    _share_modules()


def _share_kernels() -> None:
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    alone = Dispatcher.compile

    @wraps(alone)
    def compile_once(self: Any, signature: Any) -> Any:
        function = self.py_func
        if not str(function.__code__.co_filename).startswith(str(ROOT)):
            return alone(self, signature)
        with global_compiler_lock, _turn(f"{function.__module__}.{function.__qualname__}"[-200:]):
            return alone(self, signature)

    Dispatcher.compile = compile_once  # type: ignore[method-assign, assignment]


def _share_modules() -> None:
    from _pytest.assertion import rewrite

    alone = rewrite._rewrite_test

    def rewrite_once(fn: Path, config: pytest.Config) -> tuple[bytes, CodeType]:
        cached = rewrite.get_cache_dir(fn) / (fn.name[:-3] + rewrite.PYC_TAIL)
        with _turn(hashlib.sha256(str(fn).encode()).hexdigest()):
            code = rewrite._read_pyc(fn, cached)
            if code is not None:
                return source_hash(fn.read_bytes()), code
            digest, code = alone(fn, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, digest, cached)
            return digest, code

    rewrite._rewrite_test = rewrite_once


@contextmanager
def _turn(name: str) -> Iterator[None]:
    """Hold the lock of a kernel or module; kernels lock those that they call, never their callers."""
    import fcntl

    if name in _held:  # it calls itself
        yield
        return
    folder = Path(gettempdir()) / f"numba-locks-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    _held.add(name)
    try:
        with (folder / name).open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
    finally:
        _held.discard(name)
