"""What is fast and how fast: measured here and now, side by side, in whatever game is asked.

Every figure is the median of several repetitions after a warm-up. Ratios are of two things done in the same run on the
same work; only what others have published comes from elsewhere, and is named with its source.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable

from abl_cards.bench.figures import Figure
from abl_cards.bench.marks import marks_of
from abl_cards.games import Game
from abl_cards.parallel import THREADS

Say = Callable[[str], object]


def measure(game: Game, quick: bool = False, say: Say = str) -> list[Figure]:
    """The whole table; ``say`` is told what is being measured."""
    from abl_cards.bench import circuits, play, processes, solving, splits, training

    say("compiling the rules")
    engine, marks = game.engine(), marks_of(game.name)
    parts: tuple[tuple[str, Callable[[], list[Figure]]], ...] = (
        ("circuit and clingo", lambda: circuits.figures(game, engine, circuits.QUICK if quick else circuits.FULL)),
        ("self-play and move lists", lambda: play.figures(engine, play.QUICK if quick else play.FULL, marks)),
        ("splits of hands", lambda: splits.figures(engine, splits.QUICK if quick else splits.FULL, marks)),
        ("exact solutions", lambda: solving.figures(engine, solving.QUICK if quick else solving.FULL, marks)),
        ("training", lambda: training.figures(game, training.QUICK if quick else training.FULL)),
        ("memory", lambda: [processes.memory(game.name)]),
        ("how fast commands start", lambda: processes.starts(game.name, repetitions=1 if quick else 5)),
    )
    found: list[Figure] = []
    for text, part in parts:
        say(f"measuring: {text}")
        found += part()
    return found


def machine() -> str:
    """What this is measured on."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return f"{THREADS} threads, {model}, Python {platform.python_version()}"
