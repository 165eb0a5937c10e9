"""Measurements that need a process of their own: memory, and the time that commands take to start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from statistics import median

from abl_cards.bench.measurements import Measurement, measure_seconds
from abl_cards.core import require_posix


def measure_memory(name: str) -> Measurement:
    """Measure how much a process grows by thousands of tables."""
    from abl_cards.bench.play import NUM_TABLES

    code = f"from abl_cards.bench.processes import print_memory_growth; print_memory_growth({name!r}, {NUM_TABLES})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Measurement(
        f"memory for {NUM_TABLES:,} tables, lists included", float(done.stdout), "MiB", 1024, at_most=True
    )


def print_memory_growth(name: str, num_tables: int) -> None:
    """Print the peak of memory beyond the need of a few tables, in MiB."""
    from abl_cards.agents import RandomAgent
    from abl_cards.bench.play import AutoResetTables, ListingAgent
    from abl_cards.games import load

    engine = load(name).engine()
    few = AutoResetTables(engine, 8)
    for step in range(400):
        few.step(ListingAgent() if step % 2 else RandomAgent())
    before = read_peak_bytes()
    many = AutoResetTables(engine, num_tables)
    for step in range(40):  # the first step takes most memory: all hands are full and lead
        many.step(RandomAgent() if step % 2 else ListingAgent())
    print((read_peak_bytes() - before) / 2**20)


def read_peak_bytes() -> int:
    """Return the peak of this process's memory in bytes."""
    if os.path.exists("/proc/self/status"):  # getrusage there includes the parent's peak
        with open("/proc/self/status", encoding="utf-8") as lines:
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    require_posix("the measurement of memory")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def measure_start_times(name: str, repetitions: int) -> list[Measurement]:
    """Measure the seconds that commands take from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        cold = median([_time_command(f"{folder}/{number}", "kb", "check", name) for number in range(repetitions)])
        warm = median([_time_command(f"{folder}/0", "kb", "check", name) for _ in range(repetitions)])
        help_text = median([_time_command(folder, "--help") for _ in range(repetitions)])
    return [
        Measurement(f"abl-cards kb check {name}, nothing cached", cold, "s", 5, at_most=True),
        Measurement(f"abl-cards kb check {name}", warm, "s", 1, at_most=True),
        Measurement("abl-cards --help", help_text, "s", 0.5, at_most=True),
    ]


def _time_command(cache: str, *arguments: str) -> float:
    command = [sys.executable, "-c", "from abl_cards.cli import main; main()", *arguments]
    environment = os.environ | {"ABL_CARDS_CACHE": cache}
    return measure_seconds(lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True))
