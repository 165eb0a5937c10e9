"""What a folder may say and what is asked of it, and the knowledge base that it makes.

Nothing here plays: who only checks rules that were checked before waits for no kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from abl_cards.asp import Diagnostic, KBError, PredicateUse, ProgramSummary, Signature, make_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description import fact_schema
from abl_cards.games.description.folder import Folder, load_knowledge_base
from abl_cards.games.description.input_schema import INPUTS
from abl_cards.games.description.rule_lookup import find_best_head
from abl_cards.games.description.text_facts import check_text_facts
from abl_cards.games.description.validation_cache import is_known_valid

FACT_NAMES = tuple(map(str, fact_schema.FACTS))
OUTPUT_NAMES = tuple(map(str, fact_schema.OUTPUTS))
ENGINE_SIGNATURES = {Signature.parse(name) for name in (*FACT_NAMES, *OUTPUT_NAMES)}
_COMMON_PREDICATES = {Signature("who", 1)}
"""Predicates of kb/common that have the name of another one; not every game reads them."""


def load_game_knowledge(folder: Folder, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
    """Load and check the rule files of a folder; raises KBError.

    Facts that are read from the text need it parsed, so files that passed the whole check before are not looked at.
    """
    try:
        kb = load_knowledge_base(folder, profile, ENGINE_SIGNATURES, set(INPUTS), cache)
    except KBError:
        check_text_facts(folder.program(profile), folder)  # says better what is wrong, where it is that
        raise
    if not (cache and is_known_valid(kb, folder)):
        check_text_facts(folder.program(profile), folder)
    return kb


def find_wrong_arities(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Heads that nothing reads and that have the name of something that is asked, with other arguments."""
    used = {use.signature for use in program.bodies} | program.shown | program.defined
    asked: dict[str, list[str]] = {}
    for signature in sorted(ENGINE_SIGNATURES):
        asked.setdefault(signature.name, []).append(str(signature))
    seen = set[Signature]()
    for use in program.heads:
        known = asked.get(use.signature.name)
        if known and use.signature not in {*ENGINE_SIGNATURES, *_COMMON_PREDICATES, *used, *seen}:
            seen.add(use.signature)
            text = f"'{use.signature}' is derived, and what is asked for is {' or '.join(known)}"
            yield make_error(use.location, text, "give it these arguments, or another name")


def add_location(problem: Diagnostic, program: ProgramSummary, folder: Folder) -> Diagnostic:
    """A problem of a description at the first rule of a predicate that it speaks of; else in the folder."""
    if problem.location is not None:
        return problem
    said = re.findall(r"(\w+)(?=/\d|\()", problem.message)
    uses = [use for name in said for use in program.heads if use.signature.name == name]
    if uses:
        pairs = set(pairwise(said))
        best = max(
            uses,
            key=lambda use: ((use.signature.name, use.functor) in pairs, count_named_arguments(use, problem.message)),
        )
        return replace(problem, location=(find_best_head(uses, program, problem.message) or best).location)
    return replace(problem, message=f"{folder.path}: {problem.message}")


def count_named_arguments(use: PredicateUse, message: str) -> int:
    """Count the constant arguments of a head that a message names."""
    texts = {str(term) for term in use.pattern if term is not None}
    return sum(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message) is not None for text in texts)
