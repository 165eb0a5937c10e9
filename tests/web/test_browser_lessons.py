"""Browser tests of the section Learn: how to play, what beats what, lessons with quizzes, a dropped lesson."""

from pathlib import Path
from typing import Any

import pytest

from tests.effort import long
from tests.web.browser import serious
from tests.web.test_how_to import write_moons_game
from tests.web.test_lessons import PAIR_QUIZ, guide_example

pytestmark = long


def test_how_to_play_shows_which_plays_beat_a_pair(open_browser: Any) -> None:
    watched = open_browser()
    watched.open("#/learn")
    page = watched.page
    page.click("a[href='#/learn/president']")
    page.wait_for_selector(".answers")
    assert page.locator(".kinds li").count() == 4
    shown = page.inner_text(".on-table")
    assert page.locator(".answers .yes").count() == 1
    page.click(".ladder button:has-text('▶')")
    page.wait_for_function("text => document.querySelector('.on-table').innerText !== text", arg=shown)
    assert serious(page) == []
    watched.picture("how_to_play")
    page.keyboard.press("y")
    page.wait_for_selector("h1:has-text('玩法')")


def test_table_opens_the_how_to_play_dialog(open_browser: Any) -> None:
    watched = open_browser()
    watched.new_table(game="president", seed=1)
    watched.page.click(".tools button:has-text('How to play')")
    watched.page.wait_for_selector("#dialog-rules .answers")
    assert serious(watched.page) == []


@pytest.mark.parametrize("size", [(1440, 900), (400, 860)])
def test_a_lesson_is_graded(open_browser: Any, size: tuple[int, int]) -> None:
    watched = open_browser(*size)
    watched.open("#/learn/doudizhu/lesson/01-what-beats-what")
    page = watched.page
    quiz = page.locator(".quiz").first
    quiz.locator(".offered button").nth(0).click()
    quiz.locator("button.strong").click()
    quiz.locator(".result .no").wait_for()
    assert quiz.locator(".offered .yes").count() == 3
    for number in (2, 4):
        quiz.locator(".offered button").nth(number).click()
    quiz.locator("button.strong").click()
    quiz.locator(".result .yes").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious(page) == []
    if size[0] > 1000:
        watched.picture("lesson")


def test_lesson_file_is_shown_or_its_errors_are_listed(open_browser: Any, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(guide_example(), encoding="utf-8")
    bad.write_text((PAIR_QUIZ % "").replace("beat", "guess"), encoding="utf-8")
    watched = open_browser()
    watched.open("#/learn/president")
    page = watched.page
    page.set_input_files("#lesson-file", bad)
    assert "3" in page.inner_text(".errors b")
    page.set_input_files("#lesson-file", good)
    page.wait_for_selector(".dropped .felt")
    quiz = page.locator(".dropped .quiz").nth(1)
    for card in ("♣", "♦"):
        quiz.locator(f".picks .card:has-text('9'):has-text('{card}')").click()
    quiz.locator("button.strong").click()
    quiz.locator(".result .yes").wait_for()


def test_guided_deal_starts_with_the_coach_on(open_browser: Any) -> None:
    watched = open_browser()
    watched.open("#/learn/president")
    watched.page.click("button:has-text('guided deal')")
    watched.page.wait_for_selector(".hand .card")
    assert watched.page.evaluate("JSON.parse(localStorage.getItem('abl-cards')).coach") == "before"


def test_learn_page_explains_invented_rules(open_browser: Any, web_server: Any, tmp_path: Path) -> None:
    """The page of a folder with invented names shows partner, order of the cards, and what beats a pair."""
    from abl_cards.games.game import load

    game = load(str(write_moons_game(tmp_path / "moons")))
    web_server[1].games[game.name] = game
    watched = open_browser()
    watched.open(f"#/learn/{game.name.replace('/', '%2F')}")
    page = watched.page
    page.wait_for_selector(".answers")
    text = page.inner_text(".learn")
    assert "Your partner sits opposite you" in text
    assert page.locator(".order li").all_inner_texts()[:5] == ["Owl", "Cat", "Sun", "Fox", "Moon"]
    assert page.locator(".on-table .card").count() == 2
    watched.picture("invented_rules")
