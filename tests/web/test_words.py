"""Crawl all texts of tables in Chinese: they contain no Latin words and no terms of the rules."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core import LANGUAGES
from abl_cards.games.game import game_names, load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web import hints
from abl_cards.web.offers import bilingual_title
from abl_cards.web.seats import Permission, TableSeat
from abl_cards.web.snapshot import make_snapshot, make_welcome
from abl_cards.web.table import WebTable
from abl_cards.web.texts import label_text
from tests.effort import amount

CHINESE = LANGUAGES.index("zh")
MARK = re.compile(r"⟦(?:[@#]\d+|[^⟧]+)⟧")
FOREIGN = re.compile(r"[A-Za-z]{2,}|\w+\(|[B-IL-PR-Zb-z]|_")
"""A Latin word, a term, or a letter that is no rank; J, Q, K and A are ranks."""
PLAIN_KEYS = frozenset({"name", "text", "value", "stage", "words", "label", "role", "title"})
"""Keys of texts for people; other values are data."""
ALLOWED = frozenset({"abl-cards", "CSV", "HTML", "JSON", "Markdown", "SVG", "ZIP"})
"""Proper names, at most twenty."""


def is_foreign(text: str) -> bool:
    """Return whether a text for a Chinese player has a Latin word or a term."""
    rest = MARK.sub("", text)
    for name in ALLOWED:
        rest = rest.replace(name, "")
    return bool(FOREIGN.search(rest))


def chinese_texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield the Chinese texts of a JSON value: the second of each pair of texts."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from chinese_texts(item, name)
    elif isinstance(value, list):
        is_pair = len(value) == 2 and all(isinstance(item, str) for item in value)
        if is_pair and key in PLAIN_KEYS:
            yield value[CHINESE]
        elif not is_pair:
            for item in value:
                yield from chinese_texts(item, key)


def hint_texts(value: Any) -> Iterator[str]:
    """Yield the texts of a hint, which are in one language."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str) and name in ("text", "words", "label"):
                yield item
            elif name != "value":  # data of a move
                yield from hint_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from hint_texts(item)


class Crawler:
    """Plays at a table with random decisions and reads everything that is sent to a player."""

    def __init__(self, name: str) -> None:
        game = load(name)
        self.engine = game.engine()
        seats = [TableSeat("agent", str(seat)) for seat in range(self.engine.rules.seating.seats)]
        self.table = WebTable("t", bilingual_title(game), self.engine, seats, 1, True)
        self.random, self.kb = make_agent("random", self.engine), make_agent("kb", self.engine)
        welcome = make_welcome(self.table, Permission(0))
        self.texts: set[str] = set(chinese_texts(welcome)) | {card["name"][1] for card in welcome["deck"].values()}
        self.texts |= {label_text(self.engine, label)[CHINESE] for label in self.engine.rules.label_texts}

    def read(self, with_hint: bool) -> None:
        table = self.table
        for seat in (None, 0, table.seat):
            self.texts.update(chinese_texts(make_snapshot(table, Permission(seat))))
        if with_hint and not table.is_over:
            is_play = table.tables.rows_to_play().size
            decisions = table.tables.decisions(ONLY_TABLE) if is_play else table.tables.choices(ONLY_TABLE)
            point = self.engine.decision_point_at(decisions)
            hint = hints.compute_hint(self.engine, self.kb, point, "zh", table.tables)  # type: ignore[arg-type]
            self.texts.update(hint_texts(hint))

    def step(self, number: int) -> None:
        table, key = self.table, np.array([number], np.uint64)
        if table.is_over:
            table.match_number += 1
            table.start_match()
        elif table.tables.rows_to_play().size:
            table._play(self.random.play(table.tables.decisions(ONLY_TABLE), key))
        else:
            table._choose(int(self.random.choose(table.tables.choices(ONLY_TABLE), key)[0]), False)


@pytest.mark.parametrize("name", game_names())
def test_chinese_texts_contain_no_latin_words(name: str) -> None:
    crawler, events, every = Crawler(name), amount(120, 1000, 5000), amount(24, 8, 4)
    for number in range(events):
        crawler.read(with_hint=number % every == 0)
        crawler.step(number)
    foreign = sorted(text for text in crawler.texts if is_foreign(text))
    assert not foreign, foreign[:20]
    assert len(crawler.texts) > 50


def test_page_words_are_chinese() -> None:
    """The second text of each pair in the scripts of tables and advice has no Latin word either."""
    from abl_cards.web.static_files import STATIC_FOLDER

    pair = re.compile(r"^\s*(\w+): \[\s*'(?:[^'\\]|\\.)*',\s*'((?:[^'\\]|\\.)*)',?\s*\]", re.MULTILINE)
    pairs = dict(pair.findall((STATIC_FOLDER / Path("words.js")).read_text(encoding="utf-8")))
    assert len(pairs) > 150
    assert not {key: text for key, text in pairs.items() if is_foreign(text) and key != "language"}


def test_list_of_proper_names_is_short() -> None:
    assert len(ALLOWED) <= 20
