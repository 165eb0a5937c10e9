"""Small edits of the shipped games' rule files; see abl_cards/selftest/edits.py."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from abl_cards.games import game
from abl_cards.selftest import edits
from abl_cards.selftest.edits import Edit

TRIED_WITH = {"doudizhu": "contest"}
"""The profile that makes most of the rules matter, where it is not the usual one."""


class RuleEdit(NamedTuple):
    """An edit of the files of a game."""

    game: str
    edit: Edit

    @property
    def profile(self) -> str | None:
        """The profile to try it with."""
        folder, _, name = self.edit.file.rpartition("/")
        return Path(name).stem if folder == "profiles" else TRIED_WITH.get(self.game)

    def __str__(self) -> str:
        return f"{self.game} {self.edit.said((game(self.game).home / self.edit.file).read_text('utf-8'))}"


def copy_rules(name: str, folder: Path) -> Path:
    """The rule files of a game in a new folder."""
    shutil.copytree(game(name).home, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    return folder


def edits_of(name: str) -> list[RuleEdit]:
    """Every rule deleted, every comparison swapped, every number shifted by one, one at a time."""
    return [RuleEdit(name, each) for each in edits.edits_of(game(name).home) if each.kind != edits.LITERAL]
