"""Browser tests of what the folders state in show.lp: scores, partners, revealed cards, results, order of the hand."""

from typing import Any

import pytest

from tests.effort import long
from tests.web.browser import Watched, serious
from tests.web.test_browser import play_turn_by_hint

pytestmark = long

SIZES = [(1440, 900), (400, 860), (860, 400)]


def texts(here: Watched, selector: str) -> list[str]:
    found: list[str] = here.page.locator(selector).all_inner_texts()
    return [" ".join(text.split()) for text in found]


@pytest.mark.parametrize("size", SIZES)
def test_score_and_partner_are_visible(open_browser: Any, size: tuple[int, int]) -> None:
    here = open_browser(*size, locale="zh-CN")
    here.new_table(game="whist", seed=3)
    here.wait_for_turn()
    assert texts(here, ".hud [role=meter]") == ["0／7", "0／7"]
    assert here.page.locator(".hud .ours").count() == 1
    assert here.page.locator(".seat.ally.partner").count() == 1
    area = here.page.locator(".hud").bounding_box()
    for meter in here.page.locator(".hud [role=meter]").all():
        box = meter.bounding_box()
        assert box["y"] + box["height"] <= area["y"] + area["height"]
        assert box["x"] + box["width"] <= area["x"] + area["width"]
    assert serious(here.page) == []


def test_bottom_cards_are_shown_after_the_bidding(open_browser: Any) -> None:
    here = open_browser(locale="zh-CN")
    here.new_table(game="doudizhu", profile="contest", seed=5)
    here.wait_for_turn()
    assert here.page.locator(".hud .chip").count() == 0
    for _ in range(6):
        if here.state()["phase"] != "choice":
            break
        play_turn_by_hint(here)
    assert here.page.locator(".hud .chip").count() == 3
    badges = " ".join(texts(here, ".role"))
    assert "地主" in badges
    assert "叫分" in badges


def test_result_shows_finishing_order_without_covering_the_trick(open_browser: Any) -> None:
    here = open_browser(400, 860, locale="zh-CN")
    here.new_table(game="president", seed=3)
    for _ in range(80):
        if play_turn_by_hint(here)["phase"] in ("end", "over"):
            break
    here.page.wait_for_selector(".ended")
    (line,) = [text for text in texts(here, ".outcome li") if "·" in text]
    assert all(name in line for name in ("大富豪", "富豪", "贫民", "大贫民"))
    sheet, pile = here.page.locator(".ended").bounding_box(), here.page.locator(".lies").last.bounding_box()
    assert pile["y"] + pile["height"] <= sheet["y"] + 1
    assert serious(here.page) == []


def test_hand_order_is_remembered_per_game(open_browser: Any) -> None:
    here = open_browser()
    here.new_table(game="whist", seed=3)
    here.wait_for_turn()
    by_suit = texts(here, ".hand .card")
    here.press("s", "s")
    assert texts(here, ".hand .card") != by_suit
    here.page.reload()
    here.page.wait_for_selector(".hand .card")
    assert texts(here, ".hand .card") != by_suit
    here.new_table(game="hearts", seed=3)
    here.wait_for_turn()
    suits = [text[-1] for text in texts(here, ".hand .card")]
    assert suits == sorted(suits, key=suits.index)
