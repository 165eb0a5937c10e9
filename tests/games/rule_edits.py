"""Small edits of the shipped games' rule files; see abl_cards/rulelab/testing/edits.py."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from abl_cards.games.game import load
from abl_cards.rulelab.testing import edits
from abl_cards.rulelab.testing.edits import Edit

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
        return f"{self.game} {self.edit.describe((load(self.game).directory / self.edit.file).read_text('utf-8'))}"


def copy_rules(name: str, folder: Path) -> Path:
    """The rule files of a game in a new folder."""
    shutil.copytree(load(name).directory, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    return folder


def edits_of(name: str) -> list[RuleEdit]:
    """Every rule deleted, every comparison swapped, every number shifted by one, one at a time."""
    return [RuleEdit(name, edit) for edit in edits.list_edits(load(name).directory) if edit.kind != edits.LITERAL]
