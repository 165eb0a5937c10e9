"""Tests of reading training runs and results, in watched folders only."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.core.plots import ErrorBarPlot, LinePlot, MatrixPlot
from abl_cards.experiments.guandan_tournament import report as tournament_report
from abl_cards.experiments.matches import MatchSummary
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.matches.intervals import wilson_interval
from abl_cards.web.config import WebConfig
from abl_cards.web.ladders import read_ladders
from abl_cards.web.reports import list_reports, read_gallery, read_report
from abl_cards.web.runs import MAX_POINTS, list_runs, read_match_results, read_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "watched" / "mine").mkdir(parents=True)
    lines = [json.dumps({"update": number, "loss": 1 / (1 + number), "text": "x"}) for number in range(1000)]
    (tmp_path / "watched" / "mine" / "metrics.jsonl").write_text("\n".join([*lines, '{"update": 10']))
    result = {"agents": ["a", "b"], "games": 10, "rate": 0.7, "interval": [0.4, 0.9]}
    (tmp_path / "watched" / "ab.json").write_text(json.dumps(result))
    (tmp_path / "watched" / "other.json").write_text("[" * 5000)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "metrics.jsonl").write_text('{"update": 1}')
    (tmp_path / "watched" / "out").symlink_to(tmp_path / "secret")
    return tmp_path / "watched"


def test_growing_run_is_read_and_thinned_out(folder: Path) -> None:
    (run,) = list_runs([folder])
    assert (run["name"], run["decisions"], run["total"]) == ("watched/mine", None, None)
    (folder / "mine" / "settings.json").write_text('{"total_decisions": 5000}')
    with (folder / "mine" / "metrics.jsonl").open("a") as file:
        file.write('\n{"update": 1001, "decisions": 400}\n')
    assert [(run["decisions"], run["total"]) for run in list_runs([folder])] == [(400, 5000)]
    metrics = read_run([folder], "watched/mine")
    assert metrics["rows"] == 1001
    assert set(metrics["columns"]) == {"update", "loss", "decisions"}
    (plot,) = metrics["plots"]
    assert (plot["kind"], plot["name"], plot["x"]["unit"], len(plot["lines"]["loss"])) == (
        "lines", "loss", "updates", len(metrics["columns"]["loss"]),
    )  # fmt: skip
    assert len(metrics["columns"]["loss"]) <= MAX_POINTS
    (only,) = read_match_results([folder])
    assert (only["agents"], only["rate"], only["low"]) == (["a", "b"], 0.7, 0.4)


@pytest.mark.parametrize("name", ["", "..", "watched/../secret", "watched/out", "/etc", "secret", "watched"])
def test_runs_outside_watched_folders_are_rejected(folder: Path, name: str) -> None:
    with pytest.raises(GameError):
        read_run([folder], name)


def test_reports_are_read_and_invalid_files_ignored(folder: Path) -> None:
    made = ExperimentReport(
        [ReportTable("parts", "Parts", ("name", "won"), [["a", 0.5], ["b", None]], "a note")],
        [LinePlot("wins", "Wins", "games", "share", {"kb": [(0, 0.5), (10, 0.7)]}),
         ErrorBarPlot("bars", "B", "x", {"kb": (0.5, 0.4, 0.6)}, 0.5), MatrixPlot("all", "All", ("a",), ("b",),
         [[None]])],
    )  # fmt: skip
    (folder / "tried").mkdir()
    file = folder / "tried" / "results.json"
    file.write_text(json.dumps({"experiment": "tried", "command": "abl-cards", **made.to_json()}))
    assert [report["name"] for report in list_reports([folder])] == ["watched/tried"]
    report = read_report([folder], "watched/tried")
    assert report["tables"][0]["rows"] == [["a", 0.5], ["b", None]]
    assert [plot["kind"] for plot in report["plots"]] == ["lines", "dots", "matrix"]
    assert report["plots"][0]["lines"] == {"kb": [[0, 0.5], [10, 0.7]]}
    assert report["plots"][1]["bars"] == {"kb": [0.5, 0.4, 0.6]}
    (card,) = read_gallery([folder])
    assert (card["name"], card["plot"]["name"], card["counts"]) == ("watched/tried", "wins", [1, 3])
    strange: dict[str, Any] = {
        "tables": {"x": {"rows": [5]}, "y": 3, "<b>": {"rows": [{"c": [1]}]}},
        "plots": {"p": {"lines": {"a": [[1, "x"], [1e999, 2]]}}, "q": {}, "r": {"values": [], "rows": 5}},
    }
    file.write_text(json.dumps(strange))
    report = read_report([folder], "watched/tried")
    assert (report["tables"], report["plots"]) == (
        [{"name": "<b>", "title": "", "note": "", "columns": ["c"], "rows": [["[1]"]]}],
        [
            {
                "name": "r",
                "title": "",
                "kind": "matrix",
                "rows": [],
                "columns": [],
                "values": [],
                "top": 1.0,
                "value": {"label": "share", "unit": "%", "is_share": True},
            }
        ],
    )
    for text in ("", "[]", "[" * 9999):
        file.write_text(text)
        with pytest.raises(GameError):
            read_report([folder], "watched/tried")


def test_ladder_counts_every_result_once(folder: Path) -> None:
    report = tournament(("kb", "greedy", "random"), {("kb", "greedy"): 0.8, ("greedy", "random"): 0.6})
    for name in ("one", "two"):  # the same results in two reports
        (folder / name).mkdir()
        (folder / name / "results.json").write_text(json.dumps({"settings": {"game": "hearts"}, **report.to_json()}))
    result = {"game": "hearts", "agents": ["random", "kb"], "games": 20, "rate": 0.1, "interval": [0.03, 0.3]}
    (folder / "kb.json").write_text(json.dumps(result))
    nameless, ladder = read_ladders([folder])
    assert (nameless["game"], ladder["game"]) == ("", "hearts")
    assert len(ladder["pairs"]) == 3
    assert ladder["plot"]["counts"] == {"kb": 70, "greedy": 100, "random": 70}
    assert list(ladder["plot"]["bars"]) == ["kb", "greedy", "random"]
    assert ladder["plot"]["bars"]["kb"] == [0.0, None, None]


def tournament(names: tuple[str, ...], rates: dict[tuple[str, str], float]) -> ExperimentReport:
    nothing = np.zeros(0, np.int64)
    summaries = {
        pair: MatchSummary(pair, 50, rate, wilson_interval(rate, 50), nothing.astype(np.int8), nothing)
        for pair, rate in rates.items()
    }
    return tournament_report(names, summaries)


def test_requests_return_runs_and_ladders(with_page: Any, folder: Path) -> None:
    async def test(page: Any) -> None:
        watched = (await page.get("/api/watch", **page.headers)).json()
        assert ([run["name"] for run in watched["runs"]], len(watched["matches"]), watched["tables"]) == (
            ["watched/mine"],
            1,
            [],
        )
        assert (await page.get("/api/runs", **page.headers)).status == 400
        assert (await page.get("/api/runs")).status == 403
        assert (await page.get("/api/reports", **page.headers)).status == 400
        for path in ("/api/reports", "/api/gallery", "/api/ladders"):
            assert (await page.get(path)).status == 403
        assert (await page.get("/api/gallery", **page.headers)).json() == []
        (ladder,) = (await page.get("/api/ladders", **page.headers)).json()
        assert ladder["pairs"] == [["a", "b", 10, 0.7, 0.4, 0.9]]

    with_page(test, WebConfig(watch_folders=(folder,)))
