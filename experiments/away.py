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

from abl_cards.cluster.parcels import Parcel, answering, opened, packed
from abl_cards.cluster.start import Cluster
from abl_cards.errors import GameError
from abl_cards.loop.messages import made, plain
from experiments.desk import Desk, K, Tell, Unknown, V, key_of
from experiments.report import Report


@dataclass(frozen=True)
class Away:
    """Measures cells of an experiment in a cluster; ``experiments.desk.Elsewhere``."""

    cluster: Cluster
    name: str
    settings: Any
    folder: Path

    def __call__(self, keys: Sequence[str], known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The results of cells by their keys, as they are measured; raises GameError."""
        told = packed([self.name, plain(self.settings), str(self.folder.absolute()), dict(known)])
        for number, result in self.cluster.tasks(_measured, [(told, key) for key in keys]):
            yield keys[number], result


def _measured(told: Parcel, key: str) -> Parcel:
    def measure() -> Any:
        name, settings, folder, known = opened(told)
        return _measure(name, settings, folder, known, key)

    return answering(measure)


def _measure(name: str, settings: Any, folder: str, known: dict[str, Any], key: str) -> Any:
    from experiments.experiment import experiment

    found = experiment(name)
    desk = _Distant(Path(folder), known, key)
    try:
        found.run(made(type(found.settings), settings), desk)
    except _Found as there:
        return there.result
    except Unknown as missing:
        raise GameError(f"{name}: {missing.text} is wanted before what was asked for: {key}") from None
    raise GameError(f"{name} has no such cell here: {key}; have all machines the same version, rules and weights?")


class _Found(Exception):
    """The cell that was wanted is measured."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class _Distant(Desk):
    """Measures one cell, and leaves no trace."""

    def __init__(self, folder: Path, known: Mapping[str, Any], wanted: str) -> None:
        super().__init__(folder, remember=False)
        self._kept, self._wanted = dict(known), wanted

    def cell(self, what: Mapping[str, Any], work: Callable[[Tell], Any], text: str, total: int | None = None) -> Any:
        """What is known, or is wanted; raises Unknown for the others."""
        key = key_of(what)
        if key == self._wanted:
            raise _Found(work(lambda done, remark: None))
        if key not in self._kept:
            raise Unknown(what, text)
        return self._kept[key]

    def each(
        self,
        items: Iterable[K],
        measure: Callable[[K], V],
        report: Callable[[Mapping[K, V]], Report],
        name: Callable[[K], str] = str,
    ) -> dict[K, V]:
        """Those that are known; what is wanted may be among the next ones."""
        found = dict[K, V]()
        for item in items:
            with suppress(Unknown):
                found[item] = measure(item)
        return found

    def tell(self) -> None:
        """Nobody reads it."""

    def log(self, line: str) -> None:
        """Nor that."""
