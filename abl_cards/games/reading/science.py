"""Rules beside play, in the subfolder science of a game: who asks them what, and what they are told.

The engine asks none of them; whoever does is told of here, so that a check knows which files somebody reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl_cards.games.reading.arguments import check_arguments
from abl_cards.games.reading.declared import BESIDE, DECLARED
from abl_cards.games.reading.fluents import declared_fluents, read_fluents
from abl_cards.games.reading.folder import Folder, declarations, load
from abl_cards.games.reading.known import Known
from abl_cards.games.reading.loading import OUTPUTS
from abl_cards.games.reading.text_facts import check_text
from abl_cards.games.telling.columns import INPUTS
from abl_cards.logic import KnowledgeBase, Signature
from abl_cards.logic.errors import kb_error


class Science(NamedTuple):
    """Files that are asked together."""

    files: tuple[str, ...]
    told: frozenset[Signature]
    asked: frozenset[Signature]

    def read(self, folder: Folder, profile: str | None, cache: bool = True) -> KnowledgeBase:
        """Load and check them beside the rules of play; raises KBError."""
        program = folder.program(profile, self.files)
        check_text(program, folder)
        kb = load(folder, profile, OUTPUTS | self.asked, set(INPUTS) | self.told, cache, self.files)
        fluents = read_fluents(kb, declared_fluents(declarations(program)))
        beside = {signature: BESIDE[signature] for signature in sorted(self.asked)}
        check_arguments(Known(kb, program, folder, fluents), {**DECLARED, **beside})
        return kb

    def lies_in(self, folder: Folder) -> bool:
        """Whether a folder has all of the files."""
        return set(self.files) <= set(folder.layers.science)


def _signatures(*names: str) -> frozenset[Signature]:
    return frozenset(map(Signature.parse, names))


SPLITS = Science(
    ("splits",),
    _signatures("tagged/3"),
    _signatures(
        "torn/2", "lonely/2", "consistent/0", "tags/2", "kicker_tag/2", "piece/2", "group/3", "price/2", "flaw/3",
        "tag_name/3",
    ),
)  # fmt: skip
"""How hands are taken apart: reasoners/split_rules.py."""
STRENGTH = Science(
    ("strength", "deals"),
    _signatures("dealt/3"),
    _signatures("group_points/2", "difficulty/3", "hand_size/2", "bottom_size/1", "flawed/1"),
)
"""What hands are worth, and what a deal is: abl_cards/strength."""


def read_all(folder: Folder, profile: str | None, cache: bool = True) -> Iterator[KnowledgeBase]:
    """Whatever a folder has of them; raises KBError, for files that nobody reads too."""
    files = folder.layers.science
    mine = [science for science in (SPLITS, STRENGTH) if files.keys() & set(science.files)]
    read = {name for science in mine for name in science.files}
    for name, path in files.items():
        if name not in read:
            known = ", ".join(f"{each}.lp" for science in (SPLITS, STRENGTH) for each in science.files)
            raise kb_error(f"{path}: nobody asks these rules", f"the folder of that name may have: {known}")
    for science in mine:
        yield science.read(folder, profile, cache)
