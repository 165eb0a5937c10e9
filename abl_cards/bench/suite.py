"""The table of speed, measured on this machine for any game.

Every value is the median of several repetitions after a warm-up. Ratios compare two things measured in one run on equal
work. Values published by others are named with their source.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable

from abl_cards.bench.measurements import Measurement
from abl_cards.bench.targets import load_targets
from abl_cards.core import NUM_THREADS
from abl_cards.games import Game

ProgressCallback = Callable[[str], object]


def run_benchmarks(game: Game, quick: bool = False, on_progress: ProgressCallback = str) -> list[Measurement]:
    """Measure the whole table.

    Args:
        game: The game.
        quick: Whether to measure for seconds instead of minutes.
        on_progress: Called with the name of each part before it is measured.

    Returns:
        The measurements in the order of the table.
    """
    from abl_cards.bench import abduction, circuits, environments, play, processes, rollouts, solving, splits, training

    on_progress("compiling the rules")
    engine, targets = game.engine(), load_targets(game.name)
    parts: tuple[tuple[str, Callable[[], list[Measurement]]], ...] = (
        (
            "circuit and clingo",
            lambda: circuits.measure_circuits(game, engine, circuits.QUICK if quick else circuits.FULL),
        ),
        ("self-play and move lists", lambda: play.measure_play(engine, play.QUICK if quick else play.FULL, targets)),
        (
            "environments",
            lambda: environments.measure_environments(engine, environments.QUICK if quick else environments.FULL),
        ),
        ("splits of hands", lambda: splits.measure_splits(engine, splits.QUICK if quick else splits.FULL, targets)),
        ("abduction", lambda: abduction.measure_abduction(engine, abduction.QUICK if quick else abduction.FULL)),
        ("exact solutions", lambda: solving.measure_solving(engine, solving.QUICK if quick else solving.FULL, targets)),
        ("imagined episodes", lambda: rollouts.measure_rollouts(engine, rollouts.QUICK if quick else rollouts.FULL)),
        ("training", lambda: training.measure_training(game, training.QUICK if quick else training.FULL)),
        ("memory", lambda: [processes.measure_memory(game.name)]),
        ("how fast commands start", lambda: processes.measure_start_times(game.name, repetitions=1 if quick else 5)),
    )
    measurements: list[Measurement] = []
    for text, part in parts:
        on_progress(f"measuring: {text}")
        measurements += part()
    return measurements


def describe_machine() -> str:
    """Return the number of threads, the processor and the Python version."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return f"{NUM_THREADS} threads, {model}, Python {platform.python_version()}"
