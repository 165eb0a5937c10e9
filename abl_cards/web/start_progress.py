"""Progress of the first start, in which kernels are compiled: number, share of the work, and remaining time.

Later starts load compiled kernels from a cache. This module imports nothing of the engine, so that the server can
report while the engine is loading.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WEIGHTS_FILE = Path(__file__).parent / "kernel_weights.json"
"""Relative times to compile the kernels of the first table, measured by ``python -m tests.web.kernel_weights``."""
_MIN_TIME = 2.0
"""Seconds of compiling before a remaining time is stated."""
_MAX_SHARE = 0.99
_MIN_KNOWN_SHARE = 0.02
"""Share of the work from which on the speed of the finished kernels counts."""
_MAX_RUNNING_SHARE = 0.9
"""Most of the largest missing kernel that a running one can count."""


@dataclass
class _RunningKernel:
    """Kernel that is being compiled; kernels that it calls may be compiled within."""

    began_at: float
    inner_time: float = 0.0  # seconds that kernels within it took


class StartProgress:
    """Counts compiled kernels, and estimates the share of the work that is done."""

    def __init__(self, weights: Mapping[str, float], clock: Callable[[], float] = time.monotonic) -> None:
        """Start without compiled kernels.

        Args:
            weights: Relative time to compile each kernel, by module and name.
            clock: Time in seconds.
        """
        self._clock, self._lock = clock, threading.Lock()
        self._total, self._pending = sum(weights.values()), dict(weights)
        self._running: list[_RunningKernel] = []  # the outermost first
        self._num_compiled, self._done, self._known_time, self._busy_time = 0, 0.0, 0.0, 0.0
        self._share, self._is_ready = 0.0, False

    def begin_kernel(self) -> None:
        """Note that a kernel is being compiled, possibly within another one."""
        with self._lock:
            self._running.append(_RunningKernel(self._clock()))

    def end_kernel(self, name: str) -> None:
        """Note that the kernel that began last has been compiled."""
        with self._lock:
            kernel = self._running.pop()
            spent = self._clock() - kernel.began_at
            if self._running:
                self._running[-1].inner_time += spent
            else:
                self._busy_time += spent
            self._num_compiled += 1
            weight = self._pending.pop(name, None)
            if weight is not None:
                self._done += weight
                self._known_time += spent - kernel.inner_time

    @property
    def is_ready(self) -> bool:
        """Whether the first table is ready."""
        return self._is_ready

    def finish(self) -> None:
        """Note that the first table is ready."""
        self._is_ready = True

    def to_json(self) -> dict[str, Any]:
        """Return the number of compiled kernels, the share of the work, and the remaining seconds.

        The share never falls. Both are None where nothing had to be compiled, and after the start.
        """
        with self._lock:
            share = seconds = None
            if not self._is_ready and self._num_compiled and self._total:
                now = self._clock()
                share = self._share = max(self._share, self._estimate_share(now))
                busy = self._busy_time + (now - self._running[0].began_at if self._running else 0.0)
                seconds = (
                    round(busy * (1 - share) / share, 1) if busy >= _MIN_TIME and share >= _MIN_KNOWN_SHARE else None
                )
            return {"ready": self._is_ready, "kernels": self._num_compiled,
                    "share": None if share is None else round(share, 4), "seconds": seconds}  # fmt: skip

    def _estimate_share(self, now: float) -> float:
        """Return the share of the finished kernels, and that of the time spent on the running ones."""
        share, end = self._done / self._total, now
        if share >= _MIN_KNOWN_SHARE:
            speed, largest = share / max(self._known_time, 1e-9), max(self._pending.values(), default=0.0) / self._total
            for kernel in reversed(self._running):
                share += min(_MAX_RUNNING_SHARE * largest, speed * max(0.0, end - kernel.began_at - kernel.inner_time))
                end = kernel.began_at
        return min(_MAX_SHARE, share)


def read_weights(file: Path = WEIGHTS_FILE) -> dict[str, float]:
    """Read the weights of kernels."""
    weights: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return weights


def observe_kernels(progress: StartProgress) -> None:
    """Report the kernels that numba compiles in this process from now on."""
    from numba.core import event

    class KernelListener(event.Listener):
        """Listener of compilations; kernels that are loaded from the cache are not among them."""

        def on_start(self, compilation: Any) -> None:
            """Note the start of a compilation."""
            progress.begin_kernel()

        def on_end(self, compilation: Any) -> None:
            """Note the end of a compilation."""
            function = compilation.data["dispatcher"].py_func
            progress.end_kernel(f"{function.__module__}.{function.__qualname__}")

    event.register("numba:compile", KernelListener())
