"""Small edits of rule files, similar to typing errors, for mutation tests."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from abl_cards.asp import LexerToken, scan_text, tokenize
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import AUXILIARY_DIR, KB_ROOT, SHOW_FILE, Folder

RULE, LITERAL, COMPARISON, NUMBER = "rule", "literal", "comparison", "number"
"""Kinds of edits: deleted rule, dropped literal, swapped comparison, number shifted by one."""

_TEXT_STATEMENT = re.compile(r"(says|title|word)\s*\(")
_OPPOSITE = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "!=", "==": "!=", "!=": "="}


class Edit(NamedTuple):
    """Replacement of a part of a rule file.

    Attributes:
        file: Path of the file relative to the folder.
        start: Index of the first character that is replaced.
        end: Index after the last character that is replaced.
        replacement: New text.
        kind: RULE, LITERAL, COMPARISON or NUMBER.
    """

    file: str
    start: int
    end: int
    replacement: str
    kind: str

    def apply(self, folder: Path) -> None:
        """Apply the edit to the file in a copy of the rule folder.

        Args:
            folder: Copy of the folder; its file is overwritten.
        """
        path = folder / self.file
        text = path.read_text("utf-8")
        path.write_text(text[: self.start] + self.replacement + text[self.end :], "utf-8")

    def describe(self, text: str) -> str:
        """Describe the edit in one line.

        Args:
            text: Text of the file before the edit.

        Returns:
            File, line and change.
        """
        line = text.count("\n", 0, self.start) + 1
        old = " ".join(text[self.start : self.end].split())
        context = " ".join(text[text.rfind("\n", 0, self.start) + 1 : text.find("\n", self.start)].split())
        descriptions = {RULE: f"without {old}", LITERAL: f"without '{old}' in {context}"}
        return f"{self.file}:{line}: {descriptions.get(self.kind, f'{old!r} -> {self.replacement!r} in {context}')}"


def list_edits(folder: Path) -> list[Edit]:
    """List all single edits: delete a rule, drop a literal, swap a comparison, shift a number.

    Texts for people are not edited: ``says/3``, ``title`` and ``word``.

    Args:
        folder: Rule folder.

    Returns:
        Edits in the order of files and texts.
    """
    edits = []
    files = [path.relative_to(folder) for path in folder.rglob("*.lp")]
    for file in sorted(
        path.as_posix() for path in files if AUXILIARY_DIR not in path.parts and path.name != SHOW_FILE
    ):  # auxiliary rules, and what a table shows, are not part of the game
        text = (folder / file).read_text("utf-8")
        edits += [Edit(file, *change) for change in _find_changes(text)]
    return edits


def choose_edits(folder: Path, files: Sequence[str], number: int | None, seed: int) -> list[Edit]:
    """Choose single edits of a folder, as `list_edits` lists them.

    Args:
        folder: Rule folder.
        files: Paths of the files to edit, relative to the folder; empty for all.
        number: Number of edits, drawn without replacement; None for all.
        seed: Seed of the draw.

    Returns:
        The edits.

    Raises:
        GameError: A file has nothing to edit.
    """
    edits = list_edits(folder)
    known = list(dict.fromkeys(edit.file for edit in edits))
    for file in files:
        if file not in known:
            message = f"--file {file}: nothing to mutate there (there are: {', '.join(known)})"
            raise GameError(message, ErrorCode.NOT_FOUND)
    chosen = [edit for edit in edits if not files or edit.file in files]
    return chosen if number is None or number >= len(chosen) else Random(seed).sample(chosen, number)


def copy_with_parents(folder: Path, target: Path) -> Path:
    """Copy a rule folder and the parents that it names outside the shipped ones.

    Args:
        folder: Rule folder.
        target: Existing folder into which the copies are placed.

    Returns:
        Path of the copy of the folder.
    """
    for layer in Folder(folder).layers.folders:
        if layer.resolve().parent != KB_ROOT.resolve() or layer.resolve() == folder.resolve():
            ignored = shutil.ignore_patterns("__pycache__", "*.py", ".*")
            shutil.copytree(layer, target / layer.resolve().name, ignore=ignored)
    return target / folder.resolve().name


def _find_changes(text: str) -> Iterator[tuple[int, int, str, str]]:
    statement_start: int | None = None
    changes: list[tuple[int, int, str, str]] = []  # of the current statement
    literals: list[tuple[int, int]] = []  # of the body of the current statement
    literal_start: int | None = None  # of the current literal; -1 before its first token
    depth = previous_end = 0
    includes = [LexerToken("mark", include.start, include.end, ".") for include in scan_text(text).includes]
    for token in sorted([*tokenize(text), *includes], key=lambda token: token.start):
        start, end = token.start, token.end
        statement_start = start if statement_start is None else statement_start
        if literal_start == -1:
            literal_start = start
        if token.kind == "number" and token.text.isdecimal():
            changes.append((start, end, str(int(token.text) + 1), NUMBER))
        elif token.is_mark(*_OPPOSITE):
            changes.append((start, end, _OPPOSITE[token.text], COMPARISON))
        elif token.is_mark("(", "{", ")", "}"):
            depth += 1 if token.text in "({" else -1
        elif token.is_mark(":-") and not depth:
            literal_start = -1
        elif token.is_mark(",", ";", ".") and literal_start is not None and not depth:
            literals.append((literal_start, previous_end))
            literal_start = -1
        if token.is_mark("."):
            if not _TEXT_STATEMENT.match(text, statement_start):
                yield from (*changes, (statement_start, end, "", RULE), *_drop_literals(literals))
            statement_start, literal_start, changes, literals, depth = None, None, [], [], 0
        previous_end = end


def _drop_literals(literals: list[tuple[int, int]]) -> Iterator[tuple[int, int, str, str]]:
    """Yield edits that drop one of several body literals, each with one comma."""
    for index, (start, end) in enumerate(literals):
        if len(literals) == 1:
            return
        if index + 1 < len(literals):
            yield start, literals[index + 1][0], "", LITERAL
        else:
            yield literals[index - 1][1], end, "", LITERAL
