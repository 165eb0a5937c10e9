"""The documentation: commands and Python blocks run and print the shown output, and tables match the code.

In the documents, a ``console`` block holds ``$ commands`` and their output; ``…`` stands for the rest of a word or a
line, a line ``...`` for any number of lines. Words after ``console``: ``any-numbers`` ignores differences of numbers,
and shortens games and mutations without ``--long``; ``exit-1`` is the exit code of the last command; ``long`` runs a
block with ``--long`` only. An ``output`` block is the output of the ``python`` block before it.
A ``diff`` block is an edit of the file in its header. An ``lp`` block that begins with ``% NAME.lp``, a ``jsonl NAME``
block and a ``python NAME.py`` block are files.
The blocks of a document run in order, in a separate empty folder.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.loading import FACT_NAMES, OUTPUT_NAMES
from abl_cards.games.game import load
from abl_cards.training.settings import TrainConfig
from tests.cli_runs import invoke
from tests.effort import amount
from tests.in_process import edits_in_process, grounding, short_matches  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
KINDS = ("tutorials", "how-to", "reference", "background")
DOCUMENTS = [ROOT / "README.md", *(page for kind in KINDS for page in sorted((DOCS / kind).rglob("*.md")))]
TRANSLATION = ROOT / "README.zh.md"
LINKED = [*DOCUMENTS, TRANSLATION, ROOT / "CONTRIBUTING.md", DOCS / "index.md", DOCS / "results" / "README.md"]
LINKED += sorted((DOCS / "notes").glob("*.md"))
EXECUTED = {"console", "python", "output", "diff"}
MOST_CHANGED_LINES = 5
SHORT = {"--games": 20, "--mutations": 3, "--deals": 8}
"""Most games, mutations and deals of commands whose numbers do not matter."""

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words behind it, its text and the line where it begins."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int


def blocks(document: Path) -> list[Block]:
    text = document.read_text("utf-8")
    return [
        Block(match[1], tuple(match[2].split()), match[3], text.count("\n", 0, match.start()) + 1)
        for match in _BLOCK.finditer(text)
    ]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with ``abl-cards`` of this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "abl-cards"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from abl_cards.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the modules of a page, such as mine.py, since another page may have one of the same name."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.usefixtures("edits_in_process", "own_modules")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_code_blocks_print_the_shown_output(
    document: Path, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "abl_cards.training.settings.NUM_THREADS", 1
    )  # a helper takes longer to start than to play so little
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(document):
        where = f"{document.name}:{block.line}"
        if "long" in block.words and not amount(0, 1):
            continue
        if block.language == "console":
            run_console(block, environment, where)
        elif block.language == "python" and not block.words:
            printed = run_python(block, names, where)
        elif block.language == "output":
            compare(block.text, printed, block.words, where)
        elif block.language == "diff":
            apply(block.text, where)
        elif block.language == "lp" and (name := re.match(r"% ([\w/]+\.lp)\b", block.text)):
            Path(name[1]).parent.mkdir(exist_ok=True)
            Path(name[1]).write_text(block.text, "utf-8")
        elif block.language in ("jsonl", "python") and block.words:
            Path(block.words[0]).write_text(block.text, "utf-8")


def run_console(block: Block, environment: dict[str, str], where: str) -> None:
    commands = list(commands_of(block.text))
    assert commands, f"{where}: a console block without a command"
    for number, (command, expected) in enumerate(commands, 1):
        status, *outputs = run(shorten(command) if "any-numbers" in block.words else command, environment)
        last = number == len(commands)
        expected_status = next((int(word[5:]) for word in block.words if word.startswith("exit-")), 0) if last else 0
        printed = "\n".join(part.strip("\n") for part in outputs if part.strip())
        assert status == expected_status, f"{where}: $ {command}\nexit {status}\n{printed}"
        compare(expected, printed, block.words, f"{where}: $ {command}")


def shorten(command: str) -> str:
    """Return a command with fewer games and mutations, unless the long tests run."""

    def fewer(match: re.Match[str]) -> str:
        return f"{match[1]} {amount(min(int(match[2]), SHORT[match[1]]), int(match[2]))}"

    return re.sub(rf"({'|'.join(SHORT)}) (\d+)\b", fewer, command)


def run(command: str, environment: dict[str, str]) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr; run in this process where no shell is needed, to save time."""
    source, pipe, last = command.rpartition(" | ")
    last, _, log = last.partition(" 2>")
    last, _, file = last.partition(" < ")
    name, *arguments = shlex.split(last)
    echo, *words = shlex.split(source) or [""]
    if name == "abl-cards" and not set(last + file + log) & set("|<>;&$") and (echo == "echo" or not pipe):
        stdin = " ".join(words) + "\n" if pipe else Path(file).read_text("utf-8") if file else None
        result = invoke(*arguments, stdin=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        if log:
            Path(log).write_text(result.stderr, "utf-8")
        return result.exit_code, result.stdout, "" if log else result.stderr
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, timeout=120)
    return done.returncode, done.stdout, done.stderr


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block with their output; a backslash continues a command."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*", part)
        assert command
        yield command[0], part[command.end() + 1 :]


def run_python(block: Block, names: dict[str, Any], where: str) -> str:
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile("\n" * block.line + block.text, where, "exec"), names)
    return stream.getvalue()


def compare(expected: str, actual: str, words: tuple[str, ...], where: str) -> None:
    lines = [[line.rstrip() for line in text.strip("\n").split("\n")] for text in (expected, actual)]
    if "any-numbers" in words:
        lines = [[" ".join(re.sub(r"\d[\d.,]*\d|\d", "#", line).split()) for line in text] for text in lines]
    pattern = "".join(r"(?:.*\n)*" if line == "..." else pattern_of(line) + r"\n" for line in lines[0])
    assert re.fullmatch(pattern, "\n".join(lines[1]) + "\n"), f"{where}\nexpected:\n{expected}\nfound:\n{actual}"


def pattern_of(line: str) -> str:
    return ".*".join(map(re.escape, line.split("…")))


def apply(text: str, where: str) -> None:
    """Apply a diff: the old lines must occur exactly once, and an edit has fewer than five lines of one file."""
    header, *hunks = re.split(r"^@@.*\n", text, flags=re.MULTILINE)
    target = re.search(r"^\+\+\+ (\S+)$", header, re.MULTILINE)
    assert target, f"{where}: a diff needs a header"
    file = Path(target[1])
    content = file.read_text("utf-8") if file.exists() else ""
    for hunk in hunks:
        marked = [(line[:1], line[1:]) for line in hunk.splitlines()]
        old = "".join(f"{line}\n" for mark, line in marked if mark in " -")
        new = "".join(f"{line}\n" for mark, line in marked if mark in " +")
        assert content.count(old) == 1, f"{where}: not once in {file}:\n{old}"
        content = content.replace(old, new)
    for mark in "+-":
        changed = sum(line.startswith(mark) for hunk in hunks for line in hunk.splitlines())
        assert changed <= MOST_CHANGED_LINES, f"{where}: {changed} changed lines"
    file.write_text(content, "utf-8")


def test_translated_readme_has_the_same_code_blocks() -> None:
    ours, theirs = (
        [(block.language, block.words, code_of(block)) for block in blocks(document) if block.language in EXECUTED]
        for document in (ROOT / "README.md", TRANSLATION)
    )
    assert ours == theirs


def code_of(block: Block) -> str:
    """Return a block without its comments, which are translated."""
    return re.sub(r"\s+#.*$", "", block.text, flags=re.MULTILINE) if block.language == "python" else block.text


@pytest.mark.parametrize("document", LINKED, ids=lambda document: str(document.relative_to(ROOT)))
def test_links_are_valid(document: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", document.read_text("utf-8")):
        file = document.parent / target if target else document
        assert file.exists(), f"{document.name}: {target}"
        assert not anchor or anchor in anchors(file), f"{document.name}: {target}#{anchor}"


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_listed_in_its_index() -> None:
    """Find each page in the index of its kind."""
    for kind in (*KINDS, "notes"):
        index = (DOCS / kind / "index.md").read_text("utf-8")
        pages = {page.name for page in (DOCS / kind).glob("*.md")} - {"index.md"}
        assert pages - set(re.findall(r"\]\(([\w-]+\.md)", index)) == set(), kind


USER_TEXTS = [*DOCUMENTS, TRANSLATION, ROOT / "CONTRIBUTING.md", *sorted((DOCS / "tutorials").glob("*.[ip]*y*"))]
USER_TEXTS += sorted((ROOT / "abl_cards").rglob("*.py"))  # help texts, docstrings and messages
_FORMER = {item.metadata.get("formerly"): item.name for item in dataclasses.fields(TrainConfig)}


def former_settings(text: str) -> list[str]:
    """Return the assignments of training settings by their former names; experiments have settings of their own."""
    lines = (line for line in text.splitlines() if "abl-cards run" not in line)
    return [name for line in lines for name in re.findall(r"--set[ =][\"']?(\w+)=", line) if name in _FORMER]


def test_former_settings_are_detected() -> None:
    text = "abl-cards train x --set decisions=5 --set=rows=1 --set num_envs=2\nabl-cards run y --set decisions=3"
    assert former_settings(text) == ["decisions", "rows"]


def test_documented_commands_use_current_settings() -> None:
    assert len(USER_TEXTS) > 100
    assert [(file.name, found) for file in USER_TEXTS if (found := former_settings(file.read_text("utf-8")))] == []


def section(document: str, heading: str) -> str:
    """Return the text below a heading, up to the next one."""
    text = (DOCS / document).read_text("utf-8")
    match = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"{document} has no heading '{heading}'"
    return match[1]


def predicates(text: str) -> set[tuple[str, int]]:
    """Return name and arity of the atoms in backquotes in the first column of a table."""
    atoms = [atom for cell, _ in _ROW.findall(text) for atom in re.findall(r"`(\w+)(?:\(([^`]*)\))?`", cell)]
    return {(name, len(arguments.split(",")) if arguments else 0) for name, arguments in atoms}


def test_reference_lists_every_predicate_of_the_engine() -> None:
    reference = (DOCS / "reference" / "predicates.md").read_text("utf-8").partition("## The vocabulary of games")[2]
    documented = {f"{name}/{count}" for name, count in predicates(reference)} | set(
        re.findall(r"`(\w+/\d)`", reference)
    )
    assert {str(name) for name in INPUTS} | {*OUTPUT_NAMES, *FACT_NAMES} <= documented | {"label/2", "name/1"}


def test_profiles_table_equals_the_folder() -> None:
    known = {file.stem for file in (load("guandan").directory / "profiles").glob("*.lp")}
    assert {name for name, _ in predicates(section("reference/guandan.md", "Profiles"))} == known


def test_labels_table_equals_the_order_of_labels() -> None:
    labels = load("guandan").engine().labels
    seen: list[str] = []
    table = section("reference/formats.md", "Labels")
    for first, last, text in re.findall(r"^\| (\d+)(?:–(\d+))? \| ([^|]*) \|", table, re.MULTILINE):
        names = re.findall(r"`([^`]*)`", text)
        assert (names[0], names[-1]) == (labels[int(first)], labels[int(last or first)])
        assert int(first) == len(seen)
        seen += labels[int(first) : int(last or first) + 1]
    assert tuple(seen) == labels


def refusals() -> list[tuple[str, str]]:
    rows = _ROW.findall(section("reference/rule-files.md", "What is refused"))
    return [(rule[1:-1], message) for rule, message in rows if rule.startswith("`")]


@pytest.mark.parametrize(("rule", "message"), refusals())
def test_documented_errors_equal_the_messages(rule: str, message: str, tmp_path: Path) -> None:
    page = blocks(DOCS / "reference" / "rule-files.md")
    (tiny,) = (block.text for block in page if block.text.startswith("% tiny.lp"))
    file = tmp_path / "tiny.lp"
    file.write_text(f"{tiny}\n{rule}\n", "utf-8")
    ranks = range(2, 15)
    inputs = [Input(name, (ranks, range(1, 5))) for name in ("held", "left")] + [Input("wild", ((1, 2),))]
    with pytest.raises(KBError) as caught:
        KnowledgeBase.load([file], inputs=inputs, outputs=[("legal", 1)], cache=False)
    messages = [
        f"{diagnostic.message} ({diagnostic.remedy})" if diagnostic.remedy else diagnostic.message
        for diagnostic in caught.value.diagnostics
    ]
    assert message in messages
