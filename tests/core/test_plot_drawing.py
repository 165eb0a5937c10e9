"""Figures: width and size of text of the files, units, and values as the web page reads them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.plot_drawing import save_figure
from abl_cards.core.plot_ticks import linear_ticks, log_ticks, spread
from abl_cards.core.plots import (
    Axis,
    ErrorBarPlot,
    LinePlot,
    MatrixPlot,
    Plot,
    plot_caption,
    plot_from_json,
    share_axis,
)

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "docs" / "results").glob("*/results.json"))

LINES = LinePlot(
    "lines", "Lines", Axis("time", "s"), share_axis("share won"), {"one": [(1, 0.5), (4, 0.75)], "two": [(1, 0.2)]},
    {"published": [(1, 0.9), (4, 0.9)]}, {"one": [(1, 0.4, 0.6), (4, 0.7, 0.8)]}, log_x=True, n="20 games",
    interval="95 % intervals", reference=0.5,
)  # fmt: skip
DOTS = ErrorBarPlot(
    "dots", "Dots", share_axis("share won"), {"a, x": (0.5, 0.4, 0.6), "a, y": (0.7, None, None)}, 0.5, {"a, x": 20},
    {"a, x": ("x", "a"), "a, y": ("y", "a")},
)  # fmt: skip
BARS = ErrorBarPlot("bars", "Bars", Axis("throughput", "decisions/s"), {"a": (12000, None, None)}, is_filled=True)
MATRIX = MatrixPlot(
    "matrix", "Matrix", ("a", "b"), ("a", "b"), [[None, 0.9], [0.1, None]], bounds=[[None, (0.8, 0.95)], [(0.05, 0.2),
    None]], counts=[[None, 20], [20, None]], marks=[[0, 2], [0, 0]],
)  # fmt: skip
PLOTS: list[Plot] = [LINES, DOTS, BARS, MATRIX]


@pytest.mark.parametrize("width", [3.3, 6.9])
def test_long_names_leave_room_for_the_values(width: float, tmp_path: Path) -> None:
    """An agent may have the path of its weights in its name."""
    pytest.importorskip("matplotlib")
    from abl_cards.core.plot_drawing import save_figure

    name = f"abl:weights={'a-folder/' * 20}tiny.safetensors"
    plot = ErrorBarPlot("a", "A", share_axis("share won"), {name: (0.5, 0.4, 0.6), "kb": (0.7, 0.6, 0.8)}, 0.5)
    save_figure(plot, tmp_path / "a.svg", width)  # a warning of a collapsed layout is an error here
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "abl:wei" in text
    assert ".safetensors" in text
    assert name not in text


@pytest.mark.parametrize("seconds", [(0.0, 2.0), (0.0, 0.0), (-1.0, 2.0)])
def test_non_positive_values_are_drawn_despite_a_log_axis(seconds: tuple[float, float], tmp_path: Path) -> None:
    """A clock may be too coarse for what it measures; the page has a linear scale then as well."""
    pytest.importorskip("matplotlib")
    from abl_cards.core.plot_drawing import save_figure

    points = list(enumerate(seconds))
    bands = {"one": [(place, value, value + 1) for place, value in points]}
    upright = LinePlot("a", "A", Axis("depth"), Axis("time", "s"), {"one": points}, bands=bands, log_y=True)
    across = LinePlot("b", "B", Axis("time", "s"), Axis("depth"), {"one": [(y, x) for x, y in points]}, log_x=True)
    for plot in (upright, across):
        save_figure(plot, tmp_path / f"{plot.name}.svg")
        assert plot.title in (tmp_path / f"{plot.name}.svg").read_text("utf-8")


@pytest.mark.parametrize("width", [3.3, 6.9])
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_files_have_the_width_and_text_of_eight_points(plot: Plot, width: float, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from abl_cards.core.plot_drawing import save_figure

    save_figure(plot, tmp_path / "a.svg", width)
    text = (tmp_path / "a.svg").read_text("utf-8")
    found = re.search(r'<svg [^>]*?width="([\d.]+)pt"', text, re.DOTALL)
    assert found
    assert float(found[1]) == pytest.approx(72 * width, abs=0.1)
    sizes = set(re.findall(r"font(?:-size)?: (?:bold )?([\d.]+)px", text))
    assert sizes == {"8"}
    assert plot.title in text
    if plot is not DOTS:
        return
    save_figure(plot, tmp_path / "b.svg", width)
    assert (tmp_path / "b.svg").read_text("utf-8") == text
    save_figure(plot, tmp_path / "a.pdf", width)
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", (tmp_path / "a.pdf").read_bytes())
    assert box
    assert float(box[1]) == pytest.approx(72 * width, abs=0.1)


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_plots_round_trip_through_json(plot: Plot) -> None:
    written = json.loads(json.dumps(plot.to_json()))
    again = plot_from_json(plot.name, written)
    assert again is not None
    assert json.loads(json.dumps(again.to_json())) == written


def test_plots_without_units_are_read() -> None:
    lines = plot_from_json("p", {"title": "T", "across": "games", "up": "share won", "lines": {"a": [[1, 0.5]]}})
    assert isinstance(lines, LinePlot)
    assert [axis.text for axis in lines.axes] == ["games", "share won (%)"]
    bars = plot_from_json("p", {"title": "T", "across": "seconds", "bars": {"a": [1, 0.5, 2]}})
    assert isinstance(bars, ErrorBarPlot)
    assert (bars.axis.is_share, bars.to_json()["kind"]) == (False, "dots")
    assert plot_from_json("p", {"title": "T"}) is None


@pytest.mark.parametrize("file", RESULTS, ids=[file.parent.name for file in RESULTS])
def test_documented_figures_have_units_counts_and_intervals(file: Path) -> None:
    results = json.loads(file.read_text("utf-8"))
    report = (file.parent / "report.md").read_text("utf-8")
    assert results["summary"]
    for name, value in results["plots"].items():
        plot = plot_from_json(name, value)
        assert plot is not None
        axes: tuple[Axis, ...] = plot.axes if isinstance(plot, LinePlot) else (plot.axis,)  # type: ignore[attr-defined]
        assert all(axis.label and axis.unit for axis in axes), name
        assert plot.n, name
        assert "interval" in plot.interval or "seed" in plot.interval, name
        assert plot_caption(plot) in report
        picture = (file.parent / f"{name}.svg").read_text("utf-8")
        assert "RdYlGn" not in picture
        assert set(re.findall(r"font(?:-size)?: (?:bold )?([\d.]+)px", picture)) == {"8"}
    assert not list(file.parent.glob("*.png"))


@pytest.mark.parametrize(("low", "high"), [(0.0005, 31.0), (0.028, 1.5), (3.0, 4.0), (1.0, 4.3e6)])
def test_log_ticks_are_round_and_inside(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 6
    assert all(low <= tick <= high for tick in ticks)
    assert high < 2 * low or all(f"{tick:e}"[0] in "1235" for tick in ticks)


@pytest.mark.parametrize(("low", "high"), [(4, 8), (0, 1), (-3, 3), (1e6, 4e6), (5, 5)])
def test_whole_ticks_are_whole(low: float, high: float) -> None:
    ticks: list[Any] = linear_ticks(low, high, is_integer=True)
    assert all(tick == int(tick) for tick in ticks)
    assert 1 <= len(ticks) <= 6


def test_labels_do_not_overlap() -> None:
    places = spread([10, 10, 11, 50, 2], 8, 0, 60)
    ordered = sorted(places)
    assert min(after - before for before, after in pairwise(ordered)) == pytest.approx(8)
    assert min(places) >= 0
    assert max(places) <= 60
    assert places.index(max(places)) == 3


@pytest.mark.parametrize("name", ["x.bmp", "x", "x.svg.gz"])
def test_other_file_endings_raise(name: str, tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        save_figure(LINES, tmp_path / name)
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert not any(tmp_path.iterdir())
