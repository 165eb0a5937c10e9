"""Browser tests of the page: few and long, because each needs a browser.

``ABL_CARDS_PICTURES=1`` writes the pictures of docs/how-to/play-in-the-browser.md again.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import Watched, chromium, served
from tests.web.served import show

AXE = Path(__file__).parent / "axe" / "axe.min.js"
KEYS_OF_RANKS = {"10": "t"}


@pytest.fixture(scope="module")
def house() -> Iterator[Any]:
    chromium()
    with served() as (address, lobby):
        yield address, lobby


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        running = player.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def look(browser: Any, house: Any) -> Iterator[Any]:
    """Open pages with separate cookies and storage; check afterwards that they had no errors."""
    opened: list[tuple[Any, Watched]] = []

    def make(width: int = 1280, height: int = 860, locale: str = "en-US", **more: Any) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": height}, locale=locale, **more)
        context.add_init_script(
            "localStorage.getItem('abl-cards') || localStorage.setItem('abl-cards', '{\"pace\":0}')"
        )
        watched = Watched(context.new_page(), house[0])
        opened.append((context, watched))
        return watched

    yield make
    for context, watched in opened:
        assert watched.trouble == []
        context.close()


def serious(page: Any) -> list[str]:
    """Return the serious accessibility problems that axe-core finds."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:160]}"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


def play_best(look: Watched) -> dict[str, Any]:
    """Play the hint by keys only, until this seat is to decide again."""
    state = look.wait_for_turn()
    if state["phase"] in ("end", "over"):
        return state
    play_once(look, state)
    return look.wait_for_turn()


READY = """() => {
  if (!document.querySelector('.advice[aria-busy=false] .verdict')) return false;
  if (document.querySelector('.hand .picked')) return document.querySelector('.mine .strong:not(:disabled)') && 'Enter';
  return /PASS|pass|不要/.test(document.querySelector('.verdict h3').textContent) && 'p';
}"""


def play_once(look: Watched, state: dict[str, Any]) -> None:
    """Make one decision by the hint."""
    look.press("b")
    if state["phase"] == "choice" and look.page.locator(".mine .buttons kbd").first.inner_text() == "1":
        look.wait_for_change(state["at"])  # the hint makes a choice of several words at once
        return
    look.press(look.page.wait_for_function(READY).json_value())
    look.wait_for_change(state["at"])


def test_a_whole_match_is_played_by_keys(look: Any) -> None:
    here = look()
    here.new_table(game="guandan", seed=11, seats=["person", "random", "kb", "random"])
    state, ended = here.wait_for_turn(), 0
    for _ in range(400):
        if state["phase"] == "over":
            break
        if state["phase"] == "end":
            ended += 1
            here.press("g")
            here.page.wait_for_function("() => document.querySelector('.felt').dataset.phase !== 'end'")
            state = here.wait_for_turn()
        else:
            state = play_best(here)
    assert state["phase"] == "over"
    assert ended >= 1
    assert "won" in here.page.locator(".ended .big").inner_text()
    assert serious(here.page) == []


def test_bids_and_a_landlord(look: Any) -> None:
    here = look(locale="zh-CN")
    here.new_table(game="doudizhu", profile="botzone_bidding", seed=5)
    state = here.wait_for_turn()
    assert state["phase"] == "choice"
    assert "地主" not in here.page.locator(".seat").first.inner_text()  # no seat is the landlord yet
    assert "叫3分" in here.page.locator(".mine .buttons").inner_text()
    here.picture("bids")
    here.press("1")
    here.wait_for_change(state["at"])
    for _ in range(40):
        if here.wait_for_turn()["phase"] == "over":
            break
        play_best(here)
    assert here.state()["phase"] == "over"
    assert serious(here.page) == []
    assert "比赛结束" in here.page.locator(".ended").inner_text()
    assert "地主" in here.page.locator(".felt").inner_text()


def test_a_throw_that_fails_is_changed(look: Any, house: Any) -> None:
    """A throw of two single cards fails if another seat has a higher one; only the lower card is played."""
    here = look()
    here.new_table(game="tractor", seed=3, seats=["person", "greedy", "greedy", "greedy"])
    failed = False
    for _ in range(120):
        state = here.wait_for_turn()
        if state["phase"] in ("end", "over"):
            break
        leads = here.page.locator(".lies:not(.faded)").count() == 0
        if state["phase"] == "play" and leads and not failed:
            failed = throw(here, state)
            if failed:
                break
        here.press("Escape")
        play_best(here)
    assert failed
    here.picture("tractor")


def throw(here: Watched, state: dict[str, Any]) -> bool:
    """Throw the two lowest cards of a suit, if legal; return whether fewer cards were played."""
    cards = [card.get_attribute("data-card") for card in here.page.locator(".hand .card").all()]
    for suit in "CDHS":
        mine = [place for place, text in enumerate(cards) if text[0] == suit]
        if len(mine) < 3 or cards[mine[0]] == cards[mine[1]]:
            continue
        here.press("Escape")
        for place in mine[:2]:
            here.page.locator(f".hand .card[data-place='{place}']").click(position={"x": 5, "y": 12})
        here.page.wait_for_timeout(250)
        if here.page.locator(".mine .strong:not(:disabled)").count():
            held = len(cards)
            here.press("Enter")
            here.wait_for_change(state["at"])
            return held - here.page.locator(".hand .card").count() == 1
    return False


def test_reload_narrow_chinese_and_dark(look: Any) -> None:
    here = look(width=400, height=820, locale="zh-CN", color_scheme="dark")
    here.open()
    here.page.wait_for_selector(".hand .card")
    here.wait_for_turn()
    assert here.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    before = here.state(), here.page.locator(".hand").get_attribute("aria-label")
    here.page.reload()
    here.page.wait_for_selector(".hand .card")
    here.wait_for_turn()
    assert (here.state(), here.page.locator(".hand").get_attribute("aria-label")) == before
    here.press("h")
    here.page.wait_for_selector(".verdict")
    words = here.page.locator("body").inner_text()
    assert "出牌" in words
    assert "提示" in words
    here.picture("phone")
    assert serious(here.page) == []
    here.press("y")
    here.page.wait_for_function("() => document.body.innerText.includes('Take back')")
    here.page.evaluate("() => dispatchEvent(new Event('offline'))")


def test_two_browsers_at_a_table(look: Any) -> None:
    one, two = look(), look()
    one.new_table(game="president", seed=4, seats=["person", "person", "greedy", "greedy"])
    one.page.get_by_role("button", name="Seats").click()
    link = one.page.locator("#dialog-invite .copy input").first.input_value()
    one.press("Escape", "m")
    two.page.goto(link)
    two.page.wait_for_selector(".hand .card")
    assert one.state()["me"] != two.state()["me"]
    for _ in range(6):
        for here in (one, two):
            state = here.state()
            if state["turn"] == state["me"]:
                play_once(here, state)
        one.page.wait_for_timeout(300)
    assert one.page.evaluate("() => document.querySelector('.log').children.length") > 4


def test_hints_reasons_and_taking_back(look: Any) -> None:
    here = look()
    here.new_table(game="guandan", seed=9, seats=["person", "kb", "kb", "kb"])
    state = here.wait_for_turn()
    here.press("b")
    here.page.wait_for_selector(".labels")
    here.page.wait_for_selector(".hand .picked")
    here.page.wait_for_timeout(400)
    here.page.locator(".imagined summary").click()
    assert here.page.locator(".imagined li").count() == 4
    assert serious(here.page) == []
    here.page.locator(".imagined summary").click()
    here.picture("table")
    here.press("w")
    here.page.wait_for_selector(".why")
    here.press("Escape")
    here.page.locator(".hand .card").nth(0).click(position={"x": 4, "y": 10})
    here.page.locator(".hand .card").nth(20).click(position={"x": 4, "y": 10})
    here.page.wait_for_function("() => document.querySelector('.reads').innerText.length > 0")
    here.press("Escape")
    held = here.page.locator(".hand .card").count()
    play_best(here)
    here.press("z")
    here.page.wait_for_function("at => document.querySelector('.felt').dataset.at === at", arg=state["at"])
    assert here.page.locator(".hand .card").count() == held
    here.press("?")
    assert here.page.locator("#dialog-help").is_visible()
    assert serious(here.page) == []
    here.press("Escape")
    here.press("n")
    here.page.wait_for_selector("#new-game")
    here.page.wait_for_selector("#dialog-new .chooser")
    assert serious(here.page) == []


def test_markup_in_a_name_is_text(look: Any) -> None:
    here = look()
    here.new_table(game="president", seed=1, name="<img src=x onerror=1>")
    here.open("#/watch")
    here.page.wait_for_selector("main .list li")
    assert "<img src=x onerror=1>" in here.page.locator("main").inner_text()
    assert here.page.locator("main img").count() == 0
    assert serious(here.page) == []


def test_a_served_table_is_looked_at(look: Any, house: Any, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as threads:  # playwright runs an event loop in this thread
        threads.submit(show, tmp_path).result()
    house[1].config = replace(house[1].config, watch_folders=(tmp_path,))
    here = look()
    here.open("#/watch")
    here.page.get_by_role("link", name="look on").last.click()
    here.page.wait_for_selector(".felt[data-phase=over] .ended")
    assert "greedy" in here.page.locator(".ended").inner_text()
    assert here.page.locator("main button:visible").count() == 0
    assert serious(here.page) == []
    here.page.get_by_role("link", name="All tables").click()
    here.page.wait_for_selector("main .list li")


def test_a_record_is_looked_over(look: Any, tmp_path: Path) -> None:
    from abl_cards.agents.registry import make_agent
    from abl_cards.games.game import load
    from abl_cards.matches.match_runner import play_match

    engine, records = load("president").engine(), list[Any]()
    names = ("greedy", "random")
    play_match(
        engine,
        [make_agent(name, engine) for name in names],
        1,
        3,
        names=names,
        on_progress=lambda done, wins: None,
        write_record=records.append,
    )
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, records)))
    here = look(height=1100)
    here.open("#/review")
    here.page.select_option(".opener select", "president")
    here.page.set_input_files("input[type=file]", tmp_path / "games.jsonl")
    here.page.get_by_role("button", name="Look it over").click()
    here.page.wait_for_selector(".heat .cell")
    here.page.fill(".over input[type=number]", "8")
    here.page.get_by_role("button", name="Find the mistakes").click()
    here.page.wait_for_selector(".review[data-state=done] .graph")
    assert here.page.locator(".graph").count() == 2
    here.press("ArrowRight", "ArrowRight")
    here.page.wait_for_selector(".review[data-at='2'] .thought[aria-busy=false]")
    assert here.page.url.endswith("/2")
    if here.page.locator(".mark").count():
        here.press("e")
    here.page.wait_for_selector(".heat .true")
    here.picture("review")
    assert serious(here.page) == []
    with here.page.expect_download() as saved:
        here.page.get_by_role("button", name="Download the graph").click()
    assert "<svg" in Path(saved.value.path()).read_text(encoding="utf-8")


def loaded(page: Any) -> None:
    """Wait until the lab has loaded the rules."""
    page.locator(".lab [role=status]", has_text="loaded in").wait_for()


def test_rules_are_edited_until_the_legal_moves_change(look: Any) -> None:
    here = look()
    here.open("#/rules/president")
    page = here.page
    loaded(page)
    page.locator(".lab-side textarea").fill('{"hand":["S5","H5","C9"],"to_beat":null}')
    page.get_by_role("button", name="Pin", exact=True).click()
    page.locator(".pinned", has_text="S5 H5 C9").wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("barred(set(R,2)) :- rank(R).")
    page.locator(".moves.lost button", has_text="H5 S5").wait_for()
    here.picture("lab")
    page.locator(".moves.lost button", has_text="H5 S5").click()
    page.locator(".lab-more .why", has_text="set(5,2)").first.wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nx(R) :- hold(R,1).")
    page.locator(".problems .problem", has_text="unknown predicate 'hold/2'").wait_for()
    page.locator(".cm-lint-marker-error").wait_for()
    page.keyboard.press("Control+s")
    page.keyboard.type("\ny :- in_tri")
    page.locator(".cm-tooltip-autocomplete", has_text="in_trick(S,R,N)").wait_for()
    page.keyboard.press("Escape")
    assert serious(page) == []
    page.reload()
    loaded(page)
    page.locator(".cm-content", has_text="hold(R,1)").wait_for()


def test_cases_weights_and_a_link(look: Any) -> None:
    here = look()
    here.open("#/rules/president")
    page = here.page
    loaded(page)
    page.get_by_role("button", name="Run the cases").click()
    page.locator(".job[data-state=done]", has_text="cases hold").wait_for()
    page.get_by_role("button", name="Preferences", exact=True).click()
    page.locator(".decided li").first.wait_for()
    page.locator(".sliders label", has_text="plays_to_go").locator("input").fill("-1")
    page.locator(".decided .changed").first.wait_for()
    here.picture("weights")
    page.locator(".weights input[type=number]").fill("40")
    page.get_by_role("button", name="A match").click()
    page.locator(".job[data-state=done]", has_text="of 40 games").wait_for()
    assert serious(page) == []
    page.get_by_role("button", name="Write them into the rules").click()
    page.locator(".sliders label", has_text="plays_to_go -20").wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("% <img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Copy a link").click()
    link = page.locator("input.link").input_value()
    other = look()
    other.page.goto(link)
    other.page.get_by_role("alertdialog").wait_for()
    assert serious(other.page) == []
    other.page.get_by_role("button", name="Open them").click()
    loaded(other.page)
    other.page.locator(".cm-content", has_text="onerror").wait_for()
    assert other.page.locator("main img").count() == 0
    broken = look()
    broken.open("#/rules/president/~AAAA")
    broken.page.locator(".lab [role=status]", has_text="damaged").first.wait_for()


def test_edited_rules_are_told_in_words_and_played(look: Any) -> None:
    here = look(width=400, height=800, locale="zh-CN")
    here.open("#/rules/president")
    page = here.page
    page.locator(".lab [role=status]", has_text="秒后生效").wait_for()
    page.get_by_role("button", name="规则的文字说明").click()
    page.locator(".lab-more li", has_text="各自为战").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as taken:
        page.get_by_role("link", name="下载 zip").click()
    assert taken.value.suggested_filename == "my-rules.zip"
    page.get_by_role("button", name="按这些规则打牌").click()
    page.wait_for_selector(".hand .card")
