"""Repeat an experiment that trains over seeds, and combine its reports: intervals then cover seeds and deals.

Each seed is one cell, so that ``--ray`` runs seeds side by side. Its own cells lie in a folder of the seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from os.path import isfile
from pathlib import Path
from typing import Any, cast

import numpy as np

from abl_cards.agents import files_fingerprint
from abl_cards.core import plot_from_json, require_extra, setting, settings_to_json
from abl_cards.experiments.report import Cell, ErrorBarPlot, ExperimentReport, LinePlot, MatrixPlot, Plot, ReportTable
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressBarFactory, ProgressCallback
from abl_cards.games import load
from abl_cards.games.description import KB_ROOT, SHOW_FILE, Folder
from abl_cards.learners import WEIGHTS_FOLDER
from abl_cards.matches import SEED_METHOD, combine_seeds, describe_coverage, interval_error, paired_test

LOW, HIGH = "from", "to"
"""Names of the columns of an interval, which follow the column of its value."""
_PLOT_POINTS = 50
_UNIT = (0.0, 1.0)
RunFunction = Callable[[Any, ExperimentWorkspace], ExperimentReport]


@dataclass(frozen=True, kw_only=True)
class SeedsConfig:
    """Settings of an experiment that trains."""

    seeds: int = setting(1, "runs with consecutive seeds; from 2 on, intervals cover seeds and deals", range(1, 1001))


def over_seeds(run: RunFunction) -> RunFunction:
    """Return a function that runs an experiment once for each seed, and combines the reports.

    Args:
        run: The experiment; its settings have the fields ``seed`` and ``seeds``.

    Returns:
        The experiment over ``seeds`` seeds; with one seed its report is that of ``run``.
    """

    def run_seeds(settings: Any, workspace: ExperimentWorkspace) -> ExperimentReport:
        if settings.seeds == 1:
            return run(settings, workspace)
        require_extra("learning")
        seeds = range(settings.seed, settings.seed + settings.seeds)
        workspace.plan_cells(len(seeds))
        varying = ("seed", "seeds")
        plain = {name: value for name, value in settings_to_json(settings).items() if name not in varying}
        inputs = {type(settings).__name__: plain, "files": _inputs_fingerprint(settings)}

        def measure(seed: int) -> ExperimentReport:
            def compute(tell: ProgressCallback) -> Any:
                part = ExperimentWorkspace(workspace.folder / f"seed-{seed}", _forward_progress(tell))
                return _report_to_plain(run(replace(settings, seed=seed, seeds=1), part))

            return _report_from_plain(workspace.measure_cell({**inputs, "seed": seed}, compute, f"seed {seed}"))

        return combine_reports(workspace.measure_each(seeds, measure, combine_reports, "seed {}".format))

    return run_seeds


def _inputs_fingerprint(settings: Any) -> str:
    """Hash the rule files, the cards of shipped weights, and the files that settings name, such as records."""
    folders = [folder for name in ("kb", "game") for folder in _list_folders(getattr(settings, name, None))]
    files = [file for folder in (KB_ROOT, *folders) for file in sorted(folder.rglob("*.lp"))]
    files = [file for file in files if file.name != SHOW_FILE]  # which decides no play
    named = [file for value in vars(settings).values() for file in _find_named_files(value)]
    return files_fingerprint([*files, *sorted(WEIGHTS_FOLDER.glob("*.json")), *named])


def _list_folders(name: str | Path | None) -> tuple[Path, ...]:
    """Return the rule folder of a setting and, of a variant, those of its parents."""
    if name is None:
        return ()
    folder = load(name).folder.current() if isinstance(name, str) else Folder(name)
    return folder.layers.folders


def _find_named_files(value: object) -> Iterator[Path]:
    """Find the files in a setting: a path, or weights and modules in the names of agents."""
    for text in map(str, value if isinstance(value, tuple) else (value,)):
        yield from (Path(word) for word in dict.fromkeys((text, *re.split("[:,=]", text))) if isfile(word))


def _forward_progress(tell: ProgressCallback) -> ProgressBarFactory:
    """Return a factory of progress bars that report to the bar of the seed."""

    @contextmanager
    def open_bar(text: str, total: int | None, side_by_side: int = 1, done: int = 0) -> Iterator[ProgressCallback]:
        yield lambda done, remark: tell(done, f"{text}: {remark}")

    return open_bar


def combine_reports(reports: Mapping[int, ExperimentReport]) -> ExperimentReport:
    """Combine the reports of several seeds: means with intervals over seeds and deals, and paired tests.

    Args:
        reports: Report of each seed, at least one.

    Returns:
        Tables and plots of the means.
    """
    every = list(reports.values())
    tables: list[ReportTable] = []
    for first in every[0].tables:
        parts = [table for report in every for table in report.tables if table.name == first.name]
        tables += [_combine_tables(parts), *_paired_tables(parts)]
    plots = [
        _combine_plots([plot for report in every for plot in report.plots if plot.name == first.name])
        for first in every[0].plots
    ]
    return ExperimentReport(tables, plots, every[0].text if len(every) == 1 else "")


# --- tables ----------------------------------------------------------------------------------------------------------

RowKey = tuple[Cell, ...]


def _rows_by_key(parts: Sequence[ReportTable]) -> tuple[list[int], dict[RowKey, list[Sequence[Cell]]]]:
    """Return the text columns that all seeds share, and the rows of all seeds by their texts."""
    columns = range(len(parts[0].columns))
    texts = [
        {tuple(sorted(str(row[column]) for row in table.rows)) for table in parts} if _is_text(parts, column) else set()
        for column in columns
    ]
    shared = [column for column in columns if len(texts[column]) == 1]
    rows: dict[RowKey, list[Sequence[Cell]]] = {}
    for table in parts:
        seen: dict[RowKey, Iterator[int]] = {}
        for row in table.rows:
            key = tuple(row[column] for column in shared)
            rows.setdefault((*key, next(seen.setdefault(key, count()))), []).append(row)
    return shared, rows


def _is_text(parts: Sequence[ReportTable], column: int) -> bool:
    return any(isinstance(row[column], str) for table in parts for row in table.rows)


def _combine_tables(parts: Sequence[ReportTable]) -> ReportTable:
    """Return the means of tables of equal columns; an interval is added where there was none."""
    first, seeds = parts[0], len(parts)
    shared, rows = _rows_by_key(parts)
    intervals = {
        place - 1: place for place, name in enumerate(first.columns) if name == LOW and first.columns[place + 1] == HIGH
    }  # column of the value: first column of its interval
    bounds_columns = {place + step for place in intervals.values() for step in (0, 1)}
    varying = {
        column
        for column in range(len(first.columns))
        if column not in shared and column not in bounds_columns and not _is_text(parts, column)
        and any(len({row[column] for row in group}) > 1 for group in rows.values())
    }  # fmt: skip
    columns, percent = list[str](), set[str]()
    made: list[list[Cell]] = [[] for _ in rows]
    for column, name in enumerate(first.columns):
        if column in bounds_columns:
            continue
        names = [name]
        if column in intervals:
            names += [LOW, HIGH]
        elif column in varying:
            names += [f"{name}, {LOW}", f"{name}, {HIGH}"]
        is_percent = name in first.percent_columns
        columns += names
        percent |= set(names) if is_percent else set()
        for row, group in zip(made, rows.values(), strict=True):
            if len(names) == 1:
                row.append(group[0][column] if len({entry[column] for entry in group}) == 1 else None)
            else:
                row += _mean_cells(
                    [entry[column] for entry in group], _errors(group, intervals.get(column)), is_percent
                )
    note = (
        f"Means over {seeds} seeds. Intervals of 95 % cover {describe_coverage(seeds)} ({SEED_METHOD}). {first.note}"
        if seeds > 1
        else first.note
    )
    return replace(first, columns=tuple(columns), rows=made, note=note.strip(), percent_columns=frozenset(percent))


def _errors(group: Sequence[Sequence[Cell]], low: int | None) -> list[float] | None:
    """Return the standard errors of a value by deals, from its interval; None where one is unknown."""
    if low is None or any(not isinstance(row[place], float) for row in group for place in (low, low + 1)):
        return None
    return [interval_error((cast("float", row[low]), cast("float", row[low + 1]))) for row in group]


def _mean_cells(values: Sequence[Cell], errors: list[float] | None, is_share: bool) -> list[Cell]:
    """Return the mean of numbers and the bounds of its interval; dashes where there is no number."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if not numbers:
        return [None, None, None]
    known = errors if errors is not None and len(errors) == len(numbers) else None
    shares = is_share and all(0 <= number <= 1 for number in numbers)
    estimate = combine_seeds(numbers, known, bounds=_UNIT if shares else (-np.inf, np.inf))
    return [estimate.mean, *(estimate.interval or (None, None))]


def _paired_tables(parts: Sequence[ReportTable]) -> list[ReportTable]:
    """Return the table of paired tests: each row against the first one of its group, seed by seed."""
    first = parts[0]
    if not first.paired_column or len(parts) < 2:
        return []
    value = first.columns.index(first.paired_column)
    shared, rows = _rows_by_key(parts)
    within = [shared.index(column) for column in map(first.columns.index, first.paired_within)]
    lists = {key: [row[value] for row in group] for key, group in rows.items() if len(group) == len(parts)}
    made: list[list[Cell]] = []
    references: dict[RowKey, RowKey] = {}
    for key, values in lists.items():
        group = tuple(key[place] for place in within)
        reference = references.setdefault(group, key)
        if reference == key or any(not isinstance(number, int | float) for number in (*values, *lists[reference])):
            continue
        differences = np.array(values, np.float64) - np.array(lists[reference], np.float64)
        names = [", ".join(str(text) for text in other[:-1]) for other in (key, reference)]
        made.append([*names, *_mean_cells(differences.tolist(), None, False), paired_test(differences)])
    columns = ("row", "against row", f"difference of {first.paired_column}", LOW, HIGH, "p")
    percent = frozenset(columns[2:5]) if first.paired_column in first.percent_columns else frozenset[str]()
    note = f"Student's paired t-test over {len(parts)} seeds; the interval covers {describe_coverage(len(parts))}."
    table = ReportTable(f"{first.name}_paired", f"{first.title}: paired tests", columns, made, note, percent, 4)
    return [table] if made else []


# --- plots -----------------------------------------------------------------------------------------------------------


def _combine_plots(plots: Sequence[Plot]) -> Plot:
    """Return the means of plots, with intervals over seeds and deals where there are values."""
    first = plots[0]
    if len(plots) == 1:
        return first
    if isinstance(first, LinePlot):
        return _combine_lines([plot for plot in plots if isinstance(plot, LinePlot)])
    if isinstance(first, ErrorBarPlot):
        bars = [plot.bars for plot in plots if isinstance(plot, ErrorBarPlot)]
        means = {name: _bar([part[name] for part in bars if name in part]) for name in bars[0]}
        return replace(first, bars=means, counts={}, interval=_coverage_text(len(plots)))
    if isinstance(first, MatrixPlot):
        cells = np.array([plot.values for plot in plots if isinstance(plot, MatrixPlot)], np.float64)
        values = [[None if np.isnan(cell) else float(cell) for cell in row] for row in cells.mean(axis=0)]
        return replace(first, values=values, bounds=(), counts=(), interval=f"means over {len(plots)} seeds")
    return first


def _coverage_text(seeds: int) -> str:
    return f"95 % intervals cover {describe_coverage(seeds)}"


def _bar(bars: Sequence[tuple[float, float | None, float | None]]) -> tuple[float, float, float]:
    errors = [interval_error((low, high)) for _, low, high in bars if low is not None and high is not None]
    estimate = combine_seeds([bar[0] for bar in bars], errors if len(errors) == len(bars) else None)
    return (estimate.mean, *(estimate.interval or (estimate.mean, estimate.mean)))


def _combine_lines(plots: Sequence[LinePlot]) -> LinePlot:
    """Return mean lines with bands; lines with other points in each seed are interpolated where all have points."""
    lines: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for name in plots[0].lines:
        parts = [np.array(plot.lines[name], np.float64) for plot in plots if plot.lines.get(name)]
        if not parts:
            continue
        places = parts[0][:, 0]
        if any(len(part) != len(places) or not np.allclose(part[:, 0], places) for part in parts):
            low, high = max(part[0, 0] for part in parts), min(part[-1, 0] for part in parts)
            places = np.linspace(low, max(low, high), _PLOT_POINTS)
        values = np.array([np.interp(places, part[:, 0], part[:, 1]) for part in parts])  # [seeds, points]
        estimates = [combine_seeds(column) for column in values.T.tolist()]
        lines[name] = [(float(x), estimate.mean) for x, estimate in zip(places, estimates, strict=True)]
        bands[name] = [
            (float(x), *estimate.interval) for x, estimate in zip(places, estimates, strict=True) if estimate.interval
        ]
    return replace(plots[0], lines=lines, bands={**plots[0].bands, **bands}, interval=_coverage_text(len(plots)))


# --- plain values ----------------------------------------------------------------------------------------------------

_PLOT_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (LinePlot, ErrorBarPlot, MatrixPlot)}


def _report_to_plain(report: ExperimentReport) -> dict[str, Any]:
    """Return a report as plain values that `_report_from_plain` reads."""
    tables = [
        {**vars(table), "rows": [list(row) for row in table.rows], "percent_columns": sorted(table.percent_columns)}
        for table in report.tables
    ]
    plots = [{"name": plot.name, **_to_lists(plot.to_json())} for plot in report.plots]
    return {"tables": _to_lists(tables), "plots": plots, "text": report.text}


def _report_from_plain(plain: Mapping[str, Any]) -> ExperimentReport:
    """Read a report from plain values."""
    tables = [
        ReportTable(**{
            **table, "columns": tuple(table["columns"]), "percent_columns": frozenset(table["percent_columns"]),
            "paired_within": tuple(table["paired_within"]),
        })
        for table in plain["tables"]
    ]  # fmt: skip
    plots = [plot for value in plain["plots"] if (plot := _read_plot(value)) is not None]
    return ExperimentReport(tables, plots, plain["text"])


def _read_plot(value: Mapping[str, Any]) -> Plot | None:
    """Read a plot, also of cells that were stored with the names of classes."""
    kind = _PLOT_KINDS.get(value["kind"])
    if kind is not None:
        plot: Plot = kind(**{key: entry for key, entry in value.items() if key != "kind"})
        return plot
    return plot_from_json(value["name"], value)


def _to_lists(value: Any) -> Any:
    """Return nested values with lists in place of tuples and arrays, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _to_lists(entry) for key, entry in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple | np.ndarray):
        return [_to_lists(entry) for entry in value]
    return value
