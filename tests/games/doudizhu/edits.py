"""A copy of the rule files with an edit."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from abl_cards.games.game import load


def edited_doudizhu(folder: Any, name: str, old: str, new: str) -> Path:
    """Write a copy in which a text that occurs once in a file is replaced."""
    copy = Path(folder) / "kb"
    shutil.copytree(load("doudizhu").directory, copy, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    text = (copy / name).read_text("utf-8")
    assert text.count(old) == 1
    (copy / name).write_text(text.replace(old, new), "utf-8")
    return copy
