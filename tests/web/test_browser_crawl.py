"""Crawl the screens of all games in a browser: Chinese texts contain no Latin words."""

import re
from collections import Counter
from typing import Any

import pytest

from abl_cards.games.game import game_names
from tests.effort import amount, long
from tests.web.browser import Watched
from tests.web.test_browser import play_turn_by_hint
from tests.web.test_words import is_foreign

HALF_WIDTH = re.compile(r"[\u4e00-\u9fff] ?[,:;?!](?!\w)|[,:;?!] ?[\u4e00-\u9fff]")
"""Punctuation of English beside a Chinese character."""
LEAST = 500
"""Least number of different texts of a game."""
TEXTS = """() => {
  const hidden = 'script, style, noscript, code, pre, kbd, textarea, .cm-editor, .face, .back, .chip, [lang=en]';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [document.title];
  const isRead = (element) => !element.closest(hidden) && !element.closest('dialog:not([open])');
  while (walker.nextNode())
    if (isRead(walker.currentNode.parentElement)) texts.push(walker.currentNode.textContent.trim());
  for (const name of ['aria-label', 'aria-description', 'title', 'alt', 'placeholder'])
    for (const element of document.querySelectorAll(`[${name}]`))
      if (!element.closest('dialog:not([open]), [lang=en]')) texts.push(element.getAttribute(name));
  return texts.filter(Boolean);
}"""
"""Texts on the screen and those of screen readers, except typed text, code, keys and the ranks in drawn cards."""
DIALOGS = {"n": "new", ",": "settings", "?": "help"}


class TextReader:
    """Collects the texts of a page."""

    def __init__(self, watched: Watched) -> None:
        self.watched, self.texts = watched, Counter[str]()

    def read(self) -> None:
        self.texts.update(set(self.watched.page.evaluate(TEXTS)))

    def read_dialogs(self) -> None:
        for key, name in DIALOGS.items():
            self.watched.press(key)
            self.watched.page.wait_for_selector(f"#dialog-{name}[open]")
            self.watched.page.wait_for_timeout(200)
            self.read()
            self.watched.press("Escape")

    def foreign(self) -> list[str]:
        return sorted(text for text in self.texts if is_foreign(text) or HALF_WIDTH.search(text))


def play_episode(reader: TextReader, most: int) -> None:
    """Play by hints to the end of an episode, and read hints, reasons and results."""
    here = reader.watched
    for number in range(most):
        if here.wait_for_turn()["phase"] in ("end", "over"):
            break
        here.press("h")
        here.page.wait_for_selector(".advice[aria-busy=false] .verdict")
        reader.read()
        if number % 8 == 0:
            here.press("w")
            here.page.wait_for_selector(".advice[aria-busy=false]")
            reader.read()
        here.press("Escape")
        play_turn_by_hint(here)
    reader.read()


@pytest.mark.parametrize(
    "name", [name if name == "guandan" else pytest.param(name, marks=long) for name in game_names()]
)
def test_tables_show_no_latin_words_in_chinese(open_browser: Any, name: str) -> None:
    here = open_browser(locale="zh-CN")
    here.new_table(game=name, seed=3)
    reader = TextReader(here)
    reader.read_dialogs()
    for _ in range(amount(1, 6)):
        play_episode(reader, amount(8, 60))
        if here.state()["phase"] not in ("end", "over") or len(reader.texts) >= LEAST:
            break
        here.press("g")
        here.page.wait_for_selector(".ended", state="detached")
    foreign = reader.foreign()
    print(f"{name}: {len(reader.texts)} texts")
    assert not foreign, "\n".join(foreign[:60])
    assert len(reader.texts) >= amount(150, LEAST)


@pytest.mark.parametrize("section", ["", "review", "watch", "rules"])
def test_other_screens_show_no_latin_words_in_chinese(open_browser: Any, section: str) -> None:
    here = open_browser(locale="zh-CN")
    here.open(f"#/{section}")
    here.page.wait_for_function("() => !document.querySelector('main > .wait')")
    here.page.wait_for_timeout(amount(1000, 3000))
    reader = TextReader(here)
    reader.read()
    foreign = [text for text in reader.foreign() if not re.fullmatch(r"[\w./-]+\.(lp|jsonl|json|md)", text)]
    assert not foreign, "\n".join(foreign[:60])
    assert len(reader.texts) > 10
