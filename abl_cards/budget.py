"""Processor time that work on rules of others may take: one allowance for everything that a command does.

Processor time and no clock on the wall, so that sound rules are not refused on a busy machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

_EVERY = 256  # looking at the clock costs more than most of what happens between two ticks


class OutOfTime(Exception):
    """The allowance is used up."""


@dataclass
class Budget:
    """So many seconds in all, and those that are left."""

    seconds: float
    left: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.seconds

    @contextmanager
    def paying(self) -> Iterator[None]:
        """What this thread does in here, and its child processes, is paid for; `tick` raises OutOfTime in the end."""
        before = time.thread_time() + _of_children()
        token = _deadline.set(time.thread_time() + self.left)
        try:
            yield
        finally:
            _deadline.reset(token)
            self.left -= time.thread_time() + _of_children() - before


@dataclass
class _Shared:
    budget: Budget | None = None


_deadline: ContextVar[float | None] = ContextVar("_deadline", default=None)  # of time.thread_time
_shared: ContextVar[_Shared | None] = ContextVar("_shared", default=None)
_ticks = count(1)


@contextmanager
def shared() -> Iterator[None]:
    """All that is loaded in here is paid from one budget, whose size the first one to need it decides."""
    token = _shared.set(_Shared())
    try:
        yield
    finally:
        _shared.reset(token)


def of(seconds: float) -> Budget:
    """The budget that is shared here, or one of so many seconds."""
    here = _shared.get()
    if here is None:
        return Budget(seconds)
    here.budget = here.budget or Budget(seconds)
    return here.budget


def tick() -> None:
    """One step of work that may be long; raises OutOfTime when it is paid for and the budget is used up."""
    if next(_ticks) % _EVERY == 0:
        deadline = _deadline.get()
        if deadline is not None and time.thread_time() > deadline:
            raise OutOfTime


def _of_children() -> float:
    """Processor time of child processes that have ended (none is known on Windows)."""
    times = os.times()
    return times.children_user + times.children_system
