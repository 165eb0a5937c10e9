"""Figures as data: axes with units, values, intervals and sample sizes; drawn by matplotlib and by the web page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, Protocol

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.extras import install_command

INSTALL_COMMAND = install_command("matplotlib")
PLOT_SUFFIXES = (".svg", ".pdf", ".png")
"""Endings of the files that figures are drawn into."""

Interval = tuple[float | None, float | None]
"""Lower and upper bound; None where a bound is unknown."""


@dataclass(frozen=True)
class Axis:
    """Axis of a figure.

    Attributes:
        label: Quantity.
        unit: Unit; ``"%"`` for shares, empty for names.
        scale: ``"linear"``, ``"log"``, or ``"category"`` for equal steps from one value to the next.
        is_share: Values from 0 to 1 are shown as percentages.
        is_integer: Only whole numbers have ticks.
        is_reversed: The largest value lies on the left.
    """

    label: str
    unit: str = ""
    scale: str = "linear"
    is_share: bool = False
    is_integer: bool = False
    is_reversed: bool = False

    @property
    def text(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def factor(self) -> float:
        """Factor from values to numbers shown."""
        return 100.0 if self.is_share else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults."""
        defaults = asdict(Axis(self.label))
        return {"label": self.label, **{key: value for key, value in asdict(self).items() if value != defaults[key]}}

    @classmethod
    def from_json(cls, value: Any) -> Axis:
        """Read an axis from plain values, or from a text such as ``time (s)``."""
        if not isinstance(value, Mapping):
            return parse_axis(str(value or ""))
        known = {entry.name for entry in fields(cls)}
        return cls(**{"label": "", **{key: entry for key, entry in value.items() if key in known}})


def parse_axis(label: Axis | str, is_share: bool = False) -> Axis:
    """Return an axis, where a text names the quantity with its unit in brackets.

    >>> parse_axis("time (s)")
    Axis(label='time', unit='s', scale='linear', is_share=False, is_integer=False, is_reversed=False)

    Args:
        label: An axis, or its text.
        is_share: The values of an axis given as text are shares from 0 to 1.
    """
    if isinstance(label, Axis):
        return label
    head, bracket, tail = label.rpartition(" (")
    if bracket and tail.endswith(")"):
        return Axis(head, tail[:-1])
    return Axis(label, "%" if is_share else "", is_share=is_share)


def share_axis(label: str) -> Axis:
    """Return an axis of shares from 0 to 1, shown as percentages."""
    return Axis(label, "%", is_share=True)


class Plot(Protocol):
    """Figure with a name."""

    @property
    def name(self) -> str:
        """Name of its file, without suffix."""

    @property
    def title(self) -> str:
        """Title above it."""

    @property
    def n(self) -> str:
        """Sample size in words."""

    @property
    def interval(self) -> str:
        """Meaning of its intervals, or the reason why there are none."""

    def to_json(self) -> dict[str, Any]:
        """Return the data and texts as plain values."""


@dataclass(frozen=True)
class LinePlot:
    """Lines over one axis.

    Attributes:
        name: Name of the file, without suffix.
        title: Title.
        xlabel: Horizontal axis, or its text.
        ylabel: Vertical axis, or its text.
        lines: Points (x, y) by the name of the line.
        dashed: Points of published figures by the name of the line, drawn without intervals.
        bands: Intervals (x, low, high) by the name of the line.
        reverse_x: The largest x lies on the left.
        log_x: The horizontal axis is logarithmic.
        log_y: The vertical axis is logarithmic.
        n: Sample size in words.
        interval: Meaning of the bands, or the reason why there are none.
        reference: Value of a horizontal line; None for no line.
    """

    name: str
    title: str
    xlabel: Axis | str
    ylabel: Axis | str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    dashed: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)
    reverse_x: bool = False
    log_x: bool = False
    log_y: bool = False
    n: str = ""
    interval: str = ""
    reference: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            GameError: A point is no row of numbers (int or float, finite); x may be a text on an axis of categories.
        """
        _check_reference(self.name, self.reference)
        may_be_text = parse_axis(self.xlabel).scale == "category"
        for width, lines in ((2, self.lines), (2, self.dashed), (3, self.bands)):
            for name, points in lines.items():
                _check_points(self.name, name, points, width, may_be_text)

    @property
    def axes(self) -> tuple[Axis, Axis]:
        """Horizontal and vertical axis."""
        x, y = parse_axis(self.xlabel), parse_axis(self.ylabel)
        x = Axis(**asdict(x) | {"is_reversed": True}) if self.reverse_x else x
        return _log(x) if self.log_x else x, _log(y) if self.log_y else y

    def to_json(self) -> dict[str, Any]:
        """Return the axes, and the points and intervals of every line."""
        x, y = self.axes
        lines = {name: [list(point) for point in points] for name, points in {**self.lines, **self.dashed}.items()}
        bands = {name: [list(point) for point in points] for name, points in self.bands.items()}
        plain = {"kind": "lines", "title": self.title, "x": x.to_json(), "y": y.to_json(), "lines": lines}
        more = {
            "dashed": list(self.dashed), "intervals": bands, "n": self.n, "interval": self.interval,
            "reference": self.reference,
        }  # fmt: skip
        return plain | _without_empty(more)


@dataclass(frozen=True)
class ErrorBarPlot:
    """Values with intervals by name, as dots or as bars, and a reference line.

    Attributes:
        name: Name of the file, without suffix.
        title: Title.
        xlabel: Axis of the values, or its text.
        bars: Value, low and high by name, the first name on top; None for an unknown bound.
        reference: Value of a vertical line; None for no line.
        counts: Sample sizes by name.
        groups: Panel and short label by name; empty for one panel.
        n: Sample size in words.
        interval: Meaning of the intervals, or the reason why there are none.
        is_filled: Draw bars from zero in place of dots.
    """

    name: str
    title: str
    xlabel: Axis | str
    bars: Mapping[str, tuple[float, float | None, float | None]]
    reference: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    n: str = ""
    interval: str = ""
    is_filled: bool = False

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            GameError: A value or bound is no number (int or float, finite); a bound may be None.
        """
        _check_reference(self.name, self.reference)
        for name, bar in self.bars.items():
            _check_bar(self.name, name, bar)

    @property
    def axis(self) -> Axis:
        """Axis of the values."""
        return parse_axis(self.xlabel)

    def panels(self) -> dict[str, dict[str, str]]:
        """Return the names of values by panel and short label."""
        panels: dict[str, dict[str, str]] = {}
        for name in self.bars:
            panel, label = self.groups.get(name, ("", name))
            panels.setdefault(panel, {})[label] = name
        return panels

    def to_json(self) -> dict[str, Any]:
        """Return the axis and the values by name."""
        plain = {
            "kind": "bars" if self.is_filled else "dots", "title": self.title, "x": self.axis.to_json(),
            "bars": {name: list(bar) for name, bar in self.bars.items()},
        }  # fmt: skip
        more = {
            "counts": dict(self.counts), "groups": {name: list(group) for name, group in self.groups.items()},
            "n": self.n, "interval": self.interval, "reference": self.reference,
        }  # fmt: skip
        return plain | _without_empty(more)


@dataclass(frozen=True)
class MatrixPlot:
    """Matrix of numbers for pairs of names, drawn in shades of blue.

    Attributes:
        name: Name of the file, without suffix.
        title: Title.
        rows: Names of the rows.
        columns: Names of the columns.
        values: Numbers, row by row; None for an empty cell.
        label: Quantity and unit of the numbers, or their text.
        top: Number of the darkest shade; the lightest is 0.
        bounds: Interval of each cell, row by row; empty if unknown.
        counts: Sample size of each cell, row by row; empty if unknown.
        marks: Number of rings in each cell, row by row; empty for none.
        n: Sample size in words.
        interval: Meaning of the intervals, or the reason why there are none.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Sequence[Sequence[float | None]]
    label: Axis | str = field(default_factory=lambda: share_axis("share"))
    top: float = 1.0
    bounds: Sequence[Sequence[Interval | None]] = ()
    counts: Sequence[Sequence[int | None]] = ()
    marks: Sequence[Sequence[int | None]] = ()
    n: str = ""
    interval: str = ""

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            GameError: The values are no row of numbers (int or float, finite) or None for each name.
        """
        for name, row in zip(self.rows, self.values, strict=False):
            wrong = [cell for cell in row if cell is not None and not _is_finite(cell)]
            if wrong or len(row) != len(self.columns):
                hint = "give None for an empty cell" if wrong else f"a row has {len(self.columns)} cells"
                _raise_undrawable(self.name, name, wrong[0] if wrong else len(row), hint)
        if len(self.rows) != len(self.values):
            _raise_undrawable(self.name, "values", len(self.values), f"there are {len(self.rows)} rows")

    @property
    def axis(self) -> Axis:
        """Quantity of the numbers."""
        return parse_axis(self.label)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, row by row."""
        plain = {
            "kind": "matrix", "title": self.title, "rows": list(self.rows), "columns": list(self.columns),
            "value": self.axis.to_json(), "top": self.top, "values": [list(row) for row in self.values],
        }  # fmt: skip
        more = {
            "bounds": [[cell and list(cell) for cell in row] for row in self.bounds],
            "counts": [list(row) for row in self.counts], "marks": [list(row) for row in self.marks],
            "n": self.n, "interval": self.interval,
        }  # fmt: skip
        return plain | _without_empty(more)


def _check_points(plot: str, line: str, points: Any, width: int, may_be_text: bool) -> None:
    """Raise GameError where the points of a line are no rows of numbers to draw; the first may be a text if so."""
    for point in points if isinstance(points, Iterable) else [points]:
        if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != width:
            _raise_undrawable(plot, line, point, f"a point is a row of {width} numbers")
        for place, number in enumerate(point):
            if not _is_finite(number) and not (may_be_text and place == 0 and isinstance(number, str)):
                _raise_undrawable(plot, line, number, "leave the point out")


def _check_bar(plot: str, name: str, bar: Any) -> None:
    """Raise GameError where a bar is no value with bounds; these may be None."""
    if not isinstance(bar, Sequence) or isinstance(bar, str) or len(bar) != 3:
        _raise_undrawable(plot, name, bar, "a bar is its value, its low and its high")
    for place, number in enumerate(bar):
        if not _is_finite(number) and not (place and number is None):
            _raise_undrawable(plot, name, number, "leave the bar out, or give None for a bound")


def _check_reference(plot: str, reference: Any) -> None:
    """Raise GameError where the line of reference is no number; None is no line."""
    if reference is not None and not _is_finite(reference):
        _raise_undrawable(plot, "reference", reference, "give a number, or None for no line")


def _is_finite(number: Any) -> bool:
    """Return whether this is a number that can be drawn and written as JSON; numbers of NumPy cannot all be."""
    return isinstance(number, int | float) and math.isfinite(number)


def _raise_undrawable(plot: str, name: str, value: Any, hint: str) -> NoReturn:
    """Raise GameError about a value of a line, bar or cell."""
    is_number = isinstance(value, int | float | str | None)
    found = f"{value!r:.60}" if is_number else f"{value!r:.60} of type {type(value).__name__}"
    raise GameError(f"plot '{plot}', '{name}': {found} cannot be drawn; {hint}", ErrorCode.INVALID_RESULT)


def plot_caption(plot: Plot) -> str:
    """Return the sample size and the meaning of the intervals of a figure as sentences."""
    return " ".join(f"{text[0].upper()}{text[1:].rstrip('.')}." for text in (plot.n, plot.interval) if text)


def plot_from_json(name: str, value: Mapping[str, Any]) -> Plot | None:
    """Read a figure from plain values, also from those of older reports.

    Args:
        name: Name of the figure.
        value: Content of ``plots`` in ``results.json``, with values of the types that ``to_json`` returns.

    Returns:
        The figure; None for values of another form.
    """
    texts = {"title": str(value.get("title", "")), "n": str(value.get("n", "")),
             "interval": str(value.get("interval", ""))}  # fmt: skip
    if "lines" in value:
        return _read_lines(name, value, texts)
    if "bars" in value:
        bars = {str(key): (bar[0], bar[1], bar[2]) for key, bar in value["bars"].items()}
        label = Axis.from_json(value["x"]) if "x" in value else _old_axis(value.get("across", ""), bars.values())
        groups = {key: (group[0], group[1]) for key, group in value.get("groups", {}).items()}
        return ErrorBarPlot(
            name, xlabel=label, bars=bars, reference=value.get("reference"), counts=value.get("counts", {}),
            groups=groups, is_filled=value.get("kind") == "bars" and "x" in value, **texts,
        )  # fmt: skip
    if "values" in value:
        label = Axis.from_json(value["value"]) if "value" in value else share_axis("share")
        bounds = [[cell and (cell[0], cell[1]) for cell in row] for row in value.get("bounds", ())]
        return MatrixPlot(
            name, rows=tuple(value["rows"]), columns=tuple(value["columns"]), values=value["values"], label=label,
            top=value.get("top", 1.0), bounds=bounds, counts=value.get("counts", ()), marks=value.get("marks", ()),
            **texts,
        )  # fmt: skip
    return None


def _read_lines(name: str, value: Mapping[str, Any], texts: Mapping[str, str]) -> LinePlot:
    dashed = set(value.get("dashed", ()))
    lines = {str(key): [(point[0], point[1]) for point in points] for key, points in value["lines"].items()}
    bands = {str(key): [(point[0], point[1], point[2]) for point in points]
             for key, points in value.get("intervals", {}).items()}  # fmt: skip
    points = [point[1:] for line in lines.values() for point in line]
    return LinePlot(
        name, texts["title"],
        Axis.from_json(value["x"]) if "x" in value else parse_axis(str(value.get("across", ""))),
        Axis.from_json(value["y"]) if "y" in value else _old_axis(value.get("up", ""), points),
        {key: points for key, points in lines.items() if key not in dashed},
        {key: points for key, points in lines.items() if key in dashed},
        bands, n=texts["n"], interval=texts["interval"], reference=value.get("reference"),
    )  # fmt: skip


def _old_axis(label: Any, values: Any) -> Axis:
    """Return the axis of a report without units: shares are known by their name and range."""
    numbers = [number for row in values for number in row if number is not None]
    is_share = "share" in str(label) and all(0 <= number <= 1 for number in numbers)
    return parse_axis(str(label), is_share)


def _log(axis: Axis) -> Axis:
    return Axis(**asdict(axis) | {"scale": "log"})


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "", [], {}, ())}


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def check_plot_file(file: str | Path) -> None:
    """Raise GameError unless the name of a file ends like a picture that can be drawn."""
    if Path(file).suffix.lower() not in PLOT_SUFFIXES:
        problem = f"{file}: plots are drawn as {', '.join(PLOT_SUFFIXES)}; end the name of the file with one of these"
        raise GameError(problem, ErrorCode.INVALID_VALUE)
