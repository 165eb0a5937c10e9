"""Browser tests of the playing table: coach, effects, open hands, fast-forward, mouse with keys, lost connection."""

from typing import Any

import pytest

from tests.web.browser import Watched, serious
from tests.web.test_browser import play_turn_by_hint, press_hint_keys
from tests.web.test_browser_crawl import TEXTS
from tests.web.test_browser_positions import SHIFTS
from tests.web.test_words import is_foreign

COUNT_EFFECTS = """
  window.flights = window.tones = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (steps, options) {
    if (options.duration === 180) window.flights++;
    return animate.call(this, steps, options);
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.tones++; return start.call(this, at); };
"""
PLACE = "() => JSON.stringify(document.querySelector('.actions').getBoundingClientRect())"


def settle(here: Watched) -> dict[str, Any]:
    """Wait for the turn and for the module of the coach."""
    state = here.wait_for_turn()
    here.page.wait_for_selector(".advice .modes", state="attached")
    return state


def test_keys_and_mouse_work_together(open_browser: Any) -> None:
    """After any key, a clicked card covers nothing of its neighbour; after a click on a button, Enter plays."""
    here = open_browser(width=1440, height=900)
    here.new_table(game="bigtwo", seed=7)
    state = settle(here)
    here.press("i")
    hand = here.page.locator(".hand .card")
    for place in (2, 3):
        box, following = hand.nth(place).bounding_box(), hand.nth(place + 1).bounding_box()
        for x in (box["x"] + 2, following["x"] - 2):  # both ends of its visible part
            here.press("Escape")
            here.page.wait_for_timeout(350)  # else it is a double tap
            hand.nth(place - 1).click(position={"x": 4, "y": 12})
            here.page.mouse.click(x, box["y"] + 40)
            assert here.page.locator(".hand .picked").count() == 2
    here.press("Escape")
    here.page.locator(".actions .hint").click()
    here.page.wait_for_function("() => document.querySelector('.actions .main:not(:disabled)')")
    here.page.get_by_role("button", name="Seats").click()
    here.page.wait_for_selector("#dialog-invite[open] .chooser")
    here.press("Escape")
    here.page.wait_for_selector("#dialog-invite", state="hidden")
    here.page.wait_for_timeout(200)  # keys belong to the table from the next frame on
    here.press("Enter")
    here.wait_for_change(state["at"])
    assert here.page.locator("#dialog-invite[open]").count() == 0


def test_lost_connection_disables_buttons_until_reconnected(open_browser: Any) -> None:
    here = open_browser()
    routes: list[Any] = []

    def connect(route: Any) -> None:
        routes.append(route)
        if len(routes) != 2:
            route.connect_to_server()
        else:
            route.close(code=1012)

    here.page.route_web_socket("**/api/tables/*", connect)
    here.new_table(game="president", seed=4)
    settle(here)
    here.page.evaluate(
        "() => new MutationObserver(() => { if (/connection lost/.test(document.querySelector('.turn').textContent)) "
        "window.wasLost = [...document.querySelectorAll('.actions button:not(.order, .last)')].every((button) => "
        "button.disabled) && !document.querySelector('.problem'); }).observe(document.querySelector('.message'), "
        "{subtree: true, childList: true, characterData: true})"
    )
    routes[0].close(code=1012)
    here.page.wait_for_function("() => window.wasLost !== undefined")
    here.press("h")
    here.page.wait_for_function("() => !document.querySelector('.actions .hint').disabled")
    assert here.page.evaluate("() => window.wasLost")
    assert here.page.locator(".problem").count() == 0
    assert len(routes) == 3
    play_turn_by_hint(here)
    here.trouble.clear()  # the browser reports the closed connection


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (400, 860)])
def test_coach_judges_after_the_move_without_layout_shifts(open_browser: Any, width: int, height: int) -> None:
    here = open_browser(width=width, height=height, locale="zh-CN")
    here.page.add_init_script("localStorage.setItem('abl-cards', JSON.stringify({pace: 0, coach: 'after'}))")
    here.new_table(game="bigtwo", seed=7)
    settle(here)
    here.page.evaluate(SHIFTS)
    places = []
    for _ in range(3):
        here.page.wait_for_timeout(100)
        places.append(here.page.evaluate(PLACE))
        if play_turn_by_hint(here)["phase"] in ("end", "over"):
            break
    here.page.wait_for_selector(".judged", state="attached")
    if width < 900:
        here.page.locator(".coach-button").click()
    here.page.locator(".judged summary").click()
    assert 1 <= here.page.locator(".move-bars li").count() <= 4
    assert "已出" in here.page.locator(".move-bars").inner_text()
    places.append(here.page.evaluate(PLACE))
    assert len(set(places)) == 1
    assert here.page.evaluate("() => window.shifted") <= 0.05
    foreign = [text for text in here.page.evaluate(TEXTS) if is_foreign(text.replace("abl-cards", ""))]
    assert not foreign
    assert serious(here.page) == []


def test_coach_bar_before_the_move_selects_its_cards(open_browser: Any) -> None:
    here = open_browser(width=1440, height=900)
    here.new_table(game="bigtwo", seed=7)
    settle(here)
    here.page.get_by_role("radio", name="before my move").click()
    here.page.locator(".judged summary").click()
    here.page.locator(".move-bars .take").first.click()
    here.page.wait_for_function("() => document.querySelector('.actions .main:not(:disabled)')")
    assert "light-good" in here.page.locator(".judged").get_attribute("class")
    here.press("h")
    here.page.locator(".verdict .numbers summary").first.click()
    assert "cost" in here.page.locator(".verdict .numbers").first.inner_text()
    assert serious(here.page) == []


def test_open_hands_and_reasons_of_other_players(open_browser: Any) -> None:
    here = open_browser(width=1440, height=900)
    here.new_table(game="bigtwo", seed=7)
    settle(here)
    here.page.locator(".tools .menu summary").click()
    here.page.get_by_role("switch", name="All hands open").click()
    here.page.wait_for_function("() => document.querySelectorAll('.seat .row.fan').length === 3")
    here.page.locator(".lies button.what").first.click()
    here.page.locator(".past h3", has_text="Why kb played").wait_for()
    assert here.page.locator(".past .reasons li").count() >= 1
    assert serious(here.page) == []
    strict = open_browser()
    strict.new_table(game="bigtwo", seed=7, practice=False)
    settle(strict)
    strict.page.locator(".tools .menu summary").click()
    assert strict.page.get_by_role("switch", name="All hands open").count() == 0
    assert strict.page.locator(".lies button.what").count() == 0


def test_animations_and_sounds_start_only_after_a_gesture(open_browser: Any) -> None:
    here, still = open_browser(), open_browser(reduced_motion="reduce")
    for page in (here, still):
        page.page.add_init_script(COUNT_EFFECTS)
        page.new_table(game="bigtwo", seed=7)
        settle(page)
        assert page.page.evaluate("() => [window.flights, window.tones]") == [0, 0]
        for _ in range(3):
            play_turn_by_hint(page)
    flights, tones = here.page.evaluate("() => [window.flights, window.tones]")
    assert flights >= 1
    assert tones >= 2
    assert still.page.evaluate("() => window.flights") == 0
    quiet = open_browser()
    quiet.page.add_init_script("localStorage.setItem('abl-cards', JSON.stringify({pace: 0, sound: false}))")
    quiet.page.add_init_script(COUNT_EFFECTS)
    quiet.new_table(game="bigtwo", seed=7)
    for _ in range(3):
        play_turn_by_hint(quiet)
    assert quiet.page.evaluate("() => window.tones") == 0


def test_rest_of_the_deal_is_skipped_when_the_player_is_out(open_browser: Any) -> None:
    here = open_browser()
    here.page.add_init_script("localStorage.setItem('abl-cards', JSON.stringify({pace: 300}))")
    here.new_table(game="president", seed=3, seats=["person", "random", "random", "random"])
    main = here.page.locator(".actions .main")
    for _ in range(60):
        here.page.wait_for_function(
            "() => { const d = document.querySelector('.felt').dataset; return d.turn === d.me || d.phase !== 'play' "
            "|| /To the end/.test(document.querySelector('.actions .main').textContent); }"
        )
        if here.state()["phase"] != "play" or "To the end" in main.inner_text():
            break
        press_hint_keys(here, here.state())
    assert "To the end" in main.inner_text()
    main.click()
    here.page.wait_for_selector(".ended")


def test_new_table_dialog_describes_agents_and_profiles(open_browser: Any) -> None:
    here = open_browser(width=320, height=640, locale="zh-CN")
    here.new_table(game="president", seed=3)
    settle(here)
    boxes = [link.bounding_box() for link in here.page.locator(".bar > a:visible, .bar > button:visible").all()]
    assert boxes
    assert all(box["height"] < 44 and box["x"] + box["width"] <= 320 for box in boxes)
    assert here.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    hand = here.page.locator(".hand").bounding_box()
    assert hand["y"] + hand["height"] <= 641
    here.press("n")
    here.page.select_option("#new-game", "doudizhu")
    here.page.locator(".about", has_text="不叫牌").wait_for()
    here.page.select_option("#new-profile", "contest")
    here.page.locator(".about", has_text="叫分").wait_for()
    assert "通常最强" in here.page.locator("#dialog-new").inner_text()
    assert serious(here.page) == []
