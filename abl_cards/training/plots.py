"""Plots of the metrics of a run: wins with intervals, losses and throughput; for ``train --plots``."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.core import (
    INSTALL_COMMAND,
    Axis,
    ErrorCode,
    GameError,
    LinePlot,
    check_path,
    has_matplotlib,
    save_figure,
    share_axis,
)
from abl_cards.matches import wilson_interval
from abl_cards.training.metrics import OPPONENT_NAMES, read_metrics

MetricsRows = Sequence[Mapping[str, Any]]
"""Lines of ``metrics.jsonl``."""

MAX_POINTS = 40
"""Greatest number of points of a curve; more updates are averaged in groups."""
_DRAW_INTERVAL = 60.0
"""Seconds between two drawings while a run goes on."""

_DECISIONS = Axis("training", "decisions")

_PLOTTED_METRICS = {
    "hands": ("Error of ABLN on own games", Axis("mean squared error of a card", "copies²"), "hands_loss"),
    "critic": ("Error of the critic", Axis("squared error", "points²"), "value_loss"),
    "entropy": ("Entropy of the policy", Axis("entropy", "nats"), "entropy"),
    "pace": ("Throughput, learning included", Axis("throughput", "decisions/s"), "pace"),
}
"""Plots by name: title, axis, and the name of the metric."""


def build_curves(lines: MetricsRows) -> list[LinePlot]:
    """Return the plots of the metrics that were measured.

    Args:
        lines: Lines of ``metrics.jsonl``.
    """
    every = [
        _build_win_curves(lines),
        *(_build_metric_curve(lines, name, *words) for name, words in _PLOTTED_METRICS.items()),
    ]
    return [curves for curves in every if curves.lines]


def _build_win_curves(lines: MetricsRows) -> LinePlot:
    """Return the shares of episodes that the learner won in training, with 95 % intervals and their number."""
    shares: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for player in OPPONENT_NAMES:
        played = [line for line in lines if line.get(f"episodes against {player}")]
        counts = sum(line[f"episodes against {player}"] for line in played)
        name = f"against {player} ({counts:,} episodes)"
        for part in _group_rows(played):
            episodes = sum(line[f"episodes against {player}"] for line in part)
            won = sum(line[f"wins against {player}"] * line[f"episodes against {player}"] for line in part) / episodes
            shares.setdefault(name, []).append((part[-1]["decisions"], won))
            bands.setdefault(name, []).append((part[-1]["decisions"], *wilson_interval(won, episodes)))
    return LinePlot(
        "wins", "Wins while learning, labels drawn", _DECISIONS, share_axis("share of the episodes"), shares,
        bands=bands, interval="95 % intervals (Wilson) over the episodes of neighbouring updates", reference=0.5,
    )  # fmt: skip


def _build_metric_curve(lines: MetricsRows, name: str, title: str, axis: Axis, key: str) -> LinePlot:
    points = [
        (part[-1]["decisions"], sum(line[key] for line in part) / len(part))
        for part in _group_rows([line for line in lines if line.get(key) is not None])
    ]
    return LinePlot(
        name, title, _DECISIONS, axis, {key: points} if points else {}, interval="one run: no interval",
        n=f"means of at most {-(-len(lines) // MAX_POINTS)} updates" if lines else "",
    )  # fmt: skip


def _group_rows(lines: MetricsRows) -> list[MetricsRows]:
    """Return neighbouring lines in groups, at most ``MAX_POINTS``."""
    size = -(-len(lines) // MAX_POINTS)
    return [lines[first : first + size] for first in range(0, len(lines), size)] if lines else []


class PlotWriter:
    """Draws the plots of a run into its folder, at intervals and at the end."""

    def __init__(self, directory: str | Path) -> None:
        """Prepare to draw into a folder; raises GameError if matplotlib is not installed."""
        directory = check_path("directory", directory)
        if not has_matplotlib():
            raise GameError(f"--plots needs the library matplotlib: {INSTALL_COMMAND}", ErrorCode.MISSING_LIBRARY)
        self._directory, self._last_drawn = directory, time.monotonic()

    def draw_if_due(self) -> None:
        """Draw all plots, unless they were drawn recently."""
        if time.monotonic() - self._last_drawn >= _DRAW_INTERVAL:
            self.draw()

    def draw(self) -> list[Path]:
        """Draw all plots; returns their files."""
        files = []
        for curves in build_curves(read_metrics(self._directory)):
            files.append(self._directory / f"{curves.name}.png")
            save_figure(curves, files[-1])
        self._last_drawn = time.monotonic()
        return files
