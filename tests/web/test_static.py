"""Tests of the page's files: no foreign sources, no text as markup, every word in both languages."""

import posixpath
import re
from hashlib import sha256
from pathlib import Path

import pytest

from abl_cards.games.game import game_names
from abl_cards.web.static_files import STATIC_FOLDER, read_files

SCRIPTS = sorted(path for path in STATIC_FOLDER.rglob("*.js") if "vendor" not in path.parts)
SCRIPT_IDS = [path.relative_to(STATIC_FOLDER).as_posix() for path in SCRIPTS]
BUDGET = 80_000
"""Compressed bytes of a table."""
LAB = 450_000
"""Compressed bytes of the rules lab in addition."""


def test_vendored_files_match_their_checksums() -> None:
    for line in (STATIC_FOLDER / "vendor" / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert sha256((STATIC_FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("file", SCRIPTS, ids=SCRIPT_IDS)
def test_scripts_use_no_raw_html_and_no_foreign_urls(file: Path) -> None:
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
        assert (file.parent / name).is_file(), name


@pytest.mark.parametrize("file", SCRIPTS, ids=SCRIPT_IDS)
def test_names_that_a_script_imports_are_exported(file: Path) -> None:
    for names, path in re.findall(
        r"^import \{([^}]*)\} from '(\.[^']*)'", file.read_text(encoding="utf-8"), re.MULTILINE
    ):
        text = (file.parent / path).read_text(encoding="utf-8")
        exported = set(re.findall(r"^export (?:async )?(?:function\*?|const|let|class) (\w+)", text, re.MULTILINE))
        for group in re.findall(r"^export \{([^}]*)\}", text, re.MULTILINE):
            exported |= {name.split(" as ")[-1].strip() for name in group.split(",")}
        imported = {name.split(" as ")[0].strip() for name in names.split(",") if name.strip()}
        assert "export *" in text or "vendor" in path or imported <= exported, (path, imported - exported)


@pytest.mark.parametrize("file", SCRIPTS, ids=SCRIPT_IDS)
def test_scripts_know_no_game(file: Path) -> None:
    words = set(re.findall(r"[a-z]+", file.read_text(encoding="utf-8").lower()))
    assert not words & set(game_names()), words & set(game_names())


def test_the_page_has_no_inline_script_and_no_inline_style() -> None:
    text = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"<script(?![^>]*src=)", text)
    assert "<style" not in text
    assert not re.findall(r"\s(on\w+|style)=", text)
    assert not re.findall(r"(?:src|href)=\"(?!static/)", text)


def test_all_modules_of_a_table_are_preloaded() -> None:
    """Preload every module of a table; otherwise the browser loads them one after the other."""
    text, visited, pending = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8"), set[str](), ["main.js"]
    while pending:
        name = pending.pop()
        if name not in visited:
            visited.add(name)
            imports = re.findall(r"""from ?['"](\.[^'"]+)['"]""", (STATIC_FOLDER / name).read_text(encoding="utf-8"))
            pending += [posixpath.normpath((Path(name).parent / path).as_posix()) for path in imports]
    assert visited == {"main.js", *re.findall(r'modulepreload" href="static/([^"]+)"', text)}


def test_all_used_words_are_defined_in_both_languages() -> None:
    text = (STATIC_FOLDER / "words.js").read_text(encoding="utf-8")
    pair = re.compile(r"(\w+): \[\s*'(?:[^'\\]|\\.)*',\s*'((?:[^'\\]|\\.)*)',?\s*\]")
    pairs, defined = dict(pair.findall(text)), set[str]()
    for file in SCRIPTS:
        defined |= {key for key, _ in pair.findall(file.read_text(encoding="utf-8"))}
    used = {key for file in SCRIPTS for key in re.findall(r"\bt\('(\w+)'", file.read_text(encoding="utf-8"))}
    assert len(pairs) > 100
    assert used <= defined, used - defined


def test_file_sizes_are_within_budget() -> None:
    files = read_files()
    text = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    needed = {"index.html", "main.js", "style.css", *re.findall(r'modulepreload" href="static/([^"]+)"', text)}
    assert sum(len(files[name].gzipped) for name in needed) < BUDGET
    later = set(files) - needed
    lab = [name for name in later if name.startswith(("lab/", "vendor/"))]
    assert sum(len(files[name].gzipped) for name in lab) < LAB
