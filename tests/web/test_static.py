"""The files of the page: nothing from elsewhere, no way for text to become markup, every word in both languages."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from abl_cards.games.game import game_names
from abl_cards.web.static_files import STATIC_FOLDER, read_files

SCRIPTS = sorted(STATIC_FOLDER.glob("*.js"))
BUDGET = 150_000
"""Bytes of a table, packed."""
LAB = 450_000
"""And of the rules lab besides."""


def test_vendored_files_are_what_they_say() -> None:
    for line in (STATIC_FOLDER / "vendor" / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert sha256((STATIC_FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_scripts_make_no_markup_of_text_and_ask_nobody_else(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "dangerouslySet",
        "eval(",
        "new Function",
    ):
        assert word not in text, word
    assert not re.findall(r"https?://(?!www\.w3\.org)", text)
    for name in re.findall(r"""from '([^']+)'""", text):
        assert (STATIC_FOLDER / name).is_file(), name


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_scripts_know_no_game(file: Path) -> None:
    words = set(re.findall(r"[a-z]+", file.read_text(encoding="utf-8").lower()))
    assert not words & set(game_names()), words & set(game_names())


def test_the_page_has_no_inline_script_and_no_inline_style() -> None:
    text = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"<script(?![^>]*src=)", text)
    assert "<style" not in text
    assert not re.findall(r"\s(on\w+|style)=", text)
    assert not re.findall(r"(?:src|href)=\"(?!static/)", text)


def test_what_a_table_needs_is_asked_for_at_once() -> None:
    """A module that is found only when another one has come makes the table wait for each in turn."""
    text, seen, left = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8"), set[str](), ["main.js"]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            found = re.findall(r"""from ?['"]\./([^'"]+)['"]""", (STATIC_FOLDER / name).read_text(encoding="utf-8"))
            left += [(Path(name).parent / each).as_posix() for each in found]
    assert seen == {"main.js", *re.findall(r'modulepreload" href="static/([^"]+)"', text)}


def test_every_word_has_both_languages_and_is_there() -> None:
    text = (STATIC_FOLDER / "words.js").read_text(encoding="utf-8")
    pairs = dict(re.findall(r"(\w+): \['(?:[^'\\]|\\.)*', '((?:[^'\\]|\\.)*)'\]", text))
    extra: dict[str, str] = {}
    for file in SCRIPTS:
        extra |= dict(
            re.findall(r"(\w+): \['(?:[^'\\]|\\.)*', '((?:[^'\\]|\\.)*)'\]", file.read_text(encoding="utf-8"))
        )
    wanted = {key for file in SCRIPTS for key in re.findall(r"\bt\('(\w+)'", file.read_text(encoding="utf-8"))}
    assert len(pairs) > 100
    assert wanted <= set(extra), wanted - set(extra)


def test_a_table_is_light() -> None:
    files = read_files()
    later = {
        "review.js",
        "watch.js",
        "graph.js",
        "lab.js",
        "lab_work.js",
        "lab_link.js",
        "editor.js",
        "vendor/codemirror.mjs",
    }
    needed = [name for name in files if name.endswith((".js", ".mjs", ".css", ".html")) and name not in later]
    assert sum(len(files[name].gzipped) for name in needed) < BUDGET
    lab = [name for name in later if name.startswith(("lab", "editor", "vendor/"))]
    assert sum(len(files[name].gzipped) for name in lab) < LAB
