"""Plots as plain values, which matplotlib draws where it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from abl_cards.core.atomic_files import atomic_write
from abl_cards.core.extras import install_command

INSTALL_COMMAND = install_command("matplotlib")


class Plot(Protocol):
    """A plot with a name."""

    @property
    def name(self) -> str:
        """Name of its file, without suffix."""

    def to_json(self) -> dict[str, Any]:
        """Return the data and texts as plain values."""

    def draw(self, axes: Any) -> None:
        """Draw the plot on axes of matplotlib."""


@dataclass(frozen=True)
class LinePlot:
    """Lines over one axis."""

    name: str
    title: str
    xlabel: str
    ylabel: str
    lines: Mapping[str, Sequence[tuple[float, float]]]  # points (x, y) by the name of the line
    dashed: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)  # published figures
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)  # intervals (x, low, high)
    reverse_x: bool = False  # the largest x on the left
    log_x: bool = False  # logarithmic x axis
    log_y: bool = False  # logarithmic y axis

    def to_json(self) -> dict[str, Any]:
        """Return the points of every line."""
        lines = {name: [list(point) for point in points] for name, points in {**self.lines, **self.dashed}.items()}
        bands = {name: [list(point) for point in points] for name, points in self.bands.items()}
        plain = {"title": self.title, "across": self.xlabel, "up": self.ylabel, "lines": lines}
        return plain | ({"intervals": bands} if bands else {})

    def draw(self, axes: Any) -> None:
        """Draw one line for each name, with its interval as a band."""
        for group, style in ((self.lines, "-"), (self.dashed, "--")):
            for name, points in group.items():
                if not points:
                    continue
                (line,) = axes.plot(*zip(*points, strict=True), style, marker="o", markersize=3, label=name)
                if self.bands.get(name):
                    axes.fill_between(*zip(*self.bands[name], strict=True), alpha=0.2, color=line.get_color())
        if self.reverse_x:
            axes.invert_xaxis()
        if self.log_x:
            axes.set_xscale("log")
        if self.log_y:
            axes.set_yscale("log")
        axes.set(xlabel=self.xlabel, ylabel=self.ylabel, title=self.title)
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small")


@dataclass(frozen=True)
class ErrorBarPlot:
    """Values with intervals by name, and a reference line."""

    name: str
    title: str
    xlabel: str
    bars: Mapping[str, tuple[float, float, float]]  # value, low, high
    reference: float

    def to_json(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            "title": self.title,
            "across": self.xlabel,
            "bars": {name: list(bar) for name, bar in self.bars.items()},
        }

    def draw(self, axes: Any) -> None:
        """Draw horizontal error bars, the first name on top."""
        names = list(self.bars)[::-1]
        values = [self.bars[name] for name in names]
        distances = [[value - low for value, low, _ in values], [high - value for value, _, high in values]]
        axes.errorbar([value for value, _, _ in values], range(len(names)), xerr=distances, fmt="o", capsize=3)
        axes.set_yticks(range(len(names)), names, fontsize="small")
        axes.axvline(self.reference, linestyle="--", color="grey")
        axes.set(xlabel=self.xlabel, title=self.title)
        axes.grid(alpha=0.3, axis="x")


@dataclass(frozen=True)
class MatrixPlot:
    """A matrix of numbers for pairs of names, drawn in colours."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Sequence[Sequence[float | None]]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, row by row."""
        values = [list(row) for row in self.values]
        return {"title": self.title, "rows": list(self.rows), "columns": list(self.columns), "values": values}

    def draw(self, axes: Any) -> None:
        """Draw shares from 0 to 1 as colours with percentages."""
        values = [[float("nan") if value is None else value for value in row] for row in self.values]
        axes.imshow(values, vmin=0, vmax=1, cmap="RdYlGn")
        axes.set_xticks(range(len(self.columns)), self.columns, rotation=45, ha="right", fontsize="small")
        axes.set_yticks(range(len(self.rows)), self.rows, fontsize="small")
        for y, row in enumerate(self.values):
            for x, value in enumerate(row):
                axes.text(x, y, "–" if value is None else f"{100 * value:.1f}", ha="center", va="center", fontsize=8)
        axes.set(title=self.title)


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def save_png(plot: Plot, file: Path) -> None:
    """Draw a plot into a PNG file.

    Args:
        plot: The plot.
        file: The file, which is replaced atomically.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        OSError: The file cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    plot.draw(figure.subplots())
    with atomic_write(file) as stream:
        figure.savefig(stream, dpi=120, format="png")
