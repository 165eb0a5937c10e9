"""Progress of the first start, in which kernels are compiled: number, share of the time, and remaining time.

Later starts load compiled kernels from a cache. This module imports nothing of the engine, so that the server can
report while the engine is loading.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
WEIGHTS_FILE = Path(__file__).parent / "kernel_weights.json"
"""Steps of first starts by game, in their order, with processor seconds: ``python -m tests.web.kernel_weights``."""
IMPORTS, RULES, TABLE = "(imports)", "(rules)", "(table)"
"""Steps before the first kernel, to import the engine and to ground the rules, and after the last one."""
_MIN_TIME = 2.0
"""Seconds before a remaining time is stated."""
_MAX_SHARE = 0.99
_PRIOR_TIME = 1.5
"""Seconds of work by which the machine is taken to be as fast as that of the weights."""
_MAX_RUNNING_SHARE = 0.9
"""Most of the next step that the running one can count."""
_SLACK = 4
"""Steps that may end before an earlier one; earlier steps beyond it are taken to be left out."""
_UNKNOWN_KERNEL_TIME = 1.0
"""Seconds by which a kernel that a plan does not have counts against it."""


class StartPlan:
    """Steps of the first start of a game in their order. A step is a kernel with all that is done before it."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Start with all steps pending.

        Args:
            weights: Seconds of each step on some machine, by module and name of its kernel.
        """
        self.pending, self._places = dict(weights), {name: place for place, name in enumerate(weights)}
        self.ended, self.left_out, self._unknown = 0.0, 0.0, 0

    @property
    def mismatch(self) -> float:
        """Seconds by which the steps so far differ from the plan."""
        return self.left_out + _UNKNOWN_KERNEL_TIME * self._unknown

    def end_step(self, name: str) -> bool:
        """Count a step as ended, and drop earlier ones that are left out; returns whether it was pending."""
        place = self._places.get(name)
        self._unknown += place is None
        if place is None or name not in self.pending:
            return False
        self.ended += self.pending.pop(name)
        for earlier in [step for step in self.pending if self._places[step] < place - _SLACK]:
            self.left_out += self.pending.pop(earlier)
        return True

    def remaining_work(self, running: float) -> float:
        """Return the seconds of the pending steps on the machine of the plan, with as many left out as so far.

        Args:
            running: Seconds since the last step has ended, on that machine.
        """
        kept = (self.ended + _PRIOR_TIME) / (self.ended + self.left_out + _PRIOR_TIME)
        following = max((self.pending[step] for step in list(self.pending)[:3]), default=0.0)
        return max(0.0, kept * sum(self.pending.values()) - min(running, _MAX_RUNNING_SHARE * following))


class StartProgress:
    """Counts compiled kernels, and estimates the remaining time by the steps that have ended.

    The speed of the machine follows from the ended steps. Of several plans the one applies that fits them best.
    """

    def __init__(self, plans: Mapping[str, Mapping[str, float]], clock: Callable[[], float] = time.monotonic) -> None:
        """Start without compiled kernels.

        Args:
            plans: Weights of the steps by game.
            clock: Time in seconds.
        """
        self._clock, self._lock, self._plans = clock, threading.Lock(), {game: StartPlan(plans[game]) for game in plans}
        self._start = self._last_end = clock()
        self._num_compiled, self._has_begun, self._is_ready, self._share = 0, False, False, 0.0
        self._is_expected = False

    def set_game(self, game: str) -> None:
        """Use the plan of a game, if there is one; otherwise that of the game which is most alike."""
        with self._lock:
            if game in self._plans:
                self._plans = {game: self._plans[game]}

    def expect_kernels(self) -> None:
        """Report a share before the first kernel, since there are no compiled ones."""
        self._is_expected = True

    def begin_kernel(self) -> None:
        """Record that a kernel is being compiled, possibly within another one."""
        with self._lock:
            if not self._has_begun:
                self._has_begun = True
                self._end_step(RULES)

    def end_kernel(self, name: str) -> None:
        """Record that a kernel has been compiled."""
        with self._lock:
            self._num_compiled += 1
            self._end_step(name)

    def end_imports(self) -> None:
        """Record that the engine has been imported."""
        with self._lock:
            self._end_step(IMPORTS)

    @property
    def is_ready(self) -> bool:
        """True if the first table is ready."""
        return self._is_ready

    def finish(self) -> None:
        """Record that the first table is ready."""
        self._is_ready = True

    def to_json(self) -> dict[str, Any]:
        """Return the number of compiled kernels, the share of the time, and the remaining seconds.

        The share never falls. Both are None where nothing had to be compiled, and after the start.
        """
        with self._lock:
            share = seconds = None
            if not self._is_ready and (self._has_begun or self._is_expected) and self._plans:
                elapsed, remaining = self._clock() - self._start, self._estimate_remaining()
                estimate = min(_MAX_SHARE, elapsed / max(elapsed + remaining, 1e-9))
                share = self._share = max(self._share, estimate)
                seconds = round(remaining, 1) if elapsed >= _MIN_TIME else None
            return {"ready": self._is_ready, "kernels": self._num_compiled,
                    "share": None if share is None else round(share, 4), "seconds": seconds}  # fmt: skip

    def _end_step(self, name: str) -> None:
        ended = [plan.end_step(name) for plan in self._plans.values()]
        if any(ended):
            self._last_end = self._clock()

    def _estimate_remaining(self) -> float:
        """Return the seconds that the best plan still takes at the speed of this machine."""
        plan = min(self._plans.values(), key=lambda plan: plan.mismatch)
        speed = (plan.ended + _PRIOR_TIME) / (self._last_end - self._start + _PRIOR_TIME)
        return plan.remaining_work(speed * (self._clock() - self._last_end)) / speed


def is_first_start(package: Path = PACKAGE) -> bool:
    """Return whether numba has stored no kernel yet, beside the modules or in the folder of its setting."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(folder) if folder else package / "games"
    return os.access(root, os.W_OK) and not any(root.rglob("*.nbi"))


def read_weights(file: Path = WEIGHTS_FILE) -> dict[str, dict[str, float]]:
    """Read the weights of the steps by game."""
    weights: dict[str, dict[str, float]] = json.loads(file.read_text(encoding="utf-8"))
    return weights


def observe_kernels(progress: StartProgress) -> None:
    """Report the kernels that numba compiles in this process from now on."""
    from numba.core import event

    class KernelListener(event.Listener):
        """Listener of compilations; kernels that are loaded from the cache are not among them."""

        def on_start(self, compilation: Any) -> None:
            """Record the start of a compilation."""
            progress.begin_kernel()

        def on_end(self, compilation: Any) -> None:
            """Record the end of a compilation."""
            function = compilation.data["dispatcher"].py_func
            progress.end_kernel(f"{function.__module__}.{function.__qualname__}")

    event.register("numba:compile", KernelListener())
