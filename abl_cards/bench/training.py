"""The joint loop: decisions a second with everything, play, hidden hands, the rules and both networks' learning."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from abl_cards.bench.figures import Figure, seconds, target_of
from abl_cards.bench.marks import marks_of
from abl_cards.errors import GameError
from abl_cards.games import Game


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    updates: int
    tables: int
    rows: int | None = None  # of an update; the preset's own
    preset: str = "small"


QUICK = Effort(updates=2, tables=64, rows=1024)
FULL = Effort(updates=6, tables=2048)

AGAINST_KB, AGAINST_PAST = 0.5, 0.1
"""As the shipped weights were trained."""


def figures(game: Game, effort: Effort) -> list[Figure]:
    """Nothing where torch is missing, or in a game that ships no weights."""
    if not find_spec("torch"):
        return []
    from abl_cards.loop.settings import Settings
    from abl_cards.loop.training import Run
    from learners.store import shipped

    try:
        start = shipped(game.name, effort.preset, "supervised")
    except GameError:
        return []
    with TemporaryDirectory() as folder:
        settings = Settings(
            Path(folder), game.name, effort.preset, tables=effort.tables, rows=effort.rows, start=start,
            decision_steps=0, precision="bfloat16", against_kb=AGAINST_KB, against_past=AGAINST_PAST, critic_first=0,
        )  # fmt: skip
        run = Run(settings)
        with run.together():
            run.advance()
            before = run.decisions
            spent = seconds(lambda: [run.advance() for _ in range(effort.updates)])
        pace = (run.decisions - before) / spent
    what = f"training of the preset {effort.preset}, everything included"
    return [Figure(what, pace, "decisions/s", target_of(marks_of(game.name), "training"))]
