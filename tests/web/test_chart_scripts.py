"""Tests of the chart component without a browser, by node: its ticks equal those of the plots of documents."""

import json
import math
import re
from itertools import pairwise

import pytest

from abl_cards.core.plot_drawing import SERIES
from abl_cards.core.plot_ticks import linear_ticks, log_ticks, number_text, spread
from abl_cards.core.plots import Axis, LinePlot, MatrixPlot, share_axis
from abl_cards.web.static_files import STATIC_FOLDER
from tests.web.test_scripts import run_script

RANGES = [(0, 1), (4, 8), (-3.2, 17.9), (0.0005, 31), (1e6, 4.3e6), (50, 50), (0.028, 1.5), (3, 4), (-0.4, -0.1)]
PLACES: list[list[float]] = [[5, 5.5, 9], [10, 10, 11, 50, 2], [0, 0, 0, 0], [60, 59]]


def test_ticks_equal_those_of_python_plots() -> None:
    printed = run_script(
        """import { linearTicks, logTicks, numberText, spread } from './chart/ticks.js';
        ---
        print({ linear: input.ranges.map(([low, high]) => linearTicks(low, high)),
          whole: input.ranges.map(([low, high]) => linearTicks(low, high, 8, true)),
          log: input.ranges.filter(([low]) => low > 0).map(([low, high]) => logTicks(low, high)),
          texts: input.numbers.map(numberText),
          places: input.places.map((places) => spread(places, 8, 0, 60)) });""",
        ranges=RANGES, numbers=[0, 0.5, 600_000, 4.3e6, 1200, -3.25, 0.0005, 12_345, 999_600], places=PLACES,
    )  # fmt: skip
    positive = [(low, high) for low, high in RANGES if low > 0]
    assert printed["linear"] == [linear_ticks(low, high) for low, high in RANGES]
    assert printed["whole"] == [linear_ticks(low, high, 8, is_integer=True) for low, high in RANGES]
    assert printed["log"] == [log_ticks(low, high) for low, high in positive]
    numbers = (0, 0.5, 600_000, 4.3e6, 1200, -3.25, 0.0005, 12_345, 999_600)
    assert printed["texts"] == [number_text(number) for number in numbers]
    for places, ours in zip(printed["places"], PLACES, strict=True):
        assert places == pytest.approx(spread(ours, 8, 0, 60))


@pytest.mark.parametrize("axis", [Axis("x"), Axis("x", scale="log"), Axis("x", is_reversed=True), share_axis("x")])
def test_scale_maps_its_ends_and_is_invertible(axis: Axis) -> None:
    values = [0.2, 0.9]
    printed = run_script(
        """import { makeScale } from './chart/scale.js';
        ---
        const scale = makeScale(input.axis, input.values, 10, 210, 5, 0);
        print({ ends: input.values.map(scale.place), back: [10, 60, 210].map(scale.value), ticks: scale.ticks });""",
        axis=axis.to_json(), values=values,
    )  # fmt: skip
    ends = [210, 10] if axis.is_reversed else [10, 210]
    assert printed["ends"] == pytest.approx(ends)
    middle = 0.75 if axis.is_reversed else 0.25
    wished = 0.2 * 4.5**middle if axis.scale == "log" else 0.2 + 0.7 * middle
    first, last = reversed(values) if axis.is_reversed else values
    assert printed["back"] == pytest.approx([first, wished, last])
    assert all(10 <= tick["at"] <= 210 for tick in printed["ticks"])
    numbers = [float(tick["text"]) * (0.01 if axis.is_share else 1) for tick in printed["ticks"]]
    assert all(0.2 <= number <= 0.9 for number in numbers)
    assert len(numbers) > 1


def test_categories_are_evenly_spaced() -> None:
    printed = run_script(
        "import { makeScale } from './chart/scale.js';---"
        "const scale = makeScale(input.axis, [100, 0, 1, 10], 0, 340, 5);"
        "print({ places: [0, 1, 10, 100].map(scale.place), texts: scale.ticks.map((tick) => tick.text) });",
        axis=Axis("x", scale="category").to_json(),
    )
    steps = {round(after - before, 6) for before, after in pairwise(printed["places"])}
    assert len(steps) == 1
    assert printed["texts"] == ["0", "1", "10", "100"]


def test_values_are_saved_as_rows() -> None:
    line = LinePlot("l", "L", "x", "y", {"a, b": [(1, 0.5)]}, {"paper": [(2, 1)]}, {"a, b": [(1, 0.4, 0.6)]})
    matrix = MatrixPlot("m", "M", ("a",), ("b",), [[0.5]], bounds=[[(0.4, 0.6)]], counts=[[20]])
    printed = run_script(
        "import { chartRows, csvText } from './chart/table_data.js';---"
        "print(input.plots.map((plot) => csvText(chartRows(plot))));",
        plots=json.loads(json.dumps([line.to_json(), matrix.to_json()])),
    )
    assert printed[0].split("\r\n") == ["line,x,y,low,high", '"a, b",1,0.5,0.4,0.6', "paper,2,1,,", ""]
    assert printed[1].split("\r\n") == ["row,column,share,low,high,n", "a,b,0.5,0.4,0.6,20", ""]


def test_palette_equals_that_of_python_plots_with_enough_contrast() -> None:
    """Contrast of at least 4.5 on the ground of a panel, dark and light."""
    style = (STATIC_FOLDER / "style.css").read_text("utf-8")
    pairs = re.findall(r"--series-\d: light-dark\((#\w+), (#\w+)\);", style)
    assert tuple(light for light, _ in pairs) == SERIES
    for light, dark in pairs:
        assert _contrast(light, "#ffffff") >= 4.5
        assert _contrast(dark, "#1d2327") >= 4.5


def _contrast(one: str, two: str) -> float:
    first, second = sorted((_luminance(one), _luminance(two)))
    return (second + 0.05) / (first + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else math.pow((value + 0.055) / 1.055, 2.4) for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
