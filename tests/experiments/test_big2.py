"""The experiments on Big2 with tiny budgets: they run, resume and agree with each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.experiments import big2_agents, big2_depth, big2_exact
from abl_cards.experiments.big2_deals import group_by_series, measure_deals, split_deals
from abl_cards.experiments.experiment import get_experiment, run_experiment
from abl_cards.experiments.workspace import ExperimentWorkspace
from tests.experiments.conftest import partial_results


def rows(results: dict[str, Any], table: str) -> list[dict[str, Any]]:
    table_rows: list[dict[str, Any]] = results["tables"][table]["rows"]
    return table_rows


def test_deals_are_measured_in_blocks_without_repetition(tmp_path: Path) -> None:
    """A larger number of deals repeats no deal outside of the incomplete cell."""
    measured: list[int] = []

    def measure(number: int) -> dict[str, Any]:
        measured.append(number)
        return {"number": number}

    def all_of(deals: int) -> list[int]:
        desk = ExperimentWorkspace(tmp_path)
        parts = {block: measure_deals(desk, {"a": 1}, block, measure, "deals") for block in split_deals("some", deals)}
        return [result["number"] for result in group_by_series(parts)["some"]]

    assert all_of(20) == list(range(20))
    assert all_of(23) == list(range(23))
    assert measured == list(range(23))
    assert len((tmp_path / "cells.jsonl").read_text("utf-8").splitlines()) == len(split_deals("some", 23)) == 3


def test_exact_and_plain_search_agree(tmp_path: Path) -> None:
    settings = big2_exact.Big2ExactConfig(cards=(4, 5), deals=3, plain_deals=2, plain_up_to=4)
    results = run_experiment("big2_exact", settings, tmp_path)
    four, five = rows(results, "times")
    assert (four["cards each"], four["deals"], four["solved"], four["plain: deals"]) == (4, 3, 3, 2)
    assert (four["plain: solved"], four["values that differ"]) == (2, 0)
    assert four["median (ms)"] <= four["90 % (ms)"] <= four["longest (ms)"]
    assert (five["solved"], five["ratio"]) == (3, None)
    assert (tmp_path / "times.svg").stat().st_size > 0
    assert run_experiment("big2_exact", settings, tmp_path) == results  # nothing is solved again
    one, two = partial_results("big2_exact", settings, tmp_path, tmp_path)
    assert [row["plain: deals"] for row in rows(one, "times")] == [None]
    assert rows(two, "times") == [four]
    assert two["missing"] == "5 + 5 cards, our search, deals 1 to 3"


def test_unsolved_deals_are_reported_after_the_time_limit(tmp_path: Path) -> None:
    settings = big2_exact.Big2ExactConfig(cards=(20,), deals=1, seconds=0.001)
    (row,) = rows(run_experiment("big2_exact", settings, tmp_path), "times")
    assert (row["deals"], row["solved"]) == (1, 0)


def test_differing_values_are_counted() -> None:
    settings = big2_exact.Big2ExactConfig(cards=(4,))
    ours = [{"value": value, "seconds": 0.1} for value in (1, -2, None)]
    plain = [{"value": value, "seconds": 1.0} for value in (1, 3, 4)]
    table = big2_exact.report(
        settings, {(4, big2_exact.OUR_SEARCH): ours, (4, big2_exact.PYTHON_NEGAMAX): plain}
    ).tables[0]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["solved"], row["plain: solved"], row["values that differ"]) == (2, 3, 1)
    assert row["ratio"] == pytest.approx(10)


def test_big2_depth_reports_search_times(tmp_path: Path) -> None:
    results = run_experiment("big2_depth", big2_depth.Big2DepthConfig(depths=(1, 2), deals=2), tmp_path)
    assert [(row["depth"], row["finished"]) for row in rows(results, "times")] == [(1, 2), (2, 2)]
    (part,) = partial_results("big2_depth", big2_depth.Big2DepthConfig(depths=(1, 2), deals=2), tmp_path, tmp_path)
    assert rows(part, "times") == rows(results, "times")[:1]
    assert all(row["positions, median"] > 0 for row in rows(results, "times"))


def test_big2_agents_reports_margins_and_round_robin(tmp_path: Path) -> None:
    settings = big2_agents.Big2AgentsConfig(
        searcher="shensuanzi:6,2,cpu,seconds=0.01", cards=(4, 8), deals=2, round_robin_agents=("zhiduoxing", "random"),
        round_robin_cards=10, round_robin_deals=2,
    )  # fmt: skip
    results = run_experiment("big2_agents", settings, tmp_path)
    assert [row["deals"] for row in rows(results, "margins")] == [2, 2]
    assert all(row["net score"] == row["leading"] + row["following"] for row in rows(results, "margins"))
    robin = rows(results, "round_robin")
    assert {row["agent"] for row in robin} == {"shensuanzi:6,2,cpu,seconds=0.01", "zhiduoxing", "random"}
    assert sum(row["net score"] for row in robin) == sum(row["net wins"] for row in robin) == 0
    cell = json.loads((tmp_path / "cells.jsonl").read_text("utf-8").splitlines()[1])
    assert all(move["seconds"] for move in cell["result"])  # with 8 cards its limit is for some of the moves
    assert run_experiment("big2_agents", settings, tmp_path) == results  # nothing is played again
    parts = partial_results("big2_agents", settings, tmp_path, tmp_path)
    assert [len(rows(part, "margins")) for part in parts] == [1, 2, 2, 2]
    assert not any(rows(part, "round_robin") for part in parts)  # no places before all pairs have played


def test_agents_without_search_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="'greedy' does not search"):
        big2_agents.run(big2_agents.Big2AgentsConfig(searcher="greedy"), ExperimentWorkspace(tmp_path))


def test_round_robin_table_counts_both_seats() -> None:
    """Count both seats over two deals: a beats b by 3 on each, and c draws with both."""
    scores = {
        ("a", "b"): np.array([[2, 1], [4, -1]]),
        ("a", "c"): np.array([[1, -1]] * 2),
        ("b", "c"): np.zeros((2, 2)),
    }
    table = big2_agents.round_robin_table(("a", "b", "c"), {pair: won.astype(np.int64) for pair, won in scores.items()})
    assert [list(row) for row in table.rows] == [["a", 6, 2, 0.0], ["c", 0, 0, 0.0], ["b", -6, -2, 0.0]]


def test_spearman_returns_rank_correlation() -> None:
    assert big2_agents.spearman([1, 2, 3, 4], [2, 4, 6, 9]) == 1
    assert big2_agents.spearman([1, 2, 3, 4], [9, 6, 4, 2]) == -1
    assert big2_agents.spearman([1, 2], [3, 3]) is None


@pytest.mark.parametrize("name", ["big2_exact", "big2_depth", "big2_agents"])
def test_smoke_settings_run(name: str, tmp_path: Path) -> None:
    results = run_experiment(name, get_experiment(name).make_settings(smoke=True), tmp_path)
    assert results["tables"]
    assert results["plots"]
