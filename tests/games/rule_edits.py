"""Small edits of a game's rule files, as a hand that slips makes them; what comes of them is for the game to say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abl_cards.games import game

_TOKEN = re.compile(
    r"""
    "(?:\\.|[^"\\\n])*" | %\*.*?\*% | %[^\n]*
  | (?P<number>(?<![\w.])[0-9]+\b | (?<=\.\.)[0-9]+\b)
  | (?P<comparison><=|>=|!=|<|>|=)
  | (?P<stop>(?<!\.)\.(?![.]))
  | (?P<word>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_SWAPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "!=", "!=": "="}
TRIED_WITH = {"doudizhu": "contest"}
"""The profile that makes most of the rules matter, where it is not the usual one."""


class RuleEdit(NamedTuple):
    """A stretch of a rule file, and what stands there instead."""

    game: str
    file: str
    start: int
    end: int
    new: str

    @property
    def profile(self) -> str | None:
        """The profile to try it with."""
        folder, _, name = self.file.rpartition("/")
        return Path(name).stem if folder else TRIED_WITH.get(self.game)

    def apply(self, folder: Path) -> None:
        """Change the file in a copy of the rule files."""
        path = folder / self.file
        text = path.read_text("utf-8")
        path.write_text(text[: self.start] + self.new + text[self.end :], "utf-8")

    def __str__(self) -> str:
        text = (game(self.game).home / self.file).read_text("utf-8")
        line = text.count("\n", 0, self.start) + 1
        old = " ".join(text[self.start : self.end].split())
        near = " ".join(text[text.rfind("\n", 0, self.start) + 1 : text.find("\n", self.start)].split())
        return f"{self.game} {self.file}:{line}: {old!r} -> {self.new!r} in {near!r}"


def copy_rules(name: str, folder: Path) -> Path:
    """The rule files of a game in a new folder."""
    shutil.copytree(game(name).home, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    return folder


def edits_of(name: str) -> list[RuleEdit]:
    """Every rule deleted, every comparison swapped, every number shifted by one, one at a time."""
    home = game(name).home
    files = sorted(path.relative_to(home).as_posix() for path in home.rglob("*.lp"))
    return [RuleEdit(name, file, *change) for file in files for change in _changes((home / file).read_text("utf-8"))]


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    begin: int | None = None  # of the statement at hand
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        if token.lastgroup is None and text[start] == "%":
            continue
        begin = start if begin is None else begin
        if token["number"]:
            yield start, end, str(int(token[0]) + 1)
        elif token["comparison"]:
            yield start, end, _SWAPPED[token[0]]
        elif token["stop"]:
            yield begin, end, ""
            begin = None
