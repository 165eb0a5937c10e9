"""Browser tests of the rules notebook; skipped without playwright or chromium."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.effort import long
from tests.web.browser import Watched, serious

pytestmark = long

PAIRS = {"hand": ["S5", "H5", "C9"], "to_beat": None}
BARRED = "barred(set(R,2)) :- rank(R)."


def loaded(page: Any, word: str = "loaded in") -> None:
    """Wait until the notebook has loaded the rules."""
    page.locator(".lab .status", has_text=word).wait_for()


def open_president_lab(open_browser: Any, **more: Any) -> Watched:
    here: Watched = open_browser(width=1440, height=900, **more)
    here.open("#/rules/president")
    loaded(here.page)
    return here


def add(page: Any, kind: str) -> Any:
    """Add a cell of a kind at the top, and return it."""
    page.locator("summary", has_text="Add").click()
    page.locator(".menu-list button", has_text=kind).first.click()
    cell = page.locator(".cell").first
    cell.locator("h3", has_text=kind).wait_for()
    return cell


def add_position(page: Any, state: dict[str, Any]) -> Any:
    page.locator("summary", has_text="Add").click()
    page.locator(".menu-list textarea").fill(json.dumps(state))
    page.get_by_role("button", name="Add the position").click()
    page.locator(".cell").first.locator(".table-space .card").first.wait_for()
    return page.locator(".cell").first


def write(page: Any, text: str) -> None:
    """Type at the end of the file."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def run(cell: Any) -> None:
    cell.locator("header button[title^=Run]").click()


def wait_for_order(page: Any, *names: str) -> None:
    """Wait until the first cells have these names."""
    for number, name in enumerate(names):
        page.locator(".cell").nth(number).locator("h3", has_text=f"{number + 1} {name}").wait_for()


def test_removed_moves_show_reasons_side_by_side(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    cell = add_position(page, PAIRS)
    write(page, BARRED)
    move = cell.locator(".moves.lost .move", has_text="pair 5")
    move.wait_for()
    assert cell.locator(".moves.lost .chip").count() == 2
    move.click()
    cell.locator(".reasons").wait_for()
    before, now = cell.locator(".reasons section").all()
    before.locator(".is-legal").wait_for()
    now.locator(".is-illegal").wait_for()
    now.locator(".differs", has_text="barred(set(5,2))").wait_for()
    page.locator(".cm-line.differs", has_text="barred").wait_for()
    assert cell.locator("pre.json").count() == 0
    cell.locator("button.json").click()
    assert json.loads(cell.locator("pre.json").inner_text()) == PAIRS
    here.picture("lab")
    assert serious(page) == []


def test_rules_with_errors_show_last_working_version(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    cell = add_position(page, PAIRS)
    write(page, BARRED)
    cell.locator(".moves.lost").wait_for()
    write(page, "\nx(R) :- hold(R,1).")
    page.locator(".problems .problem", has_text="unknown predicate 'hold/2'").wait_for()
    loaded(page, "last working version")
    cell.locator(".stale-note", has_text="last working version").wait_for()
    assert cell.locator(".moves.lost").count() == 1
    page.locator(".cm-lint-marker-error").wait_for()
    page.keyboard.type("\ny :- in_tri")
    page.locator(".cm-tooltip-autocomplete", has_text="in_trick(S,R,N)").wait_for()
    page.keyboard.press("Escape")
    assert serious(page) == []
    page.reload()
    page.locator(".cm-content", has_text="hold(R,1)").wait_for()
    page.locator(".cell").first.locator(".moves.lost").wait_for()


def test_cells_keep_results_and_can_be_moved_by_keys(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    cases = page.locator(".cell-cases")
    run(cases)
    cases.locator("p.good", has_text="cases hold").wait_for()
    add(page, "Rules in words")
    run(page.locator(".cell-words"))
    page.locator(".cell-words li").first.wait_for()
    write(page, BARRED)
    page.locator(".cell-cases[data-status=stale]").wait_for()
    assert cases.locator("p.good").count() == 1
    wait_for_order(page, "Rules in words", "Position")
    page.locator(".cell").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    wait_for_order(page, "Position", "Rules in words")
    page.locator(".cell-words:focus").wait_for()
    page.keyboard.press("ArrowUp")
    page.locator(".cell-position:focus").wait_for()
    page.keyboard.press("Delete")
    wait_for_order(page, "Rules in words")
    page.get_by_role("button", name="Undo the last saved").click()
    page.locator(".cell-cases[data-status=done]").wait_for()
    assert "barred" not in page.locator(".cm-content").inner_text()
    page.get_by_role("button", name="Redo").click()
    page.locator(".cm-content", has_text="barred").wait_for()
    page.get_by_role("button", name="Changes").click()
    page.locator(".diff-lines .added", has_text="barred").wait_for()
    assert serious(page) == []


def test_weight_matches_add_rows_and_weights_can_be_saved(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    cell = add(page, "Weights")
    for name, factor, row in (("plays_to_go", "-1", 0), ("spend_two", "2", 1)):
        cell.locator(".sliders label", has_text=name).locator("input").fill(factor)
        cell.locator("input[type=number]").first.fill("40")
        cell.get_by_role("button", name="Match against before").click()
        cell.locator(".tries tbody tr").nth(row).wait_for()
    assert cell.locator(".tries tbody td svg").count() == 2
    assert cell.locator(".sliders label", has_text="Do not break the 4 cards of").count() == 1
    here.picture("weights")
    assert serious(page) == []
    cell.locator(".tries button").first.click()
    cell.get_by_role("button", name="Write them into the rules").click()
    cell.locator(".sliders label", has_text="plays_to_go -20").wait_for()
    assert cell.locator(".tries tbody tr").count() == 2


def test_measurements_are_charted_and_exported(open_browser: Any, browser: Any, tmp_path: Path) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    write(page, BARRED)
    page.locator(".moves.lost").first.wait_for()
    for kind in ("Ablation", "Balance", "Coverage"):
        cell = add(page, kind)
        games = cell.locator("input[type=number]").first
        games.fill("20")
        games.blur()
        run(cell)
        page.locator(f".cell-{kind.lower()}[data-status=done] svg").first.wait_for()
    note = add(page, "Note")
    note.locator("textarea").fill("Pairs are <b>barred</b>.")
    assert serious(page) == []
    texts = {}
    for name, suffix in (("As one HTML file", "html"), ("As Markdown", "md")):
        page.locator("summary", has_text="Export").click()
        with page.expect_download() as saved:
            page.locator(".menu-list button", has_text=name).click()
        texts[suffix] = Path(saved.value.path()).read_text(encoding="utf-8")
    assert "| plays_to_go |" in texts["md"]
    assert "+barred(set(R,2)) :- rank(R)." in texts["md"]
    file = tmp_path / "notebook.html"
    file.write_text(texts["html"], encoding="utf-8")
    document = browser.new_page()
    requests = list[str]()
    document.on("request", lambda request: requests.append(request.url))
    document.goto(file.as_uri())
    assert requests == [file.as_uri()]
    assert document.locator(".felt .card").count() > 4
    assert document.locator("svg .dot").count() > 4
    assert document.locator("button, script, b:text('barred')").count() == 0
    assert document.locator(".felt").first.bounding_box()["height"] == 260
    document.close()


def test_duplicate_tabs_get_separate_drafts(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    write(page, BARRED)
    page.locator(".moves.lost").first.wait_for()
    page.wait_for_timeout(1500)  # the tab is kept a moment after a change
    stored = page.evaluate("JSON.stringify({...sessionStorage})")
    other = page.context.new_page()
    other.goto(here.address + "static/icon.svg")
    other.evaluate(
        "stored => { for (const [k, v] of Object.entries(JSON.parse(stored))) sessionStorage.setItem(k, v); }", stored
    )
    other.goto(here.address + "#/rules")
    loaded(other, "Another tab")
    other.locator(".cm-content", has_text="barred").wait_for()
    assert other.evaluate("JSON.parse(sessionStorage.lab).lab") != page.evaluate("JSON.parse(sessionStorage.lab).lab")
    other.close()
    page.locator("summary", has_text="Copies").click()
    page.locator(".lab-files form input").fill("no pairs")
    page.get_by_role("button", name="Keep a copy").click()
    page.locator(".copies li", has_text="no pairs").wait_for()
    write(page, "\nbarred(set(R,3)) :- rank(R).")
    page.locator(".copies li button", has_text="no pairs").click()
    loaded(page)
    page.locator(".cm-content", has_text="barred(set(R,2))").wait_for()
    assert "set(R,3)" not in page.locator(".cm-content").inner_text()


def test_share_link_loads_rules_and_damaged_link_is_rejected(open_browser: Any) -> None:
    here = open_president_lab(open_browser)
    page = here.page
    write(page, "% <img src=x onerror=alert(1)>")
    page.locator(".own-file", has_text="labels.lp").wait_for()
    page.locator("summary", has_text="Share").click()
    page.get_by_role("button", name="Copy a link").click()
    link = page.locator("input.link").input_value()
    other = open_browser()
    other.page.goto(link)
    other.page.get_by_role("alertdialog").wait_for()
    assert serious(other.page) == []
    other.page.get_by_role("button", name="Open them").click()
    loaded(other.page)
    other.page.locator(".cm-content", has_text="onerror").wait_for()
    assert other.page.locator("main img").count() == 0
    broken = open_browser()
    broken.open("#/rules/president/~AAAA")
    loaded(broken.page, "damaged")


def test_phone_shows_one_pane_at_a_time_in_chinese(open_browser: Any) -> None:
    here = open_browser(width=400, height=860, locale="zh-CN")
    here.open("#/rules/president")
    page = here.page
    page.locator(".cell .table-space .card").first.wait_for()
    tabs = page.locator(".pane-tabs button")
    for index, part in enumerate((".lab-files", ".lab-text", ".lab-cells")):
        tabs.nth(index).click()
        shown = page.locator(".lab > *").evaluate_all("parts => parts.filter(e => e.offsetWidth).map(e => e.className)")
        assert shown == [part[1:]]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == []
    page.set_viewport_size({"width": 860, "height": 400})
    page.wait_for_timeout(500)
    assert page.locator("#urgent").inner_text() == ""
    tabs.nth(0).click()
    page.locator("summary", has_text="分享").click()
    with page.expect_download() as taken:
        page.get_by_role("link", name="下载 ZIP").click()
    assert taken.value.suggested_filename == "my-rules.zip"
    page.get_by_role("button", name="按这些规则打牌").click()
    page.wait_for_selector(".hand .card")


def test_position_of_a_table_is_pinned_to_the_notebook(open_browser: Any) -> None:
    here = open_browser(width=1280, height=860)
    here.new_table(game="president", seed=3)
    here.wait_for_turn()
    page = here.page
    hand = page.locator(".hand .card").count()
    page.get_by_role("button", name="Pin to the notebook").click()
    page.get_by_role("link", name="open the notebook").click()
    page.locator(".cell-position").first.locator(".table-space .card").first.wait_for()
    loaded(page)
    page.locator(".cell-position button.json").first.click()
    assert len(json.loads(page.locator("pre.json").inner_text())["hand"]) == hand
    assert page.locator(".cell-position").first.locator(".shown-hand .card").count() == hand


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_notebook_is_accessible(open_browser: Any, dark: bool) -> None:
    here = open_browser(width=1440, height=900, color_scheme="dark" if dark else "light")
    here.open("#/rules/president")
    loaded(here.page)
    write(here.page, BARRED)
    here.page.locator(".moves.lost .move").first.click()
    here.page.locator(".reasons").wait_for()
    assert serious(here.page) == []
