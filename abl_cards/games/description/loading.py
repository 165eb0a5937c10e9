"""Load a rule folder as a knowledge base, and add locations to problems of its description.

This module does not import kernels, so checking rules that are known to be valid starts fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from abl_cards.asp import Diagnostic, KBError, PredicateUse, ProgramSummary, Signature, make_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description import fact_schema
from abl_cards.games.description.folder import Folder, load_knowledge_base
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.rule_lookup import find_best_head
from abl_cards.games.description.text_facts import check_text_facts
from abl_cards.games.description.validation_cache import is_known_valid

FACT_NAMES = tuple(map(str, fact_schema.FACTS))
OUTPUT_NAMES = tuple(map(str, fact_schema.OUTPUTS))
ENGINE_SIGNATURES = {Signature.parse(name) for name in (*FACT_NAMES, *OUTPUT_NAMES)}
_COMMON_PREDICATES = {Signature("who", 1)}
"""Predicates of kb/common with the name of an engine predicate; not every game reads them."""


def load_game_knowledge(folder: Folder, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
    """Load and check the rule files of a folder.

    Facts that are read from the text are not checked again if the folder has passed the whole check, because this check
    requires parsing the text.

    Args:
        folder: Rule folder.
        profile: Profile of the rules; None for the default profile.
        cache: Read and write the disk cache.

    Raises:
        KBError: The rules are not valid.
    """
    try:
        kb = load_knowledge_base(folder, profile, ENGINE_SIGNATURES, set(INPUTS), cache)
    except KBError:
        check_text_facts(folder.program(profile), folder)  # raises a clearer error if a text fact is the cause
        raise
    if not (cache and is_known_valid(kb, folder)):
        check_text_facts(folder.program(profile), folder)
    return kb


def find_wrong_arities(program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find derived predicates that no rule reads and that differ from an engine predicate only in their arity.

    Args:
        program: Summary of the rule files.

    Yields:
        A diagnostic for each such predicate.
    """
    used = {use.signature for use in program.bodies} | {*program.shown, *program.defined}
    engine_names: dict[str, list[str]] = {}
    for signature in sorted(ENGINE_SIGNATURES):
        engine_names.setdefault(signature.name, []).append(str(signature))
    reported = set[Signature]()
    for use in program.heads:
        known = engine_names.get(use.signature.name)
        if known and use.signature not in {*ENGINE_SIGNATURES, *_COMMON_PREDICATES, *used, *reported}:
            reported.add(use.signature)
            text = f"'{use.signature}' is derived, but the engine reads {' or '.join(known)}"
            yield make_error(use.location, text, "give it these arguments, or another name", ErrorCode.WRONG_ARITY)


def add_location(problem: Diagnostic, program: ProgramSummary, folder: Folder) -> Diagnostic:
    """Add a location to a diagnostic: that of the rule which derives the instance in its message.

    Args:
        problem: Diagnostic.
        program: Summary of the rule files.
        folder: Rule folder.

    Returns:
        Diagnostic with a location; if no rule derives a predicate in the message, the message names the folder.
    """
    if problem.location is not None:
        return problem
    names = re.findall(r"(\w+)(?=/\d|\()", problem.message)
    uses = [use for name in names for use in program.heads if use.signature.name == name]
    if uses:
        pairs = set(pairwise(names))
        best = max(
            uses,
            key=lambda use: ((use.signature.name, use.functor) in pairs, count_named_arguments(use, problem.message)),
        )
        return replace(problem, location=(find_best_head(uses, program, problem.message) or best).location)
    return replace(problem, message=f"{folder.path}: {problem.message}")


def count_named_arguments(use: PredicateUse, message: str) -> int:
    """Count the constant arguments of a head that occur in a message.

    Args:
        use: Head of a rule.
        message: Message of a diagnostic.
    """
    texts = {str(term) for term in use.pattern if term is not None}
    return sum(re.search(rf"(?<![\w/]){re.escape(text)}(?!\w)", message) is not None for text in texts)
