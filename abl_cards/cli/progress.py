"""Progress of long commands on stderr: a bar or a spinner on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import typer

LINE_SECONDS = 10.0
"""Seconds between two lines where stderr is no terminal, such as a file or the log of a job."""


class ShowProgress(Protocol):
    """Updates a progress bar."""

    def __call__(self, done: int, remark: str, total: int | None = ...) -> None:
        """Show the number of finished items, a remark beside it, and a new total."""


class ProgressLines:
    """Progress as lines of text: at most one in `LINE_SECONDS`, none for short work."""

    def __init__(self, text: str, total: int | None = None) -> None:
        self._text, self._total = text, total
        self._begin = self._last = time.monotonic()

    def show(self, done: int, remark: str, total: int | None = None) -> None:
        """Print the number of finished items, a remark and the elapsed time if a line is due."""
        self._total = self._total if total is None else total
        count = f"{done:,}" if self._total is None else f"{done:,} of {self._total:,}"
        self._print(f"{self._text}: {count}", remark)

    def show_text(self, text: str) -> None:
        """Print what is being done and the elapsed time if a line is due."""
        self._print(text, "")

    def _print(self, text: str, remark: str) -> None:
        now = time.monotonic()
        if now - self._last < LINE_SECONDS:
            return
        self._last = now
        minutes, seconds = divmod(round(now - self._begin), 60)
        typer.echo(", ".join(filter(None, (text, remark, f"{minutes}:{seconds:02}"))), err=True)


@contextmanager
def show_progress(text: str, total: int | None) -> Iterator[ShowProgress]:
    """Show progress on stderr; yields the function that updates it.

    Args:
        text: Name of the work.
        total: Number of items; None if it is unknown.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield ProgressLines(text, total).show
        return

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    remarks = TextColumn("{task.fields[remark]}")
    with Progress(*columns, remarks, console=console, transient=True) as bar:
        task = bar.add_task(text, total=total, remark="")

        def show(done: int, remark: str, total: int | None = total) -> None:
            bar.update(task, completed=done, remark=remark, total=total)

        yield show


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done; yields the function that changes the text."""
    from rich.console import Console

    console = Console(stderr=True, markup=False)
    if not console.is_terminal:
        yield ProgressLines(text).show_text
        return
    with console.status(text) as status:
        yield status.update
