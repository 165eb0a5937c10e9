"""Limit the processor time of work on untrusted rules: one budget for everything that a command does.

Processor time, not wall time, so that sound rules pass on a busy machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

_CHECK_INTERVAL = 256  # calls; reading the clock costs more than most of the work between two calls


class CpuBudgetExceeded(Exception):
    """The processor time is used up."""


@dataclass
class CpuBudget:
    """Seconds of processor time, and the part that is left.

    Attributes:
        seconds: The limit.
        remaining: Seconds that are left; below 0 where the last work took longer.
    """

    seconds: float
    remaining: float = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = self.seconds

    @contextmanager
    def charge(self) -> Iterator[None]:
        """Subtract the processor time of the block, and of child processes that end in it.

        In the block, `check_budget` raises CpuBudgetExceeded once nothing is left.
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
    """Share one budget among all work in the block; the first call of `get_budget` sets its size."""
    token = _shared_budget.set(_SharedBudget())
    try:
        yield
    finally:
        _shared_budget.reset(token)


def get_budget(seconds: float) -> CpuBudget:
    """Return the shared budget, or a new one outside of `shared_budget`.

    Args:
        seconds: Limit of a new budget.
    """
    shared = _shared_budget.get()
    if shared is None:
        return CpuBudget(seconds)
    shared.budget = shared.budget or CpuBudget(seconds)
    return shared.budget


def check_budget() -> None:
    """Check the budget in one step of long work; cheap enough for inner loops.

    Raises:
        CpuBudgetExceeded: A budget is charged here, and it is used up.
    """
    if next(_ticks) % _CHECK_INTERVAL == 0:
        deadline = _deadline.get()
        if deadline is not None and time.thread_time() > deadline:
            raise CpuBudgetExceeded


def _children_cpu_time() -> float:
    """Return the processor time of child processes that have ended; always 0 on Windows."""
    times = os.times()
    return times.children_user + times.children_system
