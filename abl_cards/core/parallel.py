"""Sharing work on arrays between threads; for kernels that release the interpreter's lock.

``ABL_CARDS_THREADS`` sets how many (default: the processors this process may use). Results never depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")

MIN_ITEMS_PER_THREAD = 256
"""Fewer items than this are not worth waking another thread for."""
MIN_LIGHT_ITEMS_PER_THREAD = 1024
"""The same of items that take some ten nanoseconds each, as where cards are laid on tables."""


_THREAD_PREFIX = "abl-cards-share"


def _num_threads() -> int:
    asked = os.environ.get("ABL_CARDS_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


NUM_THREADS = _num_threads()

_SINGLE_THREADED = ContextVar("alone", default=False)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Meanwhile work is not shared: other processes have the other processors."""
    before = _SINGLE_THREADED.set(True)
    try:
        yield
    finally:
        _SINGLE_THREADED.reset(before)


class _Job(NamedTuple):
    """A share of some work, and where to say what came of it."""

    work: Callable[[int, int], Any]
    lo: int
    hi: int
    share: int
    results: SimpleQueue[tuple[int, Any, BaseException | None]]


@cache
def _job_queue() -> SimpleQueue[_Job]:
    """What the other threads take their work from; a pool of futures would cost twice as much a share."""
    jobs: SimpleQueue[_Job] = SimpleQueue()
    for number in range(max(1, NUM_THREADS - 1)):
        Thread(target=_run_jobs, args=(jobs,), name=f"{_THREAD_PREFIX}-{number}", daemon=True).start()
    return jobs


if hasattr(os, "register_at_fork"):  # a child has none of the threads, and would wait for them without end
    os.register_at_fork(after_in_child=_job_queue.cache_clear)


def _run_jobs(jobs: SimpleQueue[_Job]) -> None:
    while True:
        _run_job(jobs.get())


def _run_job(job: _Job) -> None:
    """In a frame of its own, so that nothing of it is kept until there is more to do."""
    try:
        job.results.put((job.share, job.work(job.lo, job.hi), None))
    except BaseException as problem:  # whoever shares raises it
        job.results.put((job.share, None, problem))


def map_ranges(
    n: int, work: Callable[[int, int], _T], threads: int = NUM_THREADS, min_size: int = MIN_ITEMS_PER_THREAD
) -> list[_T]:
    """Call ``work(lo, hi)`` on ranges that together make 0..n-1, and give back the results in order.

    No share is smaller than ``min_size`` while there are several. The calling thread does the first one: to wake
    another and wait for it costs as much as some microseconds of work. Work that shares work in its turn does it
    alone: its threads would wait for each other.
    """
    unshared = _SINGLE_THREADED.get() or current_thread().name.startswith(_THREAD_PREFIX)
    shares = 1 if unshared else max(1, min(threads, n // min_size))
    if shares == 1:
        return [work(0, n)]
    bounds = [n * share // shares for share in range(shares + 1)]
    done: SimpleQueue[tuple[int, _T, BaseException | None]] = SimpleQueue()
    jobs = _job_queue()
    for share in range(1, shares):
        jobs.put(_Job(work, bounds[share], bounds[share + 1], share, done))
    before = _SINGLE_THREADED.set(True)
    try:
        mine = work(0, bounds[1])
    finally:  # waits: they may write into what the caller gives up where it fails
        _SINGLE_THREADED.reset(before)
        others = [done.get() for _ in range(1, shares)]
    others.sort(key=itemgetter(0))
    for _, _, problem in others:
        if problem is not None:
            raise problem
    return [mine, *(found for _, found, _ in others)]
