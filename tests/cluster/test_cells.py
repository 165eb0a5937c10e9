"""Experiments on Ray: the same results as in one process."""

from pathlib import Path
from typing import Any

import pytest

from abl_cards.cluster.start import RayCluster
from abl_cards.core import archive
from abl_cards.core.errors import GameError
from abl_cards.core.result_file import result_key
from abl_cards.experiments.experiment import find_experiments, get_experiment, run_experiment
from abl_cards.experiments.remote_cells import RemoteCells, _measure
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.training.ipc import from_plain, to_plain


def settings() -> Any:
    chosen = get_experiment("guandan_tournament").make_settings(smoke=True)
    changed = {"agents": ("random", "greedy", "kb"), "games": 4, "external_games": 0}
    return from_plain(type(chosen), to_plain(chosen) | changed)


@pytest.mark.parametrize("name", find_experiments())
def test_experiment_settings_round_trip(name: str) -> None:
    for smoke in (False, True):
        chosen = get_experiment(name).make_settings(smoke)
        assert from_plain(type(chosen), archive.unpack_archive(archive.pack_archive(to_plain(chosen)))) == chosen


def test_experiment_on_ray_equals_local_experiment(tmp_path: Path, cluster: RayCluster) -> None:
    """Results are identical except for the folder name."""
    name, chosen = "guandan_tournament", settings()
    alone = run_experiment(name, chosen, tmp_path / "alone")
    there = tmp_path / "there"
    remote = run_experiment(name, chosen, there, remote_runner=RemoteCells(cluster, name, chosen, there))
    assert remote | {"directory": ""} == alone | {"directory": ""}
    cells = [sorted((tmp_path / folder / "cells.jsonl").read_text().splitlines()) for folder in ("alone", "there")]
    assert cells[0] == cells[1]
    assert (there / "log.txt").read_text().count("measured elsewhere") == len(cells[0])


def report(values: Any) -> ExperimentReport:
    return ExperimentReport(
        [ReportTable("found", "Found", ("item", "value"), [[str(item), value] for item, value in values.items()])]
    )


def test_dependent_cells_are_requested_afterwards(tmp_path: Path) -> None:
    requests: list[list[str]] = []

    def elsewhere(keys: Any, known: Any) -> Any:
        requests.append(sorted(keys))
        yield from ((key, 10 + len(known)) for key in keys)

    published: list[str] = []
    desk = ExperimentWorkspace(
        tmp_path, publish=lambda tables, missing: published.append(missing), remote_runner=elsewhere
    )

    def measure(item: int) -> int:
        first = desk.measure_cell({"first": item % 2}, lambda tell: pytest.fail("measured here"), f"first {item}")
        return int(
            desk.measure_cell({"of": item, "first": first}, lambda tell: pytest.fail("measured here"), f"of {item}")
        )

    values = desk.measure_each(range(3), measure, report)
    assert [len(keys) for keys in requests] == [2, 3]
    assert sorted(values.values()) == [12, 13, 14]
    assert published[0] == "1, 2"
    assert len((tmp_path / "cells.jsonl").read_text().splitlines()) == 5


def test_missing_cell_is_reported(tmp_path: Path) -> None:
    """Report a missing cell, as on a machine with other rules or weights."""
    with pytest.raises(GameError, match="has no such cell here"):
        _measure("guandan_tournament", to_plain(settings()), str(tmp_path), {}, result_key({"match": ["nobody"]}))
    assert not (tmp_path / "cells.jsonl").exists()
