"""Measure cells of an experiment as tasks of Ray.

A task receives no function and no object, only the name of the experiment, its settings, known results and the key of
one cell. It runs the experiment up to that cell, with a workspace that returns known results, skips unknown cells, and
measures the requested one. So the result equals that of one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.cluster import PackedArray, RayCluster, pack, pack_result, unpack
from abl_cards.core import ErrorCode, GameError, result_key
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.workspace import ExperimentWorkspace, K, MissingCell, ProgressCallback, V
from abl_cards.training import from_plain, to_plain


@dataclass(frozen=True)
class RemoteCells:
    """Measures cells of an experiment in a cluster; a ``RemoteRunner``.

    Attributes:
        cluster: Cluster of Ray.
        name: Name of the experiment.
        settings: Its settings.
        folder: Folder of results.
    """

    cluster: RayCluster
    name: str
    settings: Any
    folder: Path

    def __call__(self, keys: Sequence[str], known_results: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield keys and results of cells as they are measured; raises GameError."""
        packed = pack([self.name, to_plain(self.settings), str(self.folder.absolute()), dict(known_results)])
        for number, result in self.cluster.run_tasks(_measure_packed, [(packed, key) for key in keys]):
            yield keys[number], result


def _measure_packed(task: PackedArray, key: str) -> PackedArray:
    def measure() -> Any:
        name, settings, folder, known = unpack(task)
        return _measure(name, settings, folder, known, key)

    return pack_result(measure)


def _measure(name: str, settings: Any, folder: str, known: dict[str, Any], key: str) -> Any:
    from abl_cards.experiments.experiment import get_experiment

    experiment = get_experiment(name)
    workspace = _SingleCellWorkspace(Path(folder), known, key)
    try:
        experiment.run(from_plain(type(experiment.settings), settings), workspace)
    except _CellMeasured as measured:
        return measured.result
    except MissingCell as missing:
        problem = f"{name}: {missing.text} is needed before the requested cell: {key}"
        raise GameError(problem, ErrorCode.INVALID_RESULT) from None
    problem = f"{name} has no such cell here: {key}; have all machines the same version, rules and weights?"
    raise GameError(problem, ErrorCode.INVALID_RESULT)


class _CellMeasured(BaseException):  # as MissingCell, not to be handled by an experiment
    """End of a run whose requested cell is measured."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class _SingleCellWorkspace(ExperimentWorkspace):
    """Workspace that measures one cell, and writes nothing."""

    def __init__(self, folder: Path, known: Mapping[str, Any], requested: str) -> None:
        super().__init__(folder, use_cache=False)
        self._results, self._requested, self._is_dry_run = dict(known), requested, True

    def _handle_missing_cell(
        self, inputs: Mapping[str, Any], compute: Callable[[ProgressCallback], Any], text: str
    ) -> Any:
        """Measure the requested cell; raises MissingCell for the others."""
        if result_key(inputs) == self._requested:
            raise _CellMeasured(compute(lambda done, remark: None))
        return super()._handle_missing_cell(inputs, compute, text)

    def measure_each(
        self,
        items: Iterable[K],
        measure: Callable[[K], V],
        report: Callable[[Mapping[K, V]], ExperimentReport],
        name: Callable[[K], str] = str,
    ) -> dict[K, V]:
        """Return the known items; the requested cell may belong to a later one."""
        results = dict[K, V]()
        for item in items:
            with suppress(MissingCell):
                results[item] = measure(item)
        return results

    def publish_partial(self) -> None:
        """Publish nothing."""

    def log(self, line: str) -> None:
        """Log nothing."""
