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

_CHECK_INTERVAL = 256  # looking at the clock costs more than most of what happens between two ticks


class CpuBudgetExceeded(Exception):
    """The allowance is used up."""


@dataclass
class CpuBudget:
    """So many seconds in all, and those that are left."""

    seconds: float
    remaining: float = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = self.seconds

    @contextmanager
    def charge(self) -> Iterator[None]:
        """What this thread does in here, and its child processes, is paid for.

        In the end `check_budget` raises CpuBudgetExceeded.
        """
        before = time.thread_time() + _children_cpu_time()
        token = _deadline.set(time.thread_time() + self.remaining)
        try:
            yield
        finally:
            _deadline.reset(token)
            self.remaining -= time.thread_time() + _children_cpu_time() - before


@dataclass
class _SharedBudget:
    budget: CpuBudget | None = None


_deadline: ContextVar[float | None] = ContextVar("_deadline", default=None)  # of time.thread_time
_shared_budget: ContextVar[_SharedBudget | None] = ContextVar("_shared_budget", default=None)
_ticks = count(1)


@contextmanager
def shared_budget() -> Iterator[None]:
    """All that is loaded in here is paid from one budget, whose size the first one to need it decides."""
    token = _shared_budget.set(_SharedBudget())
    try:
        yield
    finally:
        _shared_budget.reset(token)


def get_budget(seconds: float) -> CpuBudget:
    """The budget that is shared here, or one of so many seconds."""
    here = _shared_budget.get()
    if here is None:
        return CpuBudget(seconds)
    here.budget = here.budget or CpuBudget(seconds)
    return here.budget


def check_budget() -> None:
    """One step of work that may be long; raises CpuBudgetExceeded when it is paid for and the budget is used up."""
    if next(_ticks) % _CHECK_INTERVAL == 0:
        deadline = _deadline.get()
        if deadline is not None and time.thread_time() > deadline:
            raise CpuBudgetExceeded


def _children_cpu_time() -> float:
    """Processor time of child processes that have ended (none is known on Windows)."""
    times = os.times()
    return times.children_user + times.children_system
