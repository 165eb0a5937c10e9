"""Share work on arrays among threads, for kernels that release the interpreter's lock.

``ABL_CARDS_THREADS`` sets their number; the default is the processors that this process may use. Results do not depend
on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")

MIN_ITEMS_PER_THREAD = 256
"""Smallest number of items for which waking another thread pays."""
MIN_LIGHT_ITEMS_PER_THREAD = 1024
"""Smallest number of items of some ten nanoseconds each for which waking another thread pays."""


def _num_threads() -> int:
    """Return the number of threads from the environment, else that of the processors of this process."""
    setting = os.environ.get("ABL_CARDS_THREADS", "")
    if setting.isdigit() and int(setting) > 0:
        return int(setting)
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


NUM_THREADS = _num_threads()

_MAX_SPINS = "1000"  # some tens of microseconds: longer than the pause between two layers of a network


def limit_thread_spinning() -> None:
    """Let idle threads of torch sleep soon, if the environment does not say how they wait; call it before torch loads.

    By default, libgomp's threads spin for milliseconds after each operation. On processors that other programs use,
    they take the time of the threads that work.
    """
    if not os.environ.keys() & {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}:
        os.environ["GOMP_SPINCOUNT"] = _MAX_SPINS


_SINGLE_THREADED = ContextVar("alone", default=False)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Run all work of the block in the calling thread, as where other processes use the other processors."""
    before = _SINGLE_THREADED.set(True)
    try:
        yield
    finally:
        _SINGLE_THREADED.reset(before)


class _Job(NamedTuple):
    """A share of the work, and the queue for its result."""

    work: Callable[[int, int], Any]
    lo: int
    hi: int
    share: int
    results: SimpleQueue[tuple[int, Any, BaseException | None]]


@cache
def _job_queue() -> SimpleQueue[_Job]:
    """Return the queue of the other threads; a pool of futures would cost twice as much for each share."""
    jobs: SimpleQueue[_Job] = SimpleQueue()
    for index in range(max(1, NUM_THREADS - 1)):
        Thread(target=_run_jobs, args=(jobs,), name=f"abl-cards-share-{index}", daemon=True).start()
    return jobs


if hasattr(os, "register_at_fork"):  # a forked child has none of the threads, and would wait for them forever
    os.register_at_fork(after_in_child=_job_queue.cache_clear)


def _run_jobs(jobs: SimpleQueue[_Job]) -> None:
    _SINGLE_THREADED.set(True)  # of this thread: what a job shares runs in it alone
    while True:
        _run_job(jobs.get())


def _run_job(job: _Job) -> None:
    """Run a job in a frame of its own, so that its objects are freed before the next job arrives."""
    try:
        job.results.put((job.share, job.work(job.lo, job.hi), None))
    except BaseException as problem:  # raised again by the thread that shares the work
        job.results.put((job.share, None, problem))


def map_ranges(
    n: int, work: Callable[[int, int], _T], threads: int = NUM_THREADS, min_size: int = MIN_ITEMS_PER_THREAD
) -> list[_T]:
    """Call ``work(lo, hi)`` on ranges that together make 0..n-1, in several threads.

    The calling thread does the first share. Nested calls run in one thread, since threads would wait for each other.

    Args:
        n: Number of items.
        work: Function of the first item and the one behind the last.
        threads: Most threads to use.
        min_size: Fewest items of a share, where there are several.

    Returns:
        The results in the order of the ranges.
    """
    shares = min(threads, n // min_size)
    if shares <= 1 or _SINGLE_THREADED.get():
        return [work(0, n)]
    bounds = [n * share // shares for share in range(shares + 1)]
    results: SimpleQueue[tuple[int, _T, BaseException | None]] = SimpleQueue()
    jobs = _job_queue()
    for share in range(1, shares):
        jobs.put(_Job(work, bounds[share], bounds[share + 1], share, results))
    before = _SINGLE_THREADED.set(True)
    try:
        own_result = work(0, bounds[1])
    finally:  # wait also after an error: the other threads may write to arrays that the caller then frees
        _SINGLE_THREADED.reset(before)
        others = [results.get() for _ in range(1, shares)]
    others.sort(key=itemgetter(0))
    for _, _, problem in others:
        if problem is not None:
            raise problem
    return [own_result, *(result for _, result, _ in others)]
