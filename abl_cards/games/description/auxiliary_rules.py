"""Auxiliary rules of a game, in its subfolder science: their files, inputs and outputs.

The engine does not use them. All users are declared here, so that ``kb check`` can report files that are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl_cards.asp import Signature, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.argument_checks import check_arguments
from abl_cards.games.description.fact_schema import AUXILIARY_PREDICATES, PREDICATE_SORTS
from abl_cards.games.description.fluents import read_fluent_types, read_fluents
from abl_cards.games.description.folder import Folder, find_fluent_declarations, load_knowledge_base
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.known_names import KnownNames
from abl_cards.games.description.loading import ENGINE_SIGNATURES
from abl_cards.games.description.text_facts import check_text_facts


class AuxiliaryRules(NamedTuple):
    """Auxiliary rule files that form one knowledge base together with the rules of play."""

    files: tuple[str, ...]
    inputs: frozenset[Signature]
    outputs: frozenset[Signature]

    def load(self, folder: Folder, profile: str | None, cache: bool = True) -> KnowledgeBase:
        """Load and check the files together with the rules of play.

        Args:
            folder: Folder of the game.
            profile: Profile of the rules; None for the default profile.
            cache: Read and write the disk cache.

        Raises:
            KBError: The rules are not valid.
        """
        program = folder.program(profile, self.files)
        check_text_facts(program, folder)
        kb = load_knowledge_base(
            folder, profile, ENGINE_SIGNATURES | self.outputs, set(INPUTS) | self.inputs, cache, self.files
        )
        fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
        own_sorts = {signature: AUXILIARY_PREDICATES[signature] for signature in sorted(self.outputs)}
        check_arguments(KnownNames(kb, program, folder, fluents), {**PREDICATE_SORTS, **own_sorts})
        return kb

    def is_in(self, folder: Folder) -> bool:
        """Return True if a folder has all of the files."""
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
"""Rules of hand splits, read by reasoners/splits/rules.py."""
STRENGTH_RULES = AuxiliaryRules(
    ("strength", "deals"),
    _parse_signatures("dealt/3"),
    _parse_signatures("group_points/2", "difficulty/3", "hand_size/2", "bottom_size/1", "flawed/1"),
)
"""Rules of hand strength and classes of deals, read by abl_cards/hand_analysis/deal_rules.py."""


def load_auxiliary_rules(folder: Folder, profile: str | None, cache: bool = True) -> Iterator[KnowledgeBase]:
    """Load all auxiliary rules of a folder.

    Args:
        folder: Folder of the game.
        profile: Profile of the rules; None for the default profile.
        cache: Read and write the disk cache.

    Yields:
        Each knowledge base, with the rules of play.

    Raises:
        KBError: The rules are not valid, or the folder has a file that is never read.
    """
    files = folder.layers.auxiliary_files
    present = [rules for rules in (SPLIT_RULES, STRENGTH_RULES) if files.keys() & set(rules.files)]
    read_names = {name for rules in present for name in rules.files}
    for name, path in files.items():
        if name not in read_names:
            known = ", ".join(f"{file}.lp" for rules in (SPLIT_RULES, STRENGTH_RULES) for file in rules.files)
            remedy = f"the folder of that name may have: {known}"
            raise make_kb_error(f"{path}: this file is never read", remedy, ErrorCode.INVALID_FOLDER)
    for rules in present:
        yield rules.load(folder, profile, cache)
