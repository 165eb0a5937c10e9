"""The settings of a training run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """What is trained, on what, for how long."""

    directory: Path  # where the run keeps its checkpoint, metrics and weights
    game: str = "guandan"
    preset: str = "small"
    abln: bool = True  # without: the twin that decides by the observation alone
    seed: int = 0
    decisions: int = 10_000_000  # of self-play; the run ends at the first update after them
    tables: int = 512  # played side by side
    against_kb: float = 0.25  # share of the tables where the learner meets the agent kb
    against_past: float = 0.25  # and where it meets its own past
    remember_every: int = 100  # updates between two copies of the learner for the league
    save_every: int = 20  # updates between two checkpoints
    revealed: float = 1.0  # share of the decisions whose hidden hands are shown to ABLN; the others' are abduced
    start: Path | None = None  # weights to start from
    device: str = "cpu"
    threads: int | None = None  # of torch

    def command(self) -> str:
        """What to type for such a run."""
        words = [
            f"--set {field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if field.name != "directory" and getattr(self, field.name) != field.default
        ]
        return " ".join(["abl-cards train guandan", *words])
