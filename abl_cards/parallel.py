"""Sharing work on arrays between threads; for kernels that release the interpreter's lock.

``ABL_CARDS_THREADS`` sets how many (default: the processors this process may use). Results never depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from threading import current_thread
from typing import TypeVar

_T = TypeVar("_T")

WORTH_A_THREAD = 256
"""Fewer items than this are not worth waking another thread for."""
LIGHT = 4096
"""The same of items that take some ten nanoseconds each, as where cards are laid on tables."""


_NAME = "abl-cards-share"


def _threads() -> int:
    asked = os.environ.get("ABL_CARDS_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


THREADS = _threads()

_ALONE = ContextVar("alone", default=False)


@contextmanager
def alone() -> Iterator[None]:
    """Meanwhile work is not shared: other processes have the other processors."""
    before = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(before)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, THREADS - 1), thread_name_prefix=_NAME)


def each_share(n: int, work: Callable[[int, int], _T], threads: int = THREADS, least: int = WORTH_A_THREAD) -> list[_T]:
    """Call ``work(lo, hi)`` on ranges that together make 0..n-1, and give back the results in order.

    No share is smaller than ``least`` while there are several. The calling thread does the first one: to wake another
    and wait for it costs as much as some microseconds of work. Work that shares work in its turn does it alone: its
    threads would wait for each other.
    """
    unshared = _ALONE.get() or current_thread().name.startswith(_NAME)
    shares = 1 if unshared else max(1, min(threads, n // least))
    bounds = [n * share // shares for share in range(shares + 1)]
    if shares == 1:
        return [work(0, n)]
    others = [_pool().submit(work, *each) for each in pairwise(bounds[1:])]
    try:
        with alone():
            mine = work(0, bounds[1])
    finally:
        for other in others:
            other.exception()  # waits: they may write into what the caller gives up where it fails
    return [mine, *(other.result() for other in others)]
