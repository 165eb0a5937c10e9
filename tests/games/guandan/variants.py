"""Regional rules: copies of kb/guandan with a few changed lines."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from abl_cards.games.game import load

HOME = load("guandan").directory


class Change(NamedTuple):
    """A line of a rule file and its replacement; an empty one deletes the line."""

    file: str
    old: str
    new: str


NO_WILD_STRAIGHTS = (Change("labels.lp", "wilds(F,2) :- kind(F,straight).", "wilds(F,0) :- kind(F,straight)."),)
FIVES_BEAT_FLUSHES = (
    Change("rules.lp", "tier(bomb(5),2).", "tier(bomb(5),3)."),
    Change("rules.lp", "tier(straight_flush,3).", "tier(straight_flush,2)."),
)
NO_WILD_CARDS = (Change("vocabulary.lp", "wild_suit(h).", "wild_suit(S) :- suit(S), S = none."),)
TRIBUTE_BY_SEAT = (
    Change("profiles/standard.lp", "double_tribute(by_card).", "double_tribute(by_seat)."),
    Change("profiles/standard.lp", "equal_tribute(upstream).", "equal_tribute(last)."),
)


def write_variant(directory: Path, changes: tuple[Change, ...]) -> Path:
    """Write a copy of the rule files with these lines changed; each must occur once."""
    shutil.copytree(HOME, directory, dirs_exist_ok=True)
    for change in changes:
        path = directory / change.file
        lines = path.read_text().splitlines()
        (number,) = [number for number, line in enumerate(lines) if line.startswith(change.old)]
        lines[number] = change.new + lines[number][len(change.old) :]
        path.write_text("\n".join(lines) + "\n")
    return directory


def changed_lines(directory: Path) -> int:
    """Return the number of lines that differ from the rules in the package."""
    return sum(
        mine != theirs
        for path in HOME.rglob("*.lp")
        for mine, theirs in zip(
            path.read_text().splitlines(),
            (directory / path.relative_to(HOME)).read_text().splitlines(),
            strict=True,
        )
    )
