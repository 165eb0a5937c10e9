"""Small edits of rule files, as a hand that slips makes them: what comes of them is for others to say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abl_cards.games.description import AUXILIARY_DIR, KB_ROOT, Folder

RULE, LITERAL, COMPARISON, NUMBER = "rule", "literal", "comparison", "number"
"""Kinds of edits: deleted rule, dropped literal, swapped comparison, number shifted by one."""

_TOKEN = re.compile(
    r"""
    (?P<string>"(?:\\.|[^"\\\n])*") | %\*.*?\*% | %[^\n]*
  | (?P<include>\#include\s*<\w+>)
  | (?P<number>(?<![\w.])[0-9]+\b | (?<=\.\.)[0-9]+\b)
  | (?P<body>:-)
  | (?P<comparison><=|>=|!=|<|>|=)
  | (?P<stop>(?<!\.)\.(?![.]))
  | (?P<open>[({])
  | (?P<close>[)}])
  | (?P<comma>[,;])
  | (?P<word>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_TEXT_STATEMENT = re.compile(r"(says|title|word)\s*\(")
_OPPOSITE = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "!=", "!=": "="}


class Edit(NamedTuple):
    """A stretch of a rule file, and what stands there instead."""

    file: str
    start: int
    end: int
    replacement: str
    kind: str

    def apply(self, folder: Path) -> None:
        """Change the file in a copy of the rule files."""
        path = folder / self.file
        text = path.read_text("utf-8")
        path.write_text(text[: self.start] + self.replacement + text[self.end :], "utf-8")

    def describe(self, text: str) -> str:
        """The edit in words, where the file has this text."""
        line = text.count("\n", 0, self.start) + 1
        old = " ".join(text[self.start : self.end].split())
        near = " ".join(text[text.rfind("\n", 0, self.start) + 1 : text.find("\n", self.start)].split())
        changed = {RULE: f"without {old}", LITERAL: f"without '{old}' in {near}"}
        return f"{self.file}:{line}: {changed.get(self.kind, f'{old!r} -> {self.replacement!r} in {near}')}"


def list_edits(folder: Path) -> list[Edit]:
    """List all single edits: delete a rule, drop a literal, swap a comparison, shift a number.

    Texts for people are not edited: ``says/3``, ``title/2`` and ``word``.
    """
    found = []
    files = [path.relative_to(folder) for path in folder.rglob("*.lp")]
    for file in sorted(path.as_posix() for path in files if AUXILIARY_DIR not in path.parts):  # that is not of the game
        text = (folder / file).read_text("utf-8")
        found += [Edit(file, *change) for change in _find_changes(text)]
    return found


def copy_with_parents(folder: Path, target: Path) -> Path:
    """A copy of a folder of rules, and of the folders beside it that it names as parents; where it lies now."""
    for layer in Folder(folder).layers.folders:
        if layer.resolve().parent != KB_ROOT.resolve() or layer.resolve() == folder.resolve():
            ignored = shutil.ignore_patterns("__pycache__", "*.py", ".*")
            shutil.copytree(layer, target / layer.resolve().name, ignore=ignored)
    return target / folder.resolve().name


def _find_changes(text: str) -> Iterator[tuple[int, int, str, str]]:
    begin: int | None = None  # of the statement at hand
    found: list[tuple[int, int, str, str]] = []  # in it
    literals: list[tuple[int, int]] = []  # of its body
    literal: int | None = None  # where the one at hand begins
    depth = last = 0
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        kind = token.lastgroup
        if kind is None:
            continue
        begin = start if begin is None else begin
        if literal == -1:
            literal = start
        if kind == NUMBER:
            found.append((start, end, str(int(token[0]) + 1), NUMBER))
        elif kind == COMPARISON:
            found.append((start, end, _OPPOSITE[token[0]], COMPARISON))
        elif kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif kind == "body" and not depth:
            literal = -1
        elif kind in ("comma", "stop") and literal is not None and not depth:
            literals.append((literal, last))
            literal = -1
        if kind == "stop":
            if not _TEXT_STATEMENT.match(text, begin):
                yield from (*found, (begin, end, "", RULE), *_drop_literals(literals))
            begin, literal, found, literals, depth = None, None, [], [], 0
        last = end


def _drop_literals(literals: list[tuple[int, int]]) -> Iterator[tuple[int, int, str, str]]:
    """Each literal of a body of several, with the comma behind it, or before the last one."""
    for place, (start, end) in enumerate(literals):
        if len(literals) == 1:
            return
        if place + 1 < len(literals):
            yield start, literals[place + 1][0], "", LITERAL
        else:
            yield literals[place - 1][1], end, "", LITERAL
