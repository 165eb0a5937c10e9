"""The experiments on Big2 with a tiny budget: they measure, go on where they stopped, and agree with each other."""

from __future__ import annotations

from pathlib import Path

from experiments import big2_agents, big2_depth, big2_exact
from experiments.big2_deals import kept


def test_exact_and_plain_agree(tmp_path: Path) -> None:
    settings = big2_exact.Settings((4, 5), deals=3, plain_deals=2, out=tmp_path)
    results = big2_exact.run(settings)
    assert len(results) == 2 * (3 + 2)
    assert all(each["value"] is not None for each in results)
    assert big2_exact.disagreements(results) == 0
    assert "| 5 + 5 | 3 of 3 |" in big2_exact.table(results)
    assert big2_exact.run(settings) == results  # nothing is solved again
    assert len(kept(tmp_path / "times.jsonl")) == len(results)


def test_what_takes_too_long_is_not_solved(tmp_path: Path) -> None:
    results = big2_exact.run(big2_exact.Settings((20,), deals=1, seconds=0.001, out=tmp_path), ("ours",))
    assert results[0]["value"] is None
    assert "0 of 1" in big2_exact.table(results)


def test_depths(tmp_path: Path) -> None:
    results = big2_depth.run(big2_depth.Settings((1, 2), deals=2, out=tmp_path))
    assert [each["depth"] for each in results] == [1, 1, 2, 2]
    assert all(each["nodes"] > 0 for each in results)
    assert "| 2 | 2 |" in big2_depth.table(results)


def test_agents(tmp_path: Path) -> None:
    settings = big2_agents.Settings(
        (4, 12), 4, 6, 2, 0.01, tournament_deals=2, agents=("shensuanzi", "zhiduoxing", "random"), out=tmp_path
    )
    text = big2_agents.run(settings)
    assert "| 12 |" in text
    assert "`zhiduoxing`" in text
    points = big2_agents.Experiment(settings).tournament()
    assert sum(each["points"] for each in points.values()) == 0
    assert len(kept(tmp_path / "margins.jsonl")) == 8
    assert big2_agents.run(settings) == text  # nothing is played again


def test_spearman() -> None:
    assert big2_agents.spearman([1, 2, 3, 4], [2, 4, 6, 9]) == 1
    assert big2_agents.spearman([1, 2, 3, 4], [9, 6, 4, 2]) == -1
