"""Cells of an experiment as tasks of Ray.

No function travels, and no object: a task is told the experiment's name, its settings, what is known already and which
cell is wanted. It runs the experiment as far as that cell, with a desk that knows what is known, skips what is not, and
measures what is wanted. So the result is what it would be in one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.cluster import PackedArray, RayCluster, pack, pack_result, unpack
from abl_cards.core import GameError, result_key
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.workspace import ExperimentWorkspace, K, MissingCell, ProgressCallback, V
from abl_cards.training import from_plain, to_plain


@dataclass(frozen=True)
class RemoteCells:
    """Measures cells of an experiment in a cluster; ``experiments.workspace.RemoteRunner``."""

    cluster: RayCluster
    name: str
    settings: Any
    folder: Path

    def __call__(self, keys: Sequence[str], known_results: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The results of cells by their keys, as they are measured; raises GameError."""
        told = pack([self.name, to_plain(self.settings), str(self.folder.absolute()), dict(known_results)])
        for number, result in self.cluster.run_tasks(_measure_packed, [(told, key) for key in keys]):
            yield keys[number], result


def _measure_packed(task: PackedArray, key: str) -> PackedArray:
    def measure() -> Any:
        name, settings, folder, known = unpack(task)
        return _measure(name, settings, folder, known, key)

    return pack_result(measure)


def _measure(name: str, settings: Any, folder: str, known: dict[str, Any], key: str) -> Any:
    from abl_cards.experiments.experiment import get_experiment

    found = get_experiment(name)
    desk = _SingleCellWorkspace(Path(folder), known, key)
    try:
        found.run(from_plain(type(found.settings), settings), desk)
    except _CellMeasured as there:
        return there.result
    except MissingCell as missing:
        raise GameError(f"{name}: {missing.text} is wanted before what was asked for: {key}") from None
    raise GameError(f"{name} has no such cell here: {key}; have all machines the same version, rules and weights?")


class _CellMeasured(Exception):
    """The cell that was wanted is measured."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class _SingleCellWorkspace(ExperimentWorkspace):
    """Measures one cell, and leaves no trace."""

    def __init__(self, folder: Path, known: Mapping[str, Any], requested: str) -> None:
        super().__init__(folder, use_cache=False)
        self._results, self._requested = dict(known), requested

    def measure_cell(
        self, inputs: Mapping[str, Any], compute: Callable[[ProgressCallback], Any], text: str, total: int | None = None
    ) -> Any:
        """What is known, or is wanted; raises MissingCell for the others."""
        key = result_key(inputs)
        if key == self._requested:
            raise _CellMeasured(compute(lambda done, remark: None))
        if key not in self._results:
            raise MissingCell(inputs, text)
        return self._results[key]

    def measure_each(
        self,
        items: Iterable[K],
        measure: Callable[[K], V],
        report: Callable[[Mapping[K, V]], ExperimentReport],
        name: Callable[[K], str] = str,
    ) -> dict[K, V]:
        """Those that are known; what is wanted may be among the next ones."""
        found = dict[K, V]()
        for item in items:
            with suppress(MissingCell):
                found[item] = measure(item)
        return found

    def publish_partial(self) -> None:
        """Nobody reads it."""

    def log(self, line: str) -> None:
        """Nor that."""
