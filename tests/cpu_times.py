"""Processor time of a test run: one line at its end, and with ``--cpu-times`` a table of where it went.

It is user and system time, with that of child processes and of the workers of pytest-xdist. Unlike the time on the
clock, it hardly depends on what else the machine does.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Generator, Mapping
from typing import Any

import pytest

UNITS = ("folder", "file", "test")
Times = tuple[float, float, float]
"""Seconds of the process itself, of its children, and those of the process that numba spent on compiling."""


def add_option(parser: pytest.Parser) -> None:
    """Add the option for the table."""
    parser.addoption(
        "--cpu-times", choices=UNITS, help="print the processor seconds of tests by folder, file or test at the end"
    )


class CpuTimes:
    """Plugin that sums up processor time; in a worker of pytest-xdist it hands its sums to the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._unit: str | None = config.getoption("--cpu-times")
        self._output: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self.times: dict[str, Times] = defaultdict(lambda: (0.0, 0.0, 0.0))
        self._compiling = count_compile_time() if self._unit else [0.0]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Add up the time of a test and of the fixtures that it made."""
        before = self._read()
        result = yield
        after = self._read()
        name = unit_of(item.nodeid, self._unit or UNITS[0])
        self.add(name, (after[0] - before[0], after[1] - before[1], after[2] - before[2]))
        return result

    def _read(self) -> Times:
        return (*process_times(), self._compiling[0])

    def add(self, name: str, times: Times) -> None:
        """Add time to a row of the table."""
        own, children, compiling = self.times[name]
        self.times[name] = (own + times[0], children + times[1], compiling + times[2])

    def pytest_sessionfinish(self) -> None:
        """Hand the sums of a worker to the controller."""
        if self._output is not None:
            self._output["cpu_times"] = {name: list(times) for name, times in self.times.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the sums of a worker that has ended; one that crashed has none."""
        for name, times in getattr(node, "workeroutput", {}).get("cpu_times", {}).items():
            self.add(name, tuple(times))

    @pytest.hookimpl(trylast=True)  # when all workers have ended
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the sum, below the table if it is wanted."""
        total = sum(process_times())
        if self._unit:
            terminalreporter.section("processor time")
            terminalreporter.write_line(format_table(self.times, total))
        terminalreporter.write_line(f"{total:.0f} s of processor time, child processes and all workers included")


def process_times() -> tuple[float, float]:
    """Return the processor seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system, times.children_user + times.children_system


def unit_of(nodeid: str, unit: str) -> str:
    """Return the row of a test: its folder directly beneath ``tests``, its file, or itself.

    >>> [unit_of("tests/games/guandan/test_moves.py::test_a[b]", unit) for unit in UNITS]
    ['tests/games', 'tests/games/guandan/test_moves.py', 'tests/games/guandan/test_moves.py::test_a[b]']
    """
    file = nodeid.partition("::")[0]
    return {"folder": "/".join(file.split("/")[:2]), "file": file, "test": nodeid}[unit]


def format_table(times: Mapping[str, Times], total: float) -> str:
    """Return the table, largest first; what belongs to no test is the start of processes and the collection."""
    of_tests = [sum(column) for column in zip(*times.values(), strict=True)] or [0.0, 0.0, 0.0]
    rows = sorted(times.items(), key=lambda row: -sum(row[1][:2]))
    rest = ("start and collection", (total - of_tests[0] - of_tests[1], 0.0, 0.0))
    lines = [f"{'total':>8}{'children':>10}{'compiling':>11}"]
    for name, (own, children, compiling) in (*rows, rest):
        lines.append(f"{own + children:8.1f}{children:10.1f}{compiling:11.1f}  {name}")
    return "\n".join(lines)


def count_compile_time() -> list[float]:
    """Return a list whose only entry grows by the processor time that numba spends on compiling in this process."""
    from numba.core import event

    class Compiling(event.Listener):
        """Count the outermost of nested compilations."""

        depth, begin = 0, 0.0

        def on_start(self, event: Any) -> None:
            if not self.depth:
                self.begin = time.process_time()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if not self.depth:
                seconds[0] += time.process_time() - self.begin

    seconds = [0.0]
    event.register("numba:compile", Compiling())
    return seconds
