"""Browser tests of Review: timeline, keys, learning, variations, exports, phones; skipped without a browser."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.effort import long
from tests.web.browser import serious
from tests.web.test_reviews import played

pytestmark = long
IN_VIEW = """(selectors) => selectors.filter((selector) => {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return !box || box.top < -1 || box.bottom > innerHeight + 1 || box.width === 0;
})"""


def open_record(here: Any, tmp_path: Path, name: str) -> None:
    """Open a record by a file, as a user does."""
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, played(name))))
    here.open("#/review/new")
    here.page.set_input_files("input[type=file]", tmp_path / "games.jsonl")
    here.page.get_by_role("button", name="Look it over").click()
    here.page.wait_for_selector(".coach[aria-busy=false]")


def find_mistakes(here: Any, deals: int) -> None:
    here.page.fill("#review-deals", str(deals))
    here.page.locator(".method-form button").click()
    here.page.wait_for_selector(".review[data-state=done] .curve", timeout=300_000)


def test_review_navigates_decisions_of_a_record(open_browser: Any, tmp_path: Path) -> None:
    here = open_browser(width=1440, height=900)
    open_record(here, tmp_path, "president")
    find_mistakes(here, 8)
    command = here.page.locator(".method-line .command").input_value()
    options = "--line 1 --agent kb --rollout-agent kb --deals 8 --seed 0 --lang en"
    assert command == f"abl-cards review president FILE {options}"
    assert "played on by kb for all; 8 deals" in here.page.locator(".method-line").inner_text()
    here.press("ArrowRight", "ArrowRight")
    here.page.wait_for_selector(".review[data-at='2'] .thought[aria-busy=false]")
    assert here.page.url.endswith("/2")
    here.press("e")
    here.page.wait_for_selector(".estimate-at .truth")
    here.picture("review")
    here.press("o")
    here.page.wait_for_function("() => !document.querySelector('.estimate-at .truth')")
    box = here.page.locator(".timeline").bounding_box()
    here.page.mouse.click(box["x"] + box["width"] - 14, box["y"] + 60)
    here.page.wait_for_function("() => Number(document.querySelector('.review').dataset.at) > 20")
    here.press("Home", "?")
    assert "learn from mistakes" in here.page.locator("#dialog-help").inner_text()
    here.press("Escape")
    assert serious(here.page) == []


def test_exports_contain_all_decisions(open_browser: Any, tmp_path: Path) -> None:
    here = open_browser(width=1440, height=900)
    open_record(here, tmp_path, "president")
    find_mistakes(here, 8)

    def download(name: str) -> str:
        here.page.evaluate("() => { document.querySelector('.export').open = true; }")
        with here.page.expect_download() as saved:
            here.page.get_by_role("button", name=name).click()
        return Path(saved.value.path()).read_text(encoding="utf-8")

    rows = list(csv.DictReader(download("All decisions as a table").splitlines()))
    result = json.loads(download("All figures as data"))
    assert [float(row["loss"]) for row in rows] == [decision["loss"] for decision in result["decisions"]]
    assert {row["player"] for row in rows} <= {"0 greedy", "1 greedy", "2 random", "3 random"}
    drawing = download("The graph as a picture")
    assert 'class="band"' in drawing
    assert 'class="tick"' in drawing
    assert "deals a move" in drawing


def test_mistakes_are_replayed_and_graded(open_browser: Any, tmp_path: Path) -> None:
    here = open_browser(width=1440, height=900)
    open_record(here, tmp_path, "president")
    find_mistakes(here, 40)
    if not here.page.locator(".acts .mark-of").count():
        pytest.skip("the record has no mistake")
    here.press("r")
    here.page.wait_for_selector(".learn")
    here.page.wait_for_selector(".hand .card")
    assert here.page.locator(".learn .bars").count() == 0
    assert here.page.locator(".felt .now-played").count() == 0
    if here.page.locator(".actions .pass").is_enabled():
        here.press("p")
    else:
        here.page.locator(".hand .card:not(.dim)").first.click()
        here.page.wait_for_selector(".actions .main:enabled")
        here.press("Enter")
    here.page.wait_for_selector("[data-grade]")
    if here.page.locator("[data-grade=bad]").count():
        here.page.locator(".learn").get_by_role("button", name="Solution").click()
    here.page.wait_for_selector(".learn .bars")
    assert serious(here.page) == []
    here.press("Escape")
    here.page.wait_for_selector(".coach:not(.learn)")


def test_variations_are_saved_in_the_record(open_browser: Any, tmp_path: Path) -> None:
    here = open_browser(width=1440, height=900)
    open_record(here, tmp_path, "president")
    here.press("ArrowRight", "x")
    here.page.wait_for_selector(".hand .card")
    here.page.locator(".actions .agent").click()
    here.page.wait_for_selector(".variation [aria-current]")
    here.page.wait_for_selector(".hand .card")
    here.page.locator(".actions .end").click()
    here.page.wait_for_function("() => /result/.test(document.querySelector('p.step').textContent)")
    assert here.page.locator(".variation").count() == 1
    here.page.evaluate("() => { document.querySelector('.export').open = true; }")
    with here.page.expect_download() as saved:
        here.page.get_by_role("button", name="Record with variations").click()
    record = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    (branch,) = record["branches"]
    assert branch["act"] == 2
    assert branch["acts"]
    here.press("Escape")
    here.open("#/play")
    here.page.wait_for_selector(".felt")
    here.page.get_by_role("link", name="Review").click()  # the opened review, and its variation
    here.page.wait_for_selector(".variation")
    here.open("#/review/new")
    assert "variations: 1" in here.page.locator(".games").first.inner_text()
    here.page.locator(".samples .game").first.wait_for()
    assert serious(here.page) == []


@pytest.mark.parametrize(("width", "height"), [(400, 860), (860, 400)])
def test_table_and_step_buttons_stay_in_view_on_phones(
    open_browser: Any, tmp_path: Path, width: int, height: int
) -> None:
    here = open_browser(width=width, height=height)
    open_record(here, tmp_path, "president")
    for top in (0, 300, 900):
        here.page.evaluate("(top) => scrollTo(0, top)", top)
        here.page.wait_for_timeout(100)
        assert here.page.evaluate(IN_VIEW, [".stage .felt", ".steps .step", ".steps .run"]) == []
    assert here.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    cards = here.page.evaluate(
        "() => [...document.querySelectorAll('.seat .card')].map((card) => card.getBoundingClientRect().width)"
    )
    assert len(cards) > 20
    assert min(cards) >= (26 if width < height else 16)
    assert serious(here.page) == []
