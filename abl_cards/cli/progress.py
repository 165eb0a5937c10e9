"""Progress of long commands on stderr: a bar or a spinner on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import ceil
from typing import Any, Protocol

import typer

LINE_SECONDS = 10.0
"""Seconds between two lines where stderr is no terminal, such as a file or the log of a job."""

LEAST_SHARE = 0.25
"""Share of items that began together which must have ended before a remaining time is stated."""

COMPILING = "compiling, once on this machine"
"""Remark while numba compiles a kernel: the first run of a kind takes a minute or more."""


class ShowProgress(Protocol):
    """Updates a progress bar."""

    def __call__(self, done: int, remark: str, total: int | None = ...) -> None:
        """Show the number of finished items, a remark beside it, and a new total."""


class ProgressLines:
    """Progress as lines of text, one about every `LINE_SECONDS` even while nothing is reported; none for short work.

    A thread prints the lines, since a part of the work may take minutes: compiled kernels on a first run, for example.
    """

    def __init__(self, text: str, total: int | None = None, side_by_side: int = 1, done: int = 0) -> None:
        self._text, self._total, self._side_by_side = text, total, side_by_side
        self._state = text if total is None else f"{text}: {done:,} of {total:,}"
        self._remark, self._done, self._is_compiling = "", done, False
        self._begin = self._last = time.monotonic()
        self._start = self._begin, done  # since when the pace counts, and what had been done then
        self._first_end: tuple[float, int] | None = None  # time of the first finished items, and their number
        self._lock, self._is_over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._print_lines, name="progress", daemon=True)
        self._compilations = ExitStack()

    def __enter__(self) -> ProgressLines:
        self._compilations.enter_context(watch_compilations(self._set_compiling))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._compilations.close()
        self._is_over.set()
        self._thread.join()

    def _set_compiling(self, is_compiling: bool) -> None:
        self._is_compiling = is_compiling

    def show(self, done: int, remark: str, total: int | None = None) -> None:
        """Print the number of finished items, a remark and the elapsed time if a line is due."""
        if done < self._done or total not in (None, self._total):  # other items, whose pace is their own
            self._start, self._first_end = (time.monotonic(), done), None
        self._total = self._total if total is None else total
        count = f"{done:,}" if self._total is None else f"{done:,} of {self._total:,}"
        self._done = done
        if done > self._start[1] and self._first_end is None:
            self._first_end = time.monotonic(), done
        self._set(f"{self._text}: {count}", remark)

    def show_text(self, text: str) -> None:
        """Print what is being done and the elapsed time if a line is due."""
        self._set(text, "")

    def _set(self, state: str, remark: str) -> None:
        self._state, self._remark = state, remark
        self._print_if_due()

    def _print_lines(self) -> None:
        while not self._is_over.wait(min(LINE_SECONDS, threading.TIMEOUT_MAX)):
            self._print_if_due()

    def _print_if_due(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._last < LINE_SECONDS:
                return
            self._last = now
            remark = COMPILING if self._is_compiling else self._remark
            parts = self._state, remark, duration_text(now - self._begin), self._remaining_text(now)
            typer.echo(", ".join(filter(None, parts)), err=True)

    def _remaining_text(self, now: float) -> str:
        if not self._total or not 0 < self._done < self._total:
            return ""
        (begin, ended_before), least = self._start, self._side_by_side
        if 1 < self._total <= self._side_by_side:  # all began together and end about together: their spread counts
            begin, ended_before = self._first_end or self._start
            least = ceil(self._total * LEAST_SHARE)
        if self._done < least or self._done == ended_before:
            return ""
        seconds = (now - begin) * (self._total - self._done) / (self._done - ended_before)
        return f"about {duration_text(seconds)} left"


@contextmanager
def watch_compilations(on_change: Callable[[bool], None]) -> Iterator[None]:
    """Call a function as numba begins (True) to compile kernels in this process, and as it ends (False).

    Nothing is watched where numba is not loaded yet. Kernels that are loaded from its cache do not count.
    """
    if "numba" not in sys.modules:
        yield
        return
    from numba.core import event

    depth = 0  # a kernel compiles those that it calls

    class CompilationListener(event.Listener):
        def on_start(self, compilation: Any) -> None:
            nonlocal depth
            depth += 1
            if depth == 1:
                on_change(True)

        def on_end(self, compilation: Any) -> None:
            nonlocal depth
            depth -= 1
            if depth == 0:
                on_change(False)

    with event.install_listener("numba:compile", CompilationListener()):
        yield


def duration_text(seconds: float) -> str:
    """Write a duration as minutes and seconds.

    >>> duration_text(75.2)
    '1:15'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


@contextmanager
def show_progress(text: str, total: int | None, side_by_side: int = 1, done: int = 0) -> Iterator[ShowProgress]:
    """Show progress on stderr; yields the function that updates it.

    Args:
        text: Name of the work.
        total: Number of items; None if it is unknown.
        side_by_side: Items that are worked on at once; no remaining time is stated before the first of them have ended.
        done: Items that had ended before, in a run that was interrupted; their number says nothing about the pace.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        with ProgressLines(text, total, side_by_side, done) as lines:
            yield lines.show
        return

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    remarks = TextColumn("{task.fields[remark]}")
    with Progress(*columns, remarks, console=console, transient=True) as bar:
        task = bar.add_task(text, total=total, completed=done, remark="")

        def show(done: int, remark: str, total: int | None = total) -> None:
            bar.update(task, completed=done, remark=remark, total=total)

        with watch_compilations(lambda begins: bar.update(task, remark=COMPILING if begins else "")):
            yield show


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done; yields the function that changes the text."""
    from rich.console import Console

    console = Console(stderr=True, markup=False)
    if not console.is_terminal:
        with ProgressLines(text) as lines:
            yield lines.show_text
        return
    with console.status(text) as status:
        yield status.update
