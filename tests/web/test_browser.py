"""Browser tests of the page: few and long, because each needs a browser.

``ABL_CARDS_PICTURES=1`` writes the pictures of docs/how-to/play-in-the-browser.md again.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.web.browser import Watched, serious
from tests.web.served import serve_table

KEYS_OF_RANKS = {"10": "t"}


def play_turn_by_hint(browser: Watched) -> dict[str, Any]:
    """Play the hint by keys only, until this seat is to decide again."""
    state = browser.wait_for_turn()
    if state["phase"] in ("end", "over"):
        return state
    press_hint_keys(browser, state)
    return browser.wait_for_turn()


READY = """() => {
  if (!document.querySelector('.advice[aria-busy=false] .verdict')) return false;
  if (document.querySelector('.hand .picked')) return document.querySelector('.mine .strong:not(:disabled)') && 'Enter';
  return /PASS|pass|不要/.test(document.querySelector('.verdict h3').textContent) && 'p';
}"""


def press_hint_keys(browser: Watched, state: dict[str, Any]) -> None:
    """Make one decision by the hint."""
    is_made_at_once = state["phase"] == "choice" and browser.page.locator(".mine .choices button").count()
    browser.press("b")
    if is_made_at_once:  # a choice among words
        browser.wait_for_change(state["at"])
        return
    browser.press(browser.page.wait_for_function(READY).json_value())
    browser.wait_for_change(state["at"])


def test_match_can_be_played_with_keys_only(open_browser: Any) -> None:
    here = open_browser()
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
            state = play_turn_by_hint(here)
    assert state["phase"] == "over"
    assert ended >= 1
    assert "won" in here.page.locator(".ended .big").inner_text()
    assert serious(here.page) == []


def test_bidding_shows_bids_and_the_landlord(open_browser: Any) -> None:
    here = open_browser(locale="zh-CN")
    here.new_table(game="doudizhu", profile="botzone_bidding", seed=5)
    state = here.wait_for_turn()
    assert state["phase"] == "choice"
    assert "地主" not in here.page.locator(".seat").first.inner_text()  # no seat is the landlord yet
    assert "叫3分" in here.page.locator(".mine .choices").inner_text()
    here.picture("bids")
    here.press("1")
    here.wait_for_change(state["at"])
    for _ in range(40):
        if here.wait_for_turn()["phase"] == "over":
            break
        play_turn_by_hint(here)
    assert here.state()["phase"] == "over"
    assert serious(here.page) == []
    assert "比赛结束" in here.page.locator(".ended").inner_text()
    assert "地主" in here.page.locator(".felt").inner_text()


def test_failed_throw_is_replaced_and_explained(open_browser: Any, web_server: Any) -> None:
    """A throw of two single cards fails if another seat has a higher one; only the lower card is played."""
    here = open_browser()
    here.new_table(game="tractor", seed=3, seats=["person", "greedy", "greedy", "greedy"])
    failed = False
    for _ in range(120):
        state = here.wait_for_turn()
        if state["phase"] in ("end", "over"):
            break
        leads = here.page.locator(".lies:not(.faded, .wins)").count() == 0
        if state["phase"] == "play" and leads and not failed:
            failed = throw(here, state)
            if failed:
                break
        here.press("Escape")
        play_turn_by_hint(here)
    assert failed
    here.wait_for_turn()
    if not here.page.locator(".what.failed").count():
        here.press("l")  # the winner of the trick has led already
    assert "throw of 2 cards fails, taken back" in here.page.locator(".what.failed").inner_text()
    assert here.page.locator(".lies.mine .card").count() == 1
    assert "fails; only" in here.page.locator(".log").text_content()
    here.picture("tractor")


def throw(here: Watched, state: dict[str, Any]) -> bool:
    """Throw the two lowest cards of a suit, if legal; return whether fewer cards were played."""
    cards = [card.get_attribute("data-card") for card in here.page.locator(".hand .card").all()]
    for suit in "CDHS":
        mine = [place for place, text in enumerate(cards) if text[0] == suit]
        if len(mine) < 3 or cards[mine[-2]] == cards[mine[-1]]:
            continue
        here.press("Escape")
        for place in mine[-2:]:  # the hand is in descending order
            here.page.locator(f".hand .card[data-place='{place}']").click(position={"x": 5, "y": 12})
        here.page.wait_for_timeout(250)
        if here.page.locator(".mine .strong:not(:disabled)").count():
            held = len(cards)
            here.press("Enter")
            here.wait_for_change(state["at"])
            return held - here.page.locator(".hand .card").count() == 1
    return False


def pick(here: Watched, *cards: str) -> None:
    for card in cards:
        here.page.locator(f".hand .card[data-card='{card}']").first.click(position={"x": 4, "y": 10})


def test_card_pass_requires_exactly_three_cards(open_browser: Any) -> None:
    here = open_browser(locale="zh-CN")
    here.new_table(game="hearts", seed=4)
    here.wait_for_turn()
    cards = [card.get_attribute("data-card") for card in here.page.locator(".hand .card").all()]
    strong = here.page.locator(".mine .buttons .strong")
    assert "正好选3张" in here.page.locator(".mine .reads").inner_text()
    for number in range(1, 5):
        pick(here, cards[3 * number])
        assert f"{number}／3" in strong.inner_text()
        assert strong.is_enabled() == (number == 3)
    state = here.state()
    here.press("Enter")
    here.page.wait_for_timeout(300)
    assert here.state()["at"] == state["at"]
    here.press("Escape", "b")
    here.page.wait_for_function("() => document.querySelectorAll('.hand .picked').length === 3")
    here.press("Enter")
    here.wait_for_change(state["at"])


def test_reload_keeps_state_on_narrow_dark_chinese_page(open_browser: Any) -> None:
    here = open_browser(width=400, height=820, locale="zh-CN", color_scheme="dark")
    here.open("#/play")
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
    here.page.wait_for_function("() => document.body.innerText.includes('Undo')")
    here.page.evaluate("() => dispatchEvent(new Event('offline'))")


def test_two_browsers_play_at_one_table(open_browser: Any) -> None:
    one, two = open_browser(), open_browser()
    one.new_table(game="president", seed=4, seats=["person", "person", "greedy", "greedy"])
    one.page.get_by_role("button", name="Seats").click()
    link = one.page.locator("#dialog-invite .chooser .copy input").first.input_value()
    one.press("Escape", "m")
    two.page.goto(link)
    two.page.wait_for_selector(".hand .card")
    assert one.state()["me"] != two.state()["me"]
    for _ in range(6):
        for here in (one, two):
            state = here.state()
            if state["turn"] == state["me"]:
                press_hint_keys(here, state)
        one.page.wait_for_timeout(300)
    assert one.page.evaluate("() => document.querySelector('.log').children.length") > 4


def test_guest_sets_a_name_and_returns_to_the_table(open_browser: Any) -> None:
    host, guest = open_browser(), open_browser(locale="zh-CN")
    host.new_table(game="president", seed=4, seats=["person", "person", "greedy", "greedy"])
    host.press("Escape")
    host.page.get_by_role("button", name="Seats").click()
    assert "free seat" in host.page.locator("#dialog-invite").inner_text()
    link = host.page.locator("#dialog-invite .chooser .copy input").first.input_value()
    host.press("Escape")
    guest.page.goto(link)
    guest.page.wait_for_selector(".hand .card")
    host.page.locator(".seat .name", has_text="guest 1").wait_for()
    guest.page.locator(".name-prompt input").fill("Bo")
    guest.press("Enter")
    host.page.locator(".seat .name", has_text="Bo").wait_for()
    assert guest.page.locator(".name-prompt").count() == 0
    guest.page.get_by_role("link", name="复盘").click()
    guest.page.wait_for_selector(".opener")
    guest.page.get_by_role("link", name="打牌").click()
    guest.page.wait_for_selector(".hand .card")
    assert guest.page.url == link
    host.page.get_by_role("button", name="Seats").click()
    host.page.locator("#dialog-invite .chooser").nth(1).locator("select").select_option("greedy")
    guest.page.get_by_text("你在观战").wait_for()
    guest.page.reload()
    guest.page.get_by_text("你在观战").wait_for()
    host.page.get_by_role("button", name="Close this table").click()
    host.page.get_by_role("button", name="Close this table").click()
    host.page.get_by_text("This table was closed.").wait_for()
    guest.page.get_by_text("这张牌桌已关闭").wait_for()
    assert guest.page.locator("[role=alert].problem").count() == 0
    guest.page.goto(link)
    guest.page.reload()
    guest.page.get_by_text("这张牌桌已经不在了").wait_for()


def test_open_page_gets_new_access_key_after_restart(open_browser: Any) -> None:
    here = open_browser()
    here.new_table(game="president", seed=1)
    here.page.evaluate("() => { document.querySelector('meta[name=token]').content = 'of the server before'; }")
    here.page.get_by_role("link", name="Rules").click()
    here.page.locator(".lab .status", has_text="loaded in").wait_for()
    assert here.page.locator("[role=alert].problem").count() == 0
    assert all("403" in line for line in here.trouble)
    here.trouble.clear()


def test_the_first_start_shows_its_progress(open_browser: Any) -> None:
    here = open_browser(locale="zh-CN")
    answers = iter([{"kernels": 3, "share": 0.1, "seconds": None}, {"kernels": 40, "share": 0.45, "seconds": 21.4}])
    last = {"kernels": 90, "share": None, "seconds": None}
    here.page.route("**/api/start", lambda route: route.fulfill(json=next(answers, last)))
    here.page.route("**/api/tables", lambda route: None)
    here.page.route("**/api/first*", lambda route: route.fulfill(json={}))
    here.open("#/play")
    here.page.get_by_text("10 %").wait_for()
    here.page.get_by_text("约剩22秒").wait_for()
    assert "已完成40个部分" in here.page.locator(".start-progress").inner_text()
    here.page.locator(".start-progress").wait_for(state="detached")


def test_hints_reasons_and_undo(open_browser: Any) -> None:
    here = open_browser()
    here.new_table(game="guandan", seed=9, seats=["person", "kb", "kb", "kb"])
    state = here.wait_for_turn()
    here.press("b")
    here.page.wait_for_selector(".labels", state="attached")
    here.page.wait_for_selector(".hand .picked")
    here.page.wait_for_timeout(400)
    here.page.locator(".imagined summary").click()
    assert here.page.locator(".imagined li").count() == 4
    assert serious(here.page) == []
    here.page.locator(".imagined summary").click()
    here.picture("table")
    here.press("w")
    here.page.locator(".advice summary", has_text="by the rules").first.click()
    here.page.wait_for_selector(".why")
    here.press("Escape")
    here.page.locator(".hand .card").nth(0).click(position={"x": 4, "y": 10})
    here.page.locator(".hand .card").nth(20).click(position={"x": 4, "y": 10})
    here.page.wait_for_function("() => document.querySelector('.reads').innerText.length > 0")
    here.press("Escape")
    held = here.page.locator(".hand .card").count()
    play_turn_by_hint(here)
    here.press("z")
    here.page.wait_for_function("at => document.querySelector('.felt').dataset.at === at", arg=state["at"])
    assert here.page.locator(".hand .card").count() == held
    here.press("?")
    here.page.wait_for_selector("#dialog-help[open]")
    assert serious(here.page) == []
    here.press("Escape")
    here.press("n")
    here.page.wait_for_selector("#new-game")
    here.page.wait_for_selector("#dialog-new .chooser")
    assert serious(here.page) == []


def test_markup_in_names_is_shown_as_text(open_browser: Any) -> None:
    here = open_browser()
    here.new_table(game="president", seed=1, name="<img src=x onerror=1>")
    here.open("#/watch")
    here.page.wait_for_selector("main .table-list tbody tr", state="attached")
    assert "<img src=x onerror=1>" in here.page.locator("main").text_content()
    assert here.page.locator("main img").count() == 0
    assert serious(here.page) == []


def test_served_table_can_be_watched(open_browser: Any, web_server: Any, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as threads:  # playwright runs an event loop in this thread
        threads.submit(serve_table, tmp_path).result()
    web_server[1].config = replace(web_server[1].config, watch_folders=(tmp_path,))
    here = open_browser()
    here.open("#/watch")
    here.page.get_by_role("link", name="look on").last.click()
    here.page.wait_for_selector(".felt[data-phase=over] .ended")
    assert "greedy" in here.page.locator(".ended").inner_text()
    assert here.page.locator("main button:visible").count() == 0
    assert serious(here.page) == []
    here.page.get_by_role("link", name="All tables").click()
    here.page.wait_for_selector("main .table-list tbody tr", state="attached")


def test_swipe_selects_a_straight_and_hints_raise_cards(open_browser: Any) -> None:
    here = open_browser(width=860, height=400, has_touch=True)
    here.new_table(game="guandan", seed=11)
    here.wait_for_turn()
    hand = here.page.locator(".hand .card")
    ranks = [card.get_attribute("data-card")[-1] for card in hand.all()]
    first, last = sorted((ranks.index("7"), ranks.index("J")))
    boxes = [hand.nth(place).bounding_box() for place in range(first, last + 1)]
    here.page.mouse.move(boxes[0]["x"] + 6, boxes[0]["y"] + 30)
    here.page.mouse.down()
    for box in boxes:
        here.page.mouse.move(box["x"] + 6, box["y"] + 30)
    here.page.mouse.up()
    here.page.wait_for_function("() => /straight 7/.test(document.querySelector('.reads').textContent)")
    assert here.page.locator(".hand .picked").count() == 5
    assert here.page.locator(".actions .main").is_enabled()
    here.press("Escape")
    picked = set()
    for _ in range(2):
        here.page.locator(".actions .hint").tap()
        here.page.wait_for_selector(".advised")
        here.page.wait_for_function("() => document.querySelector('.actions .main:not(:disabled)')")
        here.page.wait_for_timeout(200)
        picked.add(" ".join(card.get_attribute("data-card") for card in here.page.locator(".hand .picked").all()))
    assert len(picked) == 2
    assert here.page.title().startswith("▶")
    here.press("Escape", "4")
    here.press("k")
    assert "nearest" in here.page.locator(".pick-problem").inner_text()
    here.press("Escape", "s", "s")
    here.page.locator(".hand .group").first.click()
    here.page.wait_for_function("() => document.querySelector('.actions .main:not(:disabled)')")
    assert serious(here.page) == []
