"""Browser tests of the home screen, invitations and classes."""

from typing import Any

import pytest

from tests.effort import long
from tests.web.browser import Watched, serious
from tests.web.test_browser import press_hint_keys
from tests.web.test_words import is_foreign

PRODUCT = "abl-cards"
TEXTS = """() => {
  const texts = [document.title];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    const isCode = element.closest('code, kbd, svg, script, noscript, [lang=en]');
    if (node.data.trim() && !isCode) texts.push(node.data.trim());
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [alt], [placeholder]'))
    for (const name of ['aria-label', 'title', 'alt', 'placeholder'])
      if (element.getAttribute(name) && !element.closest('[lang=en]')) texts.push(element.getAttribute(name));
  return texts;
}"""
KNOWN = "() => document.querySelector('.tile svg') && !document.querySelector('.tile .face-down')"
"""The cards of all tiles are known."""
WIDE = "() => document.documentElement.scrollWidth - innerWidth"


def foreign_texts(here: Watched) -> list[str]:
    """Return the texts of the page with Latin words, the name of the product excepted."""
    return sorted({text for text in here.page.evaluate(TEXTS) if is_foreign(text.replace(PRODUCT, ""))})


def enter_name(here: Watched, name: str) -> None:
    here.page.wait_for_selector("#guest-name")
    here.page.fill("#guest-name", name)
    here.page.click(".entry .strong")


@long
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (400, 860), (860, 400), (320, 640)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_screen_fits_and_is_translated_to_chinese(open_browser: Any, width: int, height: int, scheme: str) -> None:
    here = open_browser(width, height, "zh-CN", color_scheme=scheme)
    here.open()
    here.page.wait_for_selector(".tile")
    assert foreign_texts(here) == []
    assert here.page.evaluate(WIDE) <= 0
    assert serious(here.page) == []
    if width < 560:
        here.page.click(".menu")
    links = [link.bounding_box() for link in here.page.locator(".bar nav a").all()]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in links)
    here.page.click(".bar nav a >> nth=0")
    here.page.wait_for_selector(".hand .card")


@long
def test_home_screen_lists_the_table_of_a_new_player(open_browser: Any) -> None:
    here = open_browser()
    here.open()
    here.page.wait_for_selector(".tile")
    assert here.page.locator("h1").inner_text() == PRODUCT
    assert "why" in here.page.locator(".sentence").inner_text()
    here.page.click(".tile-play[href='#/play/new/president']")
    here.page.wait_for_selector(".hand .card")
    state = here.wait_for_turn()
    press_hint_keys(here, state)
    here.page.wait_for_timeout(300)
    here.page.click(".home-link")
    here.page.wait_for_selector(".table-card .thumbnail")
    assert "President" in here.page.locator(".table-card").inner_text()
    here.page.wait_for_function(KNOWN)
    assert serious(here.page) == []
    here.picture("home")
    here.page.click(".table-open")
    here.page.wait_for_selector(".hand .card")
    here.open("#/")
    here.page.click(".table-card .remove")
    here.page.click(".asks .strong")
    here.page.wait_for_function("() => !document.querySelector('.table-card')")
    here.page.reload()
    here.page.wait_for_selector(".tile")
    assert here.page.locator(".table-card").count() == 0


@long
def test_invitation_link_seats_a_guest(open_browser: Any) -> None:
    here, guest, late = open_browser(), open_browser(400, 860), open_browser()
    here.open()
    here.page.wait_for_selector("#friends-game option[value=president]", state="attached")
    here.page.fill("#friends-name", "Ann")
    here.page.select_option("#friends-game", "president")
    here.page.click("#friends .strong")
    here.page.wait_for_selector(".qr svg path")
    assert "--host 0.0.0.0" in here.page.locator(".invite-link code").inner_text()
    link = here.page.locator(".invite-link input").input_value()
    here.page.click("#friends .button.strong")
    here.page.wait_for_selector(".hand .card")
    guest.open(link.removeprefix(guest.address))
    enter_name(guest, "Bo")
    guest.page.wait_for_selector(".hand .card")
    here.page.wait_for_function("() => document.querySelector('.felt').textContent.includes('Bo')")
    late.open(link.removeprefix(late.address))
    enter_name(late, "Cy")
    late.page.wait_for_selector(".felt .onlooker")
    assert late.page.locator(".hand .card").count() == 0
    guest.open(link.removeprefix(guest.address))  # the link leads back to the seat
    guest.page.wait_for_selector(".hand .card")


@long
def test_class_plays_one_deal_and_follows_the_teacher(open_browser: Any) -> None:
    teacher = open_browser(1440, 900)
    teacher.open("#/class")
    teacher.page.wait_for_selector("#class-game option[value=president]", state="attached")
    teacher.page.select_option("#class-game", "president")
    teacher.page.click(".entry .strong")
    code = teacher.page.locator(".code").inner_text()
    pupils = [open_browser(900, 700), open_browser(400, 860, "zh-CN")]
    for pupil, name in zip(pupils, ("Bo", "小王"), strict=True):
        pupil.open(f"#/class/{code.lower()}")
        enter_name(pupil, name)
        pupil.page.wait_for_selector(".hand .card")
        assert pupil.page.locator(".class-bar").count() == 1
    hands = [[card.get_attribute("data-card") for card in pupil.page.locator(".hand .card").all()] for pupil in pupils]
    assert hands[0] == hands[1]
    assert foreign_texts(pupils[1]) == []
    play_deal(pupils[0])
    teacher.page.wait_for_selector(".results tbody tr")
    assert teacher.page.locator(".wall-table").count() == 2
    assert "Bo" in teacher.page.locator(".results").inner_text()
    assert serious(teacher.page) == []
    teacher.picture("class")
    teacher.page.check(".class-bar input")
    teacher.page.click(".results tbody button")
    for pupil in pupils:
        pupil.page.wait_for_url("**/#/review/**")
    place = teacher.page.url.rpartition("#")[2].rsplit("/", 1)[0]
    teacher.page.evaluate("place => { location.hash = `${place}/3`; }", place)
    for pupil in pupils:
        pupil.page.wait_for_url(f"**/#{place}/3")
    pupils[0].page.uncheck(".class-bar input")
    teacher.page.evaluate("place => { location.hash = `${place}/5`; }", place)
    pupils[1].page.wait_for_url(f"**/#{place}/5")
    assert pupils[0].page.url.endswith(f"{place}/3")  # this pupil does not follow any more


def play_deal(here: Watched) -> None:
    """Play by hints until the deal is over."""
    for _ in range(60):
        state = here.wait_for_turn()
        if state["phase"] in ("end", "over"):
            return
        press_hint_keys(here, state)
