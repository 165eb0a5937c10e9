"""Copies of a game's rule files with edits."""

from __future__ import annotations

import shutil
from pathlib import Path

from abl_cards.games.game import load


def edited(
    folder: Path, edits: dict[str, tuple[str, str]] | None = None, more: str = "", name: str = "guandan"
) -> Path:
    """Copy a game's rule files with edits ``{file: (old, new)}`` and additional rules in a new file."""
    home = load(name).directory
    shutil.copytree(home, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    for name, (old, new) in (edits or {}).items():
        text = (folder / name).read_text("utf-8")
        assert text.count(old) == 1, f"{name}: {old}"
        (folder / name).write_text(text.replace(old, new), "utf-8")
    if more:
        (folder / "more.lp").write_text(more, "utf-8")
    return folder


STRICT = """\
% Guandan · constraints and a preference for tests.
:- leading, lays(bomb(R,N)), rank(R), level(2..14), N = 4..10.
:- wild(1), not wild_left(1),
   play(single(R)), rank(R).
preference(never_pass, passing).
says(never_pass, en, "Never pass.").
says(never_pass, zh, "不要过牌。").
cost(never_pass, 1000) :- play(pass).
"""
"""No bomb is led, no wild card goes alone, and passing is dear; the constraints begin in lines 2 and 3."""
