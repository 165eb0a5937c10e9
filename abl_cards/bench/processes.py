"""What takes a process of its own to measure: memory, and how fast commands start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from statistics import median

from abl_cards.bench.figures import Figure, seconds


def memory(name: str) -> Figure:
    """How much a process grows by thousands of tables and their play."""
    from abl_cards.bench.play import TABLES

    code = f"from abl_cards.bench.processes import print_growth; print_growth({name!r}, {TABLES})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Figure(f"memory for {TABLES:,} tables, lists included", float(done.stdout), "MiB", 1024, at_most=True)


def print_growth(name: str, tables: int) -> None:
    """Print the peak of memory beyond what a few tables need, in MiB."""
    from abl_cards.agents import Random
    from abl_cards.bench.play import FromList, Room
    from abl_cards.games import game

    engine = game(name).engine()
    few = Room(engine, 8)
    for step in range(400):
        few.step(FromList() if step % 2 else Random())
    before = peak_bytes()
    many = Room(engine, tables)
    for step in range(40):  # the first step is the worst: all the full hands lead
        many.step(Random() if step % 2 else FromList())
    print((peak_bytes() - before) / 2**20)


def peak_bytes() -> int:
    """The most memory this process has had."""
    if os.path.exists("/proc/self/status"):  # what getrusage says there, a child takes over from its parent
        with open("/proc/self/status", encoding="utf-8") as lines:
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def starts(name: str, repetitions: int) -> list[Figure]:
    """How long commands take from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        cold = median([_command(f"{folder}/{number}", "kb", "check", name) for number in range(repetitions)])
        warm = median([_command(f"{folder}/0", "kb", "check", name) for _ in range(repetitions)])
        told = median([_command(folder, "--help") for _ in range(repetitions)])
    return [
        Figure(f"abl-cards kb check {name}, nothing cached", cold, "s", 5, at_most=True),
        Figure(f"abl-cards kb check {name}", warm, "s", 1, at_most=True),
        Figure("abl-cards --help", told, "s", 0.5, at_most=True),
    ]


def _command(cache: str, *arguments: str) -> float:
    command = [sys.executable, "-c", "from abl_cards.cli import main; main()", *arguments]
    environment = os.environ | {"ABL_CARDS_CACHE": cache}
    return seconds(lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True))
