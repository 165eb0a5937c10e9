"""Rules beside play, in the subfolder science of a game: who asks them what, and what they are told.

The engine asks none of them; whoever does is told of here, so that a check knows which files somebody reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl_cards.asp import Signature, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.argument_checks import check_arguments
from abl_cards.games.description.fact_schema import AUXILIARY_PREDICATES, PREDICATE_SORTS
from abl_cards.games.description.fluents import read_fluent_types, read_fluents
from abl_cards.games.description.folder import Folder, find_fluent_declarations, load_knowledge_base
from abl_cards.games.description.input_schema import INPUTS
from abl_cards.games.description.known_names import KnownNames
from abl_cards.games.description.loading import ENGINE_SIGNATURES
from abl_cards.games.description.text_facts import check_text_facts


class AuxiliaryRules(NamedTuple):
    """Files that are asked together."""

    files: tuple[str, ...]
    inputs: frozenset[Signature]
    outputs: frozenset[Signature]

    def load(self, folder: Folder, profile: str | None, cache: bool = True) -> KnowledgeBase:
        """Load and check them beside the rules of play; raises KBError."""
        program = folder.program(profile, self.files)
        check_text_facts(program, folder)
        kb = load_knowledge_base(
            folder, profile, ENGINE_SIGNATURES | self.outputs, set(INPUTS) | self.inputs, cache, self.files
        )
        fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
        beside = {signature: AUXILIARY_PREDICATES[signature] for signature in sorted(self.outputs)}
        check_arguments(KnownNames(kb, program, folder, fluents), {**PREDICATE_SORTS, **beside})
        return kb

    def is_in(self, folder: Folder) -> bool:
        """Whether a folder has all of the files."""
        return set(self.files) <= set(folder.layers.auxiliary_files)


def _parse_signatures(*names: str) -> frozenset[Signature]:
    return frozenset(map(Signature.parse, names))


SPLIT_RULES = AuxiliaryRules(
    ("splits",),
    _parse_signatures("tagged/3"),
    _parse_signatures(
        "torn/2", "lonely/2", "consistent/0", "tags/2", "kicker_tag/2", "piece/2", "group/3", "price/2", "flaw/3",
        "tag_name/3",
    ),
)  # fmt: skip
"""How hands are taken apart: reasoners/splits/rules.py."""
STRENGTH_RULES = AuxiliaryRules(
    ("strength", "deals"),
    _parse_signatures("dealt/3"),
    _parse_signatures("group_points/2", "difficulty/3", "hand_size/2", "bottom_size/1", "flawed/1"),
)
"""What hands are worth, and what a deal is: abl_cards/strength."""


def load_auxiliary_rules(folder: Folder, profile: str | None, cache: bool = True) -> Iterator[KnowledgeBase]:
    """Whatever a folder has of them; raises KBError, for files that nobody reads too."""
    files = folder.layers.auxiliary_files
    mine = [science for science in (SPLIT_RULES, STRENGTH_RULES) if files.keys() & set(science.files)]
    read = {name for science in mine for name in science.files}
    for name, path in files.items():
        if name not in read:
            known = ", ".join(f"{each}.lp" for science in (SPLIT_RULES, STRENGTH_RULES) for each in science.files)
            raise make_kb_error(f"{path}: nobody asks these rules", f"the folder of that name may have: {known}")
    for science in mine:
        yield science.load(folder, profile, cache)
