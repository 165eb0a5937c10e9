"""The section Experiments in a browser: gallery, reports, ladder and runs, on screens and phones, dark and light."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.plots import Axis, ErrorBarPlot, LinePlot, MatrixPlot, share_axis
from abl_cards.experiments.report import ExperimentReport, ReportTable
from tests.effort import long
from tests.web.browser import PICTURES, serious

pytestmark = long

LINES = LinePlot(
    "curves", "Wins while learning", Axis("training", "decisions"), share_axis("share of the games"),
    {"first": [(0, 0.1), (1000, 0.4), (2000, 0.5), (3000, 0.6)], "second": [(0, 0.2), (3000, 0.3)]},
    {"published": [(0, 0.7), (3000, 0.7)]}, {"first": [(0, 0.05, 0.2), (3000, 0.5, 0.7)]}, n="100 games a point",
    interval="95 % intervals over deals",
)  # fmt: skip
MATRIX = MatrixPlot(
    "wins", "Matches won", ("kb", "random"), ("kb", "random"), [[None, 0.9], [0.1, None]],
    bounds=[[None, (0.8, 0.95)], [(0.05, 0.2), None]], counts=[[None, 50], [50, None]],
)  # fmt: skip
DOTS = ErrorBarPlot(
    "parts", "Parts", share_axis("share of the games"), {"one": (0.7, 0.6, 0.8), "two": (0.5, 0.4, 0.6)}, 0.5,
    {"one": 40, "two": 40}, n="40 games each", interval="95 % intervals",
)  # fmt: skip


@pytest.fixture
def watched(web_server: Any, tmp_path: Path) -> Path:
    """Watch a folder with a report, two match results and a training run."""
    pairs = ReportTable(
        "intervals", "Pairs", ("agent", "against", "matches", "won", "from", "to"), [["kb", "random", 50, 0.9, 0.8,
        0.95]],
    )  # fmt: skip
    report = ExperimentReport([pairs], [LINES, MATRIX, DOTS])
    folder = tmp_path / "watched"
    (folder / "curves").mkdir(parents=True)
    plain = {"experiment": "curves", "summary": "Who wins?", "command": "abl-cards run curves", "missing": "round 2"}
    results = plain | {"settings": {"game": "hearts"}} | report.to_json()
    (folder / "curves" / "results.json").write_text(json.dumps(results), "utf-8")
    match = {"game": "hearts", "agents": ["greedy", "random"], "games": 50, "rate": 0.7, "interval": [0.56, 0.81]}
    (folder / "match.json").write_text(json.dumps(match), "utf-8")
    (folder / "run").mkdir()
    (folder / "run" / "settings.json").write_text('{"total_decisions": 2000}', "utf-8")
    rows = [{"update": number, "decisions": 10 * number, "value_loss": 1 / (1 + number)} for number in range(100)]
    (folder / "run" / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    web_server[1].config = replace(web_server[1].config, watch_folders=(folder,))
    return folder


def test_gallery_links_to_reports_ladders_and_runs(open_browser: Any, watched: Path) -> None:
    here = open_browser()
    here.open("#/watch")
    page = here.page
    page.wait_for_selector(".report-card svg.chart")
    card = page.locator(".report-card", has_text="Who wins?")
    assert "round 2" in card.inner_text()
    page.wait_for_selector("a[href='#/watch/ladder/hearts'] svg.chart")
    assert page.locator(".report-card progress").get_attribute("value") == "990"
    assert serious(page) == []
    card.locator("a").click()
    page.wait_for_selector("figure svg.chart")
    assert page.locator("figure").count() == 3
    page.go_back()
    page.locator("a[href^='#/watch/run/']").click()
    page.wait_for_selector("figure svg.chart")
    assert page.locator("figcaption").all_inner_texts() == ["Error of the critic"]
    page.go_back()
    page.locator("a[href='#/watch/ladder/hearts']").click()
    page.wait_for_selector("figure svg.chart")
    assert page.locator(".row-name").all_text_contents() == ["kb", "greedy", "random"]
    assert page.locator("table.grid tbody tr").count() == 2


def test_values_are_read_by_pointer_and_keys_and_lines_are_zoomed(open_browser: Any, watched: Path) -> None:
    here = open_browser()
    here.open("#/watch/report/watched%2Fcurves")
    page = here.page
    page.wait_for_selector("figure svg.chart")
    chart, matrix, dots = (page.locator("figure").nth(index) for index in range(3))
    chart.locator("svg.chart").focus()
    here.press("ArrowRight")
    reading = chart.locator(".chart-reading")
    page.wait_for_function("() => document.querySelector('.chart-reading').innerText.includes('published')")
    assert "training 0: first 10.0 % [5.0, 20.0] · second 20.0 % · published 70.0 %" in reading.inner_text()
    box = chart.locator("svg.chart").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 90)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 90, steps=4)
    page.mouse.up()
    chart.get_by_role("button", name="Whole range").click()
    matrix.locator("svg.chart").focus()
    here.press("ArrowRight", "ArrowRight")
    page.wait_for_function("() => document.querySelectorAll('.chart-reading')[1].innerText.includes('n = 50')")
    assert "kb · random: 90.0 % [80.0, 95.0], n = 50" in matrix.locator(".chart-reading").inner_text()
    assert "one 70.0 % [60.0, 80.0]" in dots.locator("svg.chart").get_attribute("aria-label")


def test_figures_and_tables_are_saved(open_browser: Any, watched: Path) -> None:
    here = open_browser()
    here.open("#/watch/report/watched%2Fcurves")
    page = here.page
    page.wait_for_selector("figure svg.chart")
    files = {}
    page.locator("summary").first.click()
    for name in ("Save Wins while learning as SVG", "Save Matches won as CSV", "Save Pairs as CSV"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        files[download.value.suggested_filename] = Path(download.value.path()).read_text("utf-8")
    assert set(files) == {"curves-curves.svg", "curves-wins.csv", "curves-intervals.csv"}
    assert 'stroke="rgb(0, 114, 178)"' in files["curves-curves.svg"]
    assert "kb,random,0.9,0.8,0.95,50" in files["curves-wins.csv"]
    assert files["curves-intervals.csv"].startswith("agent,against,matches,won,from,to")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (400, 860), (860, 400)])
def test_a_report_fits_every_screen(open_browser: Any, watched: Path, width: int, height: int, scheme: str) -> None:
    here = open_browser(width, height, "zh-CN", color_scheme=scheme)
    for address in ("#/watch", "#/watch/report/watched%2Fcurves", "#/watch/ladder/hearts"):
        here.open(address)
        here.page.wait_for_selector("svg.chart")
        assert here.page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(here.page) == []
        here.open("static/vendor/preact.LICENSE.txt")


def test_project_results_are_listed_and_charted(open_browser: Any, web_server: Any) -> None:
    web_server[1].config = replace(web_server[1].config, watch_folders=(PICTURES.parent / "results",))
    here = open_browser(1180, 800)
    here.open("#/watch")
    here.page.wait_for_selector("a[href='#/watch/ladder/guandan'] svg.chart")
    reports = len(list((PICTURES.parent / "results").glob("*/results.json")))
    assert here.page.locator("a[href^='#/watch/report/']").count() == reports
    here.picture("experiments")
    here.page.locator("a[href$='guandan_tournament']").click()
    here.page.wait_for_selector("figure svg.chart")
    assert here.page.locator(".cell-value", has_text="98").count() >= 1
