"""Workspace of an experiment: its folder, earlier measurements, log, progress bar and partial report."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from abl_cards.core import append_result, attribute_os_errors, find_stored_inputs, read_results, result_key
from abl_cards.experiments.provenance import find_fingerprints
from abl_cards.experiments.report import ExperimentReport, ReportTable

ProgressCallback = Callable[[int, str], None]
"""Called with the amount that is done, and a remark."""


class ProgressBarFactory(Protocol):
    """Opens a progress bar."""

    def __call__(
        self, text: str, total: int | None, side_by_side: int = ..., done: int = ...
    ) -> AbstractContextManager[ProgressCallback]:
        """Open a bar with a text, a total, the number of items worked on at once, and what had been done before."""


ReportPublisher = Callable[[ExperimentReport, str], Any]
"""Called with the report of finished measurements, and a text about missing ones."""
RemoteRunner = Callable[[Sequence[str], Mapping[str, Any]], Iterator[tuple[str, Any]]]
"""Measures cells by their keys, given known results by key; yields keys and results as they are measured."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MAX_NAMES = 12
"""Most missing items that are named; more are counted."""
_MAX_RESULT_LENGTH = 200
"""Characters of a result in the report of an experiment without a partial report of its own."""


@contextmanager
def no_progress_bar(text: str, total: int | None, side_by_side: int = 1, done: int = 0) -> Iterator[ProgressCallback]:
    """Show no progress bar."""
    yield lambda done, remark: None


def discard_report(report: ExperimentReport, missing: str) -> None:
    """Publish no partial report."""


class MissingCell(BaseException):  # an experiment that handles exceptions of its own must not handle this one
    """Signal of a dry run: a cell that was not measured yet."""

    def __init__(self, inputs: Mapping[str, Any], text: str) -> None:
        super().__init__(text)
        self.inputs, self.text = inputs, text


class ExperimentWorkspace:
    """Folder of results. A cell is a result with its inputs; a finished cell is never measured again.

    Finished cells are published before more is measured, so that a run that is killed leaves a report of them.
    """

    def __init__(
        self,
        folder: str | Path,
        progress_bar: ProgressBarFactory = no_progress_bar,
        publish: ReportPublisher = discard_report,
        remote_runner: RemoteRunner | None = None,
        use_cache: bool = True,
    ) -> None:
        """Open a folder, and read the cells that were measured before.

        Args:
            folder: Folder of results, created if missing.
            progress_bar: Opens a progress bar.
            publish: Called with partial reports.
            remote_runner: Measures cells elsewhere; None to measure here.
            use_cache: Read earlier cells.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.progress_bar, self._publish = folder, progress_bar, publish
        self._remote_runner, self._is_dry_run = remote_runner, False
        self.cells_path = folder / "cells.jsonl"
        self._results = read_results(self.cells_path) if use_cache else {}
        self.last_stored: str | None = None  # text of the last cell whose result was read from the file
        self._num_done = self._num_planned = 0
        self._finished: list[tuple[str, Any]] = []  # texts and results
        self.fingerprints: dict[str, str] = {}  # of the inputs of finished cells, by name
        self._make_report: Callable[[], ExperimentReport] | None = None  # of the finished cells
        self._describe_missing: Callable[[], str] = self._count_missing
        self._is_published = True  # whether all that is finished is published

    def plan_cells(self, num_cells: int) -> None:
        """Add to the number of cells that the progress bar shows."""
        self._num_planned += num_cells

    def measure_cell(
        self,
        inputs: Mapping[str, Any],
        compute: Callable[[ProgressCallback], Any],
        text: str,
        total: int | None = None,
        side_by_side: int = 1,
    ) -> Any:
        """Return the result of a cell: the stored one, or a new measurement.

        Args:
            inputs: Everything that the result depends on: settings, rules, weights.
            compute: Measures the result as plain values.
            text: Text of the progress bar.
            total: Total of the progress bar; None where it is unknown.
            side_by_side: Items of the total that are worked on at once.

        Returns:
            The result as plain values.
        """
        inputs = find_stored_inputs(self._results, inputs)
        key = result_key(inputs)
        if key in self._results:
            self.last_stored = text
        if self._is_dry_run:
            return self._results[key] if key in self._results else self._handle_missing_cell(inputs, compute, text)
        if key in self._results:
            self.log(f"{text}: known")
            self._num_done += 1
        else:
            self.publish_partial()
            self._measure(inputs, compute, text, total, side_by_side)
        self._finished.append((text, self._results[key]))
        self.fingerprints |= find_fingerprints(inputs)
        if self._make_report is None:
            self._is_published = False
        return self._results[key]

    def _handle_missing_cell(
        self, inputs: Mapping[str, Any], compute: Callable[[ProgressCallback], Any], text: str
    ) -> Any:
        """Raise MissingCell for an unknown cell of a dry run."""
        raise MissingCell(inputs, text)

    def _measure(
        self,
        inputs: Mapping[str, Any],
        compute: Callable[[ProgressCallback], Any],
        text: str,
        total: int | None,
        side_by_side: int,
    ) -> None:
        self._num_done += 1
        began = time.perf_counter()
        title = f"[{self._num_done}/{max(self._num_done, self._num_planned)}] {text}"
        with self.progress_bar(title, total, side_by_side) as tell:
            self._store(inputs, compute(tell))
        self.log(f"{text}: {time.perf_counter() - began:.1f} s")

    def _store(self, inputs: Mapping[str, Any], value: Any) -> None:
        self._results[result_key(inputs)] = append_result(self.cells_path, inputs, value)

    # --- remote measurements ------------------------------------------------------------------------------------------

    def _measure_remotely(
        self, items: Sequence[K], measure: Callable[[K], V], show: Callable[[Mapping[K, V]], None]
    ) -> None:
        """Measure unknown cells of items elsewhere, in rounds: an item may need one cell before it names the next."""
        results, unknown = self._find_known(items, measure)
        while unknown and self._remote_runner:
            missing = {result_key(cell.inputs): cell for cell in unknown}
            with self.progress_bar(f"{len(missing)} measurements elsewhere", len(missing)) as tell:
                for number, (key, result) in enumerate(self._remote_runner(list(missing), self._results), 1):
                    self._store(missing[key].inputs, result)
                    self.log(f"{missing[key].text}: measured elsewhere")
                    tell(number, missing[key].text)
                    results, unknown = self._find_known(items, measure)
                    show(results)

    def _find_known(self, items: Sequence[K], measure: Callable[[K], V]) -> tuple[dict[K, V], list[MissingCell]]:
        """Return the measured items, and the missing cells of the others."""
        results, unknown = dict[K, V](), list[MissingCell]()
        self._is_dry_run = True
        try:
            for item in items:
                try:
                    results[item] = measure(item)
                except MissingCell as missing:
                    unknown.append(missing)
        finally:
            self._is_dry_run = False
        return results, unknown

    # --- partial reports ----------------------------------------------------------------------------------------------

    def measure_each(
        self,
        items: Iterable[K],
        measure: Callable[[K], V],
        report: Callable[[Mapping[K, V]], ExperimentReport],
        name: Callable[[K], str] = str,
    ) -> dict[K, V]:
        """Measure items one after the other.

        Args:
            items: Items to measure.
            measure: Measures an item.
            report: Makes the report of the finished items, at least one.
            name: Names an item in partial reports.

        Returns:
            Results by item.
        """
        every, results = list(items), dict[K, V]()

        def show(known: Mapping[K, V]) -> None:
            missing = [name(entry) for entry in every if entry not in known]
            if known and missing:
                self._publish(report(known), _join_names(missing))

        if self._remote_runner:
            self._measure_remotely(every, measure, show)
        for number, item in enumerate(every):
            results[item] = measure(item)
            missing = [name(entry) for entry in every[number + 1 :]]
            self.set_partial_report(lambda: report(results), lambda missing=missing: _join_names(missing))  # type: ignore[misc]
        return results

    def set_partial_report(
        self, report: Callable[[], ExperimentReport], missing: Callable[[], str] | None = None
    ) -> None:
        """Set the function that makes the partial report, and the text about missing measurements."""
        self._make_report, self._describe_missing, self._is_published = report, missing or self._count_missing, False

    def publish_partial(self) -> None:
        """Publish a partial report where cells were finished since the last one."""
        if not self._is_published:
            self._is_published = True
            self._publish((self._make_report or self._default_report)(), self._describe_missing())

    def _count_missing(self) -> str:
        left = self._num_planned - self._num_done
        return f"{left} of {self._num_planned} measurements" if left > 0 else "the rest"

    def _default_report(self) -> ExperimentReport:
        """Return the results as they are, for an experiment without a partial report."""
        rows = [[text, _truncate(json.dumps(result, ensure_ascii=False))] for text, result in self._finished]
        return ExperimentReport([ReportTable("finished", "Finished so far", ("what", "result"), rows)])

    def log(self, line: str) -> None:
        """Append a line to the log of the folder."""
        self._append_line("log.txt", f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {line}")

    def _append_line(self, name: str, line: str) -> None:
        file = self.folder / name
        with attribute_os_errors(file), file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")


def _join_names(names: list[str]) -> str:
    more = len(names) - _MAX_NAMES
    return ", ".join([*names[:_MAX_NAMES], *([f"{more} more"] if more > 0 else [])])


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_RESULT_LENGTH else f"{text[:_MAX_RESULT_LENGTH]} …"
