"""What a run measured of itself as plots: wins with their intervals, losses, pace; `train --plots` draws them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.arena import wilson
from abl_cards.errors import GameError
from abl_cards.loop.metrics import read_metrics
from abl_cards.loop.worker import PLAYERS
from abl_cards.plots import REMEDY, Curves, can_draw, draw

Lines = Sequence[Mapping[str, Any]]
"""Of metrics.jsonl."""

POINTS = 40
"""Of a curve; where a run has more updates, neighbours are taken together."""
_EVERY = 60.0
"""Seconds between two drawings while a run goes on."""

_LOSSES = {
    "hands": ("Error of ABLN on own games", "mean squared error a card", "hands_loss"),
    "critic": ("Error of the critic", "squared error", "value_loss"),
    "entropy": ("Entropy of the policy", "nats", "entropy"),
    "pace": ("Throughput, learning included", "decisions a second", "pace"),
}
"""Plots by name: title, axis, and what they show of the metrics."""


def curves_of(lines: Lines) -> list[Curves]:
    """The plots of what was measured; there is none of what was not."""
    every = [_wins(lines), *(_loss(lines, name, *words) for name, words in _LOSSES.items())]
    return [curves for curves in every if curves.lines]


def _wins(lines: Lines) -> Curves:
    """Shares of the episodes that the learner won while it learned, with 95 % intervals and how many there were."""
    shares: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for player in PLAYERS:
        played = [line for line in lines if line.get(f"episodes against {player}")]
        counts = sum(line[f"episodes against {player}"] for line in played)
        name = f"against {player} ({counts:,} episodes)"
        for part in _parts(played):
            episodes = sum(line[f"episodes against {player}"] for line in part)
            won = sum(line[f"wins against {player}"] * line[f"episodes against {player}"] for line in part) / episodes
            shares.setdefault(name, []).append((part[-1]["decisions"], won))
            bands.setdefault(name, []).append((part[-1]["decisions"], *wilson(won, episodes)))
    return Curves(
        "wins", "Wins while learning, labels drawn", "decisions", "share of the episodes", shares, bands=bands
    )


def _loss(lines: Lines, name: str, title: str, axis: str, key: str) -> Curves:
    points = [
        (part[-1]["decisions"], sum(line[key] for line in part) / len(part))
        for part in _parts([line for line in lines if line.get(key) is not None])
    ]
    return Curves(name, title, "decisions", axis, {key: points} if points else {})


def _parts(lines: Lines) -> list[Lines]:
    """Neighbours together, so that there are no more than so many."""
    size = -(-len(lines) // POINTS)
    return [lines[first : first + size] for first in range(0, len(lines), size)] if lines else []


class Pictures:
    """Draws the plots of the run in a folder, now and then and at the end."""

    def __init__(self, directory: Path) -> None:
        """Into this folder; raises GameError where nothing can be drawn."""
        if not can_draw():
            raise GameError(f"--plots needs the library matplotlib: {REMEDY}")
        self._directory, self._drawn = directory, time.monotonic()

    def now_and_then(self) -> None:
        """Draw, unless that was done a short while ago."""
        if time.monotonic() - self._drawn >= _EVERY:
            self.draw()

    def draw(self) -> list[Path]:
        """The files, a plot each."""
        files = []
        for curves in curves_of(read_metrics(self._directory)):
            files.append(self._directory / f"{curves.name}.png")
            draw(curves, files[-1])
        self._drawn = time.monotonic()
        return files
