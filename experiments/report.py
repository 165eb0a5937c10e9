"""Reports of experiments: tables as Markdown and JSON, plots as SVG and PDF files where matplotlib is installed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from abl_cards.core import (
    COLUMN_WIDTH,
    INSTALL_COMMAND,
    PAGE_WIDTH,
    ErrorBarPlot,
    ErrorCode,
    GameError,
    LinePlot,
    MatrixPlot,
    Plot,
    format_value,
    has_matplotlib,
    plot_caption,
    save_figure,
)

__all__ = ["Cell", "ErrorBarPlot", "ExperimentReport", "LinePlot", "MatrixPlot", "Plot", "ReportTable"]

Cell = str | int | float | None

PLOT_TYPES = (LinePlot, ErrorBarPlot, MatrixPlot)
_FILE_NAME = re.compile(r"[^\W.][\w. -]*")

PDF_WIDTHS = COLUMN_WIDTH, PAGE_WIDTH
"""Widths in inches in which plots are drawn as PDF files."""


@dataclass(frozen=True)
class ReportTable:
    """Table of numbers and texts."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    percent_columns: frozenset[str] = frozenset()  # columns whose numbers are shares
    digits: int = 2  # of the other fractions
    paired_column: str = ""  # values whose rows are compared seed by seed, where there are several seeds
    paired_within: tuple[str, ...] = ()  # columns of text whose rows are compared with each other

    def __post_init__(self) -> None:
        """Check the rows.

        Raises:
            GameError: A row has too many or too few cells, or a cell is not text, number or None.
        """
        for number, row in enumerate(self.rows, 1):
            wrong = [type(cell).__name__ for cell in row if not isinstance(cell, str | int | float | None)]
            if wrong or len(row) != len(self.columns):
                found = f"a cell of type {wrong[0]}" if wrong else f"{len(row)} cells for {len(self.columns)} columns"
                message = f"table '{self.name}', row {number}: {found}; cells are texts, int, float or None"
                raise GameError(message, ErrorCode.INVALID_RESULT)

    def to_json(self) -> dict[str, Any]:
        """Return plain values, one object a row; NaN and infinities are None."""
        rows = [dict(zip(self.columns, map(_finite, row), strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows} | ({"note": self.note} if self.note else {})

    def cell_texts(self) -> list[list[str]]:
        """Return the cells as text."""
        return [[self._text(column, cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def numeric_columns(self) -> list[int]:
        """Return the columns without text, which are aligned to the right."""
        return [
            place for place in range(len(self.columns)) if not any(isinstance(row[place], str) for row in self.rows)
        ]

    def to_markdown(self) -> str:
        """Return the table as Markdown under its title."""
        right = set(self.numeric_columns())
        rule = "|".join("---:" if place in right else "---" for place in range(len(self.columns)))
        lines = [f"| {' | '.join(self.columns)} |", f"|{rule}|"]
        lines += [f"| {' | '.join(row)} |" for row in self.cell_texts()]
        return "\n".join([f"## {self.title}", "", *lines, *(["", self.note] if self.note else [])])

    def _text(self, column: str, cell: Cell) -> str:
        if (cell := _finite(cell)) is None:
            return "–"
        if isinstance(cell, float):
            return f"{cell:.1%}" if column in self.percent_columns else f"{cell:.{self.digits}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True)
class ExperimentReport:
    """Tables, plots and text of an experiment."""

    tables: Sequence[ReportTable]
    plots: Sequence[Plot] = ()
    text: str = ""  # below the tables

    def __post_init__(self) -> None:
        """Check the types and names.

        Raises:
            GameError: A table or plot is of another type, two have one name, or a plot has a name that is none of a
                file in the folder of results.
        """
        for kind, items, types in (("table", self.tables, ReportTable), ("plot", self.plots, PLOT_TYPES)):
            wrong = next((item for item in items if not isinstance(item, types)), None)
            if wrong is not None:
                _raise_invalid(f"a {kind} of a report is no {type(wrong).__name__}")
            names = [item.name for item in items]
            if len(set(names)) != len(names):
                _raise_invalid(f"two {kind}s are named '{max(names, key=names.count)}', and one would be lost")
        for plot in self.plots:
            if not _FILE_NAME.fullmatch(plot.name):
                _raise_invalid(f"plot {plot.name!r}: its name is that of its files: letters, digits, '_', '-', '.'")

    def to_json(self) -> dict[str, Any]:
        """Return tables and plots by name as plain values."""
        return {
            "tables": {table.name: table.to_json() for table in self.tables},
            "plots": {plot.name: plot.to_json() for plot in self.plots},
        }

    def to_markdown(self, name: str, summary: str, settings: Mapping[str, Any], missing: str = "") -> str:
        """Return the report as Markdown; missing measurements are named first."""
        used = ", ".join(f"{key} = {_value_text(value)}" for key, value in settings.items())
        part = f"**This is a part.** Not measured yet: {missing}. The same command goes on."
        parts = [f"# {name}", *([part] if missing else []), summary, f"Settings: {used}."]
        parts += [table.to_markdown() for table in self.tables]
        parts += [figure_markdown(plot) for plot in self.plots]
        return "\n\n".join([*parts, *([self.text] if self.text else [])]) + "\n"

    def draw_plots(self, folder: str | Path, log: Callable[[str], None]) -> None:
        """Write the plots as SVG files, and as PDF files 3.3 and 6.9 inches wide."""
        folder = Path(folder)
        if not self.plots or not has_matplotlib():
            log("no plots drawn" + (f": {INSTALL_COMMAND}" if self.plots else ""))
            return
        for plot in self.plots:
            save_figure(plot, folder / f"{plot.name}.svg")
            for width in PDF_WIDTHS:
                save_figure(plot, folder / f"{plot.name}-{width}in.pdf", width)


def _raise_invalid(message: str) -> NoReturn:
    """Raise GameError about a report."""
    raise GameError(message, ErrorCode.INVALID_RESULT)


def _finite(cell: Cell) -> Cell:
    """Return None for a number that JSON cannot hold, else the cell."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def figure_markdown(plot: Plot) -> str:
    """Return the picture of a plot for ``report.md``, described by its title and caption."""
    text = f"{plot.title.rstrip('.')}. {plot_caption(plot)}".strip().replace("[", "(").replace("]", ")")
    return f"![{text}]({plot.name}.svg)"


def _value_text(value: Any) -> str:
    return format_value(tuple(value) if isinstance(value, list) else value) or "–"
