"""Random rule folders by seed: most are valid, some have one random edit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from abl_cards.rulelab.testing.edits import list_edits
from tests.fuzz.course import write_course
from tests.fuzz.deck import write_deck
from tests.fuzz.draft import CONSTRUCTS, GAME, LABELS, RULES, Draft
from tests.fuzz.play import write_play
from tests.fuzz.shapes import write_shapes

SPOILT = 0.15
"""Share of the folders that get a random edit."""
_SHARE = 0.42
"""Chance of each construct."""


@dataclass(frozen=True)
class Drawn:
    """Random folder: seed, files, constructs, and intended flaw."""

    seed: int
    files: dict[str, str]
    constructs: frozenset[str]
    flaw: str
    spoilt: bool
    widest: int  # most kinds of cards that act as one cell

    def write(self, folder: Path) -> str:
        """Write the files into a new folder; return the random edit as text, or an empty text."""
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8")
        if not self.spoilt:
            return ""
        edits = list_edits(folder)
        edit = edits[Random(self.seed ^ 0x5EED).randrange(len(edits))]
        description = edit.describe((folder / edit.file).read_text("utf-8"))
        edit.apply(folder)
        return description


def drawn(seed: int) -> Drawn:
    """Draw the folder of a seed."""
    random = Random(seed)
    constructs = frozenset(construct for construct in CONSTRUCTS if random.random() < _SHARE)
    draft = Draft(random, constructs)
    write_deck(draft)
    write_shapes(draft)
    write_play(draft)
    write_course(draft)
    title = f"% Random folder {seed}: {', '.join(sorted(constructs)) or 'nothing special'}."
    files = {name: "\n".join([title, *draft.files[name], ""]) for name in (GAME, LABELS, RULES)}
    return Drawn(seed, files, constructs, draft.flaw, random.random() < SPOILT and not draft.flaw, draft.widest)
