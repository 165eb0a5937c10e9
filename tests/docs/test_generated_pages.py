"""Generated pages and sentences of docs/ equal the output of their scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from abl_cards.core import ErrorCode
from abl_cards.learners.presets import PRESETS
from docs import generate_reference, refresh_figures
from tests.learners.tiny import TINY

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", generate_reference.PAGES)
def test_reference_page_equals_generated_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the code: python docs/generate_reference.py."""
    monkeypatch.delitem(PRESETS, TINY.name, raising=False)  # tests of agents add it
    page = (DOCS / "reference" / name).read_text("utf-8")
    assert page == generate_reference.PAGES[name]()


def test_every_error_code_is_documented() -> None:
    page = (DOCS / "reference" / "errors.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| `[A-Z_]+` \| (.+) \|$", page, re.MULTILINE))
    assert set(rows) == set(ErrorCode)
    assert [code for code, meaning in rows.items() if not re.fullmatch(r"[A-Z].+\.", meaning)] == []


def test_every_command_has_a_section() -> None:
    headings = re.findall(r"^## (.+)$", (DOCS / "reference" / "commands.md").read_text("utf-8"), re.MULTILINE)
    assert headings == [name for name, _ in generate_reference.list_commands()]


STORED = json.loads(refresh_figures.STORED.read_text("utf-8"))


@pytest.mark.parametrize("language", refresh_figures.READMES)
def test_readme_shows_the_stored_figures(language: str) -> None:
    """After a run of bench: python docs/refresh_figures.py."""
    text = refresh_figures.READMES[language].read_text("utf-8")
    assert refresh_figures.shown_sentence(text) == refresh_figures.render_sentence(STORED, language)


def test_page_of_figures_equals_generated_page() -> None:
    assert refresh_figures.PAGE.read_text("utf-8") == refresh_figures.render_page(STORED)


def test_stored_figures_have_commit_date_and_machine() -> None:
    assert re.fullmatch(r"[0-9a-f]{7,40}", STORED["commit"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", STORED["date"])
    assert STORED["machine"]
    assert STORED["game"] == "guandan"
