"""Draw figures with matplotlib: 3.3 or 6.9 inches wide, text of 8 points, legible in grey and for colour-blind readers.

Lines differ in colour, dash and marker, and are labelled at their ends. Matrices have shades of one blue.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.core.arguments import check_path
from abl_cards.core.atomic_files import atomic_write
from abl_cards.core.plot_ticks import linear_ticks, log_ticks, number_text, spread
from abl_cards.core.plots import Axis, ErrorBarPlot, LinePlot, MatrixPlot, Plot, check_plot_file, plot_caption

COLUMN_WIDTH, PAGE_WIDTH = 3.3, 6.9
"""Widths of a figure in inches: one column of a paper, and a whole page."""
FONT_SIZE = 8
"""Size of all text in points."""
SERIES = ("#0072b2", "#b34700", "#00795a", "#8c4a7f", "#7a5c00", "#2b7a99", "#4d4d4d")
"""Colours of lines and dots; the page has them as ``--series-1`` and so on."""
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1.2)),
    (0, (5, 1.2, 1, 1.2)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_INK, _SOFT, _GRID = "#17211c", "#56625b", "#d9dedb"
_CHARACTER = 0.0615
"""Mean width of a character in inches."""
_LINE = 0.15
"""Height of a line of text in inches."""
_MAX_MARKERS = 14
"""Largest number of markers of a line."""
_STYLE: Any = {
    "font.size": FONT_SIZE, "axes.titlesize": FONT_SIZE, "axes.labelsize": FONT_SIZE, "xtick.labelsize": FONT_SIZE,
    "ytick.labelsize": FONT_SIZE, "legend.fontsize": FONT_SIZE, "figure.titlesize": FONT_SIZE,
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "svg.fonttype": "none",
    "svg.hashsalt": "abl-cards", "pdf.fonttype": 42, "axes.linewidth": 0.6, "axes.edgecolor": _SOFT,
    "axes.labelcolor": _INK, "text.color": _INK,
    "xtick.color": _SOFT, "ytick.color": _SOFT, "xtick.labelcolor": _INK, "ytick.labelcolor": _INK,
    "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.2, "lines.markersize": 3.2,
    "xtick.minor.visible": False, "ytick.minor.visible": False,
}  # fmt: skip


@dataclass
class _Sheet:
    """Figure with room above for the title and below for the caption and the legend."""

    figure: Any
    width: float
    top: float  # inches above the axes
    bottom: float  # inches below the axes
    height: float

    def settle(self) -> None:
        """Compute the layout of the axes."""
        share = self.height
        self.figure.get_layout_engine().set(
            rect=(0, self.bottom / share, 1, (share - self.top - self.bottom) / share), w_pad=0.03, h_pad=0.03
        )
        self.figure.canvas.draw()


def save_figure(plot: Plot, file: str | Path, width: float = PAGE_WIDTH) -> None:
    """Draw a figure into a file.

    Args:
        plot: The figure.
        file: The file, which is replaced atomically; its suffix is ``.svg``, ``.pdf`` or ``.png``.
        width: Width in inches, ``COLUMN_WIDTH`` or ``PAGE_WIDTH``.

    Raises:
        GameError: The file has another suffix.
        ModuleNotFoundError: matplotlib is not installed.
        OSError: The file cannot be written.
    """
    file = check_path("file", file)
    check_plot_file(file)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    kind = file.suffix[1:].lower()
    with rc_context(_STYLE):
        figure = _draw(plot, width)
        FigureCanvasAgg(figure)
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
        with atomic_write(file) as stream:
            figure.savefig(stream, format=kind, dpi=200, metadata=metadata)


def _draw(plot: Plot, width: float) -> Any:
    if isinstance(plot, LinePlot):
        return _draw_lines(plot, width)
    if isinstance(plot, ErrorBarPlot):
        return _draw_dots(plot, width)
    if isinstance(plot, MatrixPlot):
        return _draw_matrix(plot, width)
    raise TypeError(f"no drawing of {type(plot).__name__}")


def _open_sheet(plot: Plot, width: float, body: float, below: float = 0.0) -> _Sheet:
    """Make a figure with its title and caption; ``body`` and ``below`` are inches of the axes and of the legend."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = int((width - 0.1) / _CHARACTER)
    title = textwrap.wrap(plot.title, columns - 2)
    caption = textwrap.wrap(plot_caption(plot), columns)
    top, bottom = _LINE * len(title) + 0.08, _LINE * len(caption) + (0.08 if caption else 0.0)
    height = body + top + bottom + below
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    place = 0.04 / width
    figure.text(place, 1 - 0.03 / height, "\n".join(title), va="top", weight="bold", linespacing=1.15)
    figure.text(place, 0.04 / height, "\n".join(caption), va="bottom", color=_SOFT, linespacing=1.15)
    return _Sheet(figure, width, top, bottom + below, height)


# --- axes ------------------------------------------------------------------------------------------------------------


def _set_axis(axes: Any, name: str, axis: Axis, values: Sequence[float], count: int) -> None:
    """Set label, scale, limits and ticks of the axis ``x`` or ``y`` from the shown numbers.

    Numbers of which some are not positive, such as times below the resolution of a clock, have a linear scale.
    """
    low, high = min(values), max(values)
    matplotlib_axis = getattr(axes, f"{name}axis")
    matplotlib_axis.set_label_text(axis.text)
    if axis.scale == "category":
        places = sorted(set(values))
        matplotlib_axis.set_ticks(range(len(places)), [number_text(value) for value in places])
        limits = (-0.3, len(places) - 0.7)
    elif axis.scale == "log" and low > 0:
        getattr(axes, f"set_{name}scale")("log")
        ticks = log_ticks(low, high, count)
        matplotlib_axis.set_ticks(ticks, [number_text(tick) for tick in ticks], minor=False)
        matplotlib_axis.set_ticks([], minor=True)
        limits = (low / 1.15, high * 1.15)
    else:
        pad = (high - low or 1) * 0.04
        limits = (low - pad, high + pad)
        ticks = linear_ticks(low, high, count, axis.is_integer)
        matplotlib_axis.set_ticks(ticks, [number_text(tick) for tick in ticks])
    getattr(axes, f"set_{name}lim")(*(limits[::-1] if axis.is_reversed else limits))


def _shorten(name: str, room: float) -> str:
    """Leave out the middle of a name that takes more than some inches, such as that of an agent with a long path."""
    most = int(room / _CHARACTER)
    return name if len(name) <= most else f"{name[: most // 3]}…{name[most // 3 + 1 - most :]}"


def _grid(axes: Any, which: str) -> None:
    axes.grid(axis=which, color=_GRID, linewidth=0.5)
    axes.set_axisbelow(True)


# --- lines -----------------------------------------------------------------------------------------------------------


def _draw_lines(plot: LinePlot, width: float) -> Any:
    lines = {name: points for name, points in {**plot.lines, **plot.dashed}.items() if points}
    longest = max((len(name) for name in lines), default=0) * _CHARACTER + 0.2
    is_beside = len(lines) > 1 and longest < 0.34 * width
    legend = 0 if is_beside or len(lines) < 2 else -(-len(lines) // _legend_columns(lines, width))
    sheet = _open_sheet(plot, width, 2.1 if width < 5 else 2.7, legend * _LINE + (0.05 if legend else 0))
    axes = sheet.figure.subplots()
    x, y = plot.axes
    places = sorted({point[0] for points in lines.values() for point in points})
    drawn = []
    for index, (name, points) in enumerate(lines.items()):
        drawn.append(_draw_line(axes, plot, index, name, points, places))
    if plot.reference is not None:
        axes.axhline(plot.reference * y.factor, color=_SOFT, linewidth=0.8, linestyle=(0, (2, 2)))
    heights = [
        y.factor * value
        for points in [*lines.values(), *plot.bands.values()]
        for point in points
        for value in point[1:]
    ]
    heights += [plot.reference * y.factor] if plot.reference is not None else []
    _grid(axes, "both")
    _set_axis(axes, "x", x, [x.factor * place for place in places] or [0, 1], 5 if width < 5 else 8)
    _set_axis(axes, "y", y, heights or [0, 1], 6)
    if is_beside:
        for name in lines:  # reserves the room of the labels
            axes.annotate(name, (1, 0.5), (6, 0), "axes fraction", textcoords="offset points", alpha=0)
    sheet.settle()
    if is_beside:
        _label_ends(axes, list(lines), drawn)
    elif legend:
        sheet.figure.legend(
            [line for line, _ in drawn], list(lines), loc="lower left", ncols=_legend_columns(lines, width),
            bbox_to_anchor=(0.02, (sheet.bottom - legend * _LINE - 0.05) / sheet.height), frameon=False,
            borderaxespad=0, handlelength=3, columnspacing=1.2, labelspacing=0.15,
        )  # fmt: skip
    return sheet.figure


def _legend_columns(lines: Mapping[str, Any], width: float) -> int:
    widest = max(len(name) for name in lines) * _CHARACTER + 0.55
    return max(1, min(len(lines), int((width - 0.1) / widest)))


def _draw_line(
    axes: Any, plot: LinePlot, index: int, name: str, points: Sequence[tuple[float, float]], places: Sequence[float]
) -> tuple[Any, tuple[float, float]]:
    """Draw a line with its band; returns the artist and its right end."""
    x, y = plot.axes
    published = name in plot.dashed and name not in plot.bands
    order = index - (len(plot.lines) if published else 0)
    colour = _SOFT if published else SERIES[index % len(SERIES)]

    def place(value: float) -> float:
        return places.index(value) if x.scale == "category" else value * x.factor

    across = [place(point[0]) for point in points]
    up = [point[1] * y.factor for point in points]
    (line,) = axes.plot(
        across, up, color=colour, linestyle=(0, (2, 1.5)) if published else _DASHES[index % len(_DASHES)],
        marker=_MARKERS[(order + 3 * published) % len(_MARKERS)], markevery=max(1, -(-len(points) // _MAX_MARKERS)),
        markerfacecolor="white" if published or index % 2 else colour, markeredgewidth=0.8,
        linewidth=max(1.1, 2.3 - 0.3 * index) if not published else 1.0, zorder=3 + 0.1 * index,
    )  # fmt: skip
    if plot.bands.get(name):
        low, high = ([bound * y.factor for bound in column] for column in list(zip(*plot.bands[name], strict=True))[1:])
        axes.fill_between(
            [place(point[0]) for point in plot.bands[name]], low, high, alpha=0.16, color=colour, linewidth=0
        )
    end = min(across) if x.is_reversed else max(across)
    return line, (end, up[across.index(end)])


def _label_ends(axes: Any, names: Sequence[str], drawn: Sequence[tuple[Any, tuple[float, float]]]) -> None:
    """Write the names of lines beside their right ends, moved apart."""
    height = axes.bbox.height / axes.figure.dpi * 72  # points
    shares = [float(axes.transLimits.transform(axes.transScale.transform(end))[1]) for _, end in drawn]
    moved = spread([share * height for share in shares], FONT_SIZE * 1.25, 3, height - 3)
    for text in [child for child in axes.texts if child.get_alpha() == 0]:
        text.remove()
    for name, (line, end), place in zip(names, drawn, moved, strict=True):
        axes.annotate(
            name, end, (1, place / height), "data", textcoords=_offset_from(axes, 9), va="center",
            arrowprops={"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3},
            color=line.get_color(), annotation_clip=False,
        )  # fmt: skip


def _offset_from(axes: Any, points: float) -> Any:
    """Return the transform of axes fractions, moved to the right by points."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transAxes + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


# --- dots and bars ---------------------------------------------------------------------------------------------------


def _draw_dots(plot: ErrorBarPlot, width: float) -> Any:
    panels = plot.panels()
    columns = 1 if len(panels) == 1 else min(len(panels), 4 if width > 5 else 2)
    lines = -(-len(panels) // columns)
    most = max((len(panel) for panel in panels.values()), default=1)
    label = _LINE + 0.03 if columns > 1 else 0.0  # one label below all panels
    body = lines * (0.19 * most + (0.25 if len(panels) > 1 else 0.08)) + (0.2 if label else 0.42)
    sheet = _open_sheet(plot, width, body, label)
    grid = sheet.figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=len(panels) > 1)
    factor = plot.axis.factor
    numbers = [factor * number for bar in plot.bars.values() for number in bar if number is not None]
    numbers += [factor * plot.reference] if plot.reference is not None else []
    numbers += [0.0] if plot.is_filled else []
    for index, axes in enumerate(grid.flat):
        if index >= len(panels):
            axes.set_visible(False)
            continue
        title, panel = list(panels.items())[index]
        _draw_panel(axes, plot, panel, title, 0.4 * width, show_text=len(panels) == 1 and width > 5)
        _set_axis(axes, "x", plot.axis, numbers or [0, 1], 4 if columns > 1 or width < 5 else 8)
        if label:
            axes.set_xlabel("")
    if label:
        sheet.figure.text(0.5, (sheet.bottom - _LINE) / sheet.height, plot.axis.text, ha="center", va="bottom")
    sheet.settle()
    return sheet.figure


def _draw_panel(
    axes: Any, plot: ErrorBarPlot, panel: Mapping[str, str], title: str, label_room: float, show_text: bool
) -> None:
    """Draw the values of a panel from top to bottom; ``label_room`` is inches for the names."""
    factor, rows = plot.axis.factor, list(panel.items())[::-1]
    if plot.reference is not None:
        axes.axvline(plot.reference * factor, color=_SOFT, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    for place, (_, name) in enumerate(rows):
        value, low, high = (None if number is None else factor * number for number in plot.bars[name])
        if plot.is_filled:
            axes.barh(place, value, height=0.62, color=SERIES[0], alpha=0.75)
        if low is not None and high is not None and high > low:
            axes.plot([low, high], [place, place], color=SERIES[0], linewidth=1.6, solid_capstyle="butt", zorder=2)
            for end in (low, high):
                axes.plot([end, end], [place - 0.16, place + 0.16], color=SERIES[0], linewidth=0.9, zorder=2)
        if not plot.is_filled:
            axes.plot([value], [place], "o", color=SERIES[0], markersize=4.2, zorder=3)
        if show_text:
            axes.annotate(
                _dot_text(plot, name), (1, place), (8, 0), ("axes fraction", "data"), textcoords="offset points",
                va="center", color=_INK,
            )  # fmt: skip
    axes.set_yticks(range(len(rows)), [_shorten(label, label_room) for label, _ in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, loc="left", pad=2)
    _grid(axes, "x")


def _dot_text(plot: ErrorBarPlot, name: str) -> str:
    """Return a value with its interval and sample size."""
    value, low, high = (None if number is None else plot.axis.factor * number for number in plot.bars[name])
    largest = max(abs(plot.axis.factor * bar[0]) for bar in plot.bars.values())
    digits = 1 if plot.axis.is_share else 0 if largest >= 100 else 2
    bounds = f" [{low:.{digits}f}, {high:.{digits}f}]" if low is not None and high is not None and high > low else ""
    count = f"  n = {plot.counts[name]:,}" if name in plot.counts else ""
    return f"{value:.{digits}f}{bounds}{count}".replace("-", "−")


# --- matrices --------------------------------------------------------------------------------------------------------


def _draw_matrix(plot: MatrixPlot, width: float) -> Any:
    label_width = max((len(row) for row in plot.rows), default=1) * _CHARACTER + 0.15
    across = max((len(column) for column in plot.columns), default=1)
    is_slanted = across * _CHARACTER > (width - label_width) / max(1, len(plot.columns)) - 0.05
    head = 0.62 * across * _CHARACTER + 0.2 if is_slanted else 0.22
    is_plain = width < 5  # numbers in the cells are enough
    cell = (width - label_width - (0.15 if is_plain else 0.75)) / max(1, len(plot.columns))
    height = max(0.21, min(0.42, cell)) if not plot.bounds or cell < 0.42 else 0.36
    sheet = _open_sheet(plot, width, head + height * len(plot.rows) + (0.3 if is_plain else 0.1))
    axes = sheet.figure.subplots()
    factor = plot.axis.factor
    values = [[float("nan") if value is None else factor * value for value in row] for row in plot.values]
    image = axes.imshow(values, vmin=0, vmax=plot.top * factor, cmap="Blues", aspect="auto")
    axes.xaxis.tick_top()
    slant = {"rotation": 38, "ha": "left"} if is_slanted else {}
    axes.set_xticks(range(len(plot.columns)), plot.columns, **slant)
    axes.set_yticks(range(len(plot.rows)), plot.rows)
    axes.tick_params(length=0, pad=2)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks([index + 0.5 for index in range(len(plot.columns) - 1)], minor=True)
    axes.set_yticks([index + 0.5 for index in range(len(plot.rows) - 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0)
    _write_cells(axes, plot, image, cell)
    if is_plain:
        axes.set_xlabel(plot.axis.text)
        sheet.settle()
        return sheet.figure
    bar = sheet.figure.colorbar(image, ax=axes, fraction=0.03, pad=0.015, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label(plot.axis.text)
    ticks = linear_ticks(0, plot.top * factor, 5)
    bar.set_ticks(ticks, labels=[number_text(tick) for tick in ticks])
    sheet.settle()
    return sheet.figure


def _write_cells(axes: Any, plot: MatrixPlot, image: Any, cell: float) -> None:
    """Write numbers into cells that have room, light on dark, and draw rings."""
    digits = 0 if plot.axis.is_share else 2
    for down, row in enumerate(plot.values):
        for across, value in enumerate(row):
            rings = _cell(plot.marks, down, across) or 0
            if value is None:
                axes.text(across, down, "–", ha="center", va="center", color=_SOFT)
                continue
            red, green, blue, _ = image.cmap(image.norm(value * plot.axis.factor))
            is_dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.55
            colour = "white" if is_dark else _INK
            for ring in range(rings):
                axes.plot([across], [down], "o", markerfacecolor="none", markeredgecolor="#b34700",
                          markersize=15 - 4 * ring, markeredgewidth=1.3)  # fmt: skip
            text = f"{value * plot.axis.factor:.{digits}f}"
            bounds = _cell(plot.bounds, down, across)
            if bounds and cell >= 0.42 and None not in bounds:
                low, high = (bound * plot.axis.factor for bound in bounds if bound is not None)
                text += f"\n{low:.0f}–{high:.0f}"
            is_shown = float(text.split("\n")[0]) > 0 or not plot.marks
            if len(text.split("\n")[0]) * 0.066 < cell and is_shown:
                axes.text(across, down, text, ha="center", va="center", color=colour, linespacing=1.05)


def _cell(rows: Sequence[Sequence[Any]], down: int, across: int) -> Any:
    return rows[down][across] if rows else None
