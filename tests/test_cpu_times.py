"""The sum of processor time at the end of a run, and the table of where it went."""

from __future__ import annotations

import doctest
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests import cpu_times
from tests.cpu_times import CpuTimes, format_table, process_times


def plugin(unit: str | None, **more: Any) -> CpuTimes:
    config: Any = SimpleNamespace(getoption=lambda name: unit, **more)
    return CpuTimes(config)


def run_item(plugin: CpuTimes, nodeid: str) -> None:
    item: Any = SimpleNamespace(nodeid=nodeid)
    protocol = plugin.pytest_runtest_protocol(item)
    next(protocol)
    with pytest.raises(StopIteration):
        protocol.send(None)


def test_doctests_pass() -> None:
    assert doctest.testmod(cpu_times).failed == 0


def test_ended_child_processes_are_included() -> None:
    before = process_times()
    subprocess.run([sys.executable, "-c", "sum(range(5_000_000))"], check=True)
    assert process_times()[1] > before[1]


def test_sums_of_workers_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker hands over its sums by row; the controller adds them, and counts what belongs to no test."""
    controller = plugin("folder")
    for number in (1, 2):
        output: dict[str, Any] = {}
        worker = plugin("folder", workeroutput=output)
        readings = iter([(1.0, 0.0), (3.0, 0.5), (3.0, 0.5), (4.0, 0.5), (4.0, 0.5), (4.0, 4.5)])
        monkeypatch.setattr(cpu_times, "process_times", lambda readings=readings: next(readings))
        for file in ("env/test_a.py::test_b", "env/more/test_c.py::test_d[1]", f"games/test_{number}.py::test_e"):
            run_item(worker, f"tests/{file}")
        worker.pytest_sessionfinish()
        controller.pytest_testnodedown(SimpleNamespace(workeroutput=output))
    controller.pytest_testnodedown(SimpleNamespace())  # crashed
    assert controller.times == {"tests/env": (6.0, 1.0, 0.0), "tests/games": (0.0, 8.0, 0.0)}
    table = [line.split() for line in format_table(controller.times, 20.0).splitlines()]
    assert table[1:3] == [["8.0", "8.0", "0.0", "tests/games"], ["7.0", "1.0", "0.0", "tests/env"]]
    assert table[3][0] == "5.0"


@pytest.mark.parametrize("unit", [None, "file"])
def test_sum_is_the_last_line(unit: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_times, "process_times", lambda: (12.0, 30.4))
    shown: list[str] = []
    reporter: Any = SimpleNamespace(write_line=shown.append, section=lambda title: None)
    plugin(unit).pytest_terminal_summary(reporter)
    assert len(shown) == (2 if unit else 1)
    assert shown[-1].startswith("42 s ")
