"""What a folder may say and what is asked of it, and the knowledge base that it makes.

Nothing here plays: who only checks rules that were checked before waits for no kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from abl_cards.games.reading import declared
from abl_cards.games.reading.blame import best_head
from abl_cards.games.reading.folder import Folder, load
from abl_cards.games.reading.text_facts import check_text
from abl_cards.games.telling.columns import INPUTS
from abl_cards.games.verdicts import known_sound
from abl_cards.logic import KBError, KnowledgeBase, Signature
from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.statements import Program, Use

FACTS = tuple(map(str, declared.FACTS))
ASKED = tuple(map(str, declared.ASKED))
OUTPUTS = {Signature.parse(name) for name in (*FACTS, *ASKED)}
_OF_THE_SHELF = {Signature("who", 1)}
"""Predicates of kb/common that have the name of another one; not every game reads them."""


def read_knowledge(folder: Folder, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
    """Load and check the rule files of a folder; raises KBError.

    Facts that are read from the text need it parsed, so files that passed the whole check before are not looked at.
    """
    try:
        kb = load(folder, profile, OUTPUTS, set(INPUTS), cache)
    except KBError:
        check_text(folder.program(profile), folder)  # says better what is wrong, where it is that
        raise
    if not (cache and known_sound(kb, folder)):
        check_text(folder.program(profile), folder)
    return kb


def of_another_arity(program: Program) -> Iterator[Diagnostic]:
    """Heads that nothing reads and that have the name of something that is asked, with other arguments."""
    used = {use.signature for use in program.bodies} | program.shown | program.defined
    asked: dict[str, list[str]] = {}
    for signature in sorted(OUTPUTS):
        asked.setdefault(signature.name, []).append(str(signature))
    seen = set[Signature]()
    for use in program.heads:
        known = asked.get(use.signature.name)
        if known and use.signature not in {*OUTPUTS, *_OF_THE_SHELF, *used, *seen}:
            seen.add(use.signature)
            text = f"'{use.signature}' is derived, and what is asked for is {' or '.join(known)}"
            yield error(use.location, text, "give it these arguments, or another name")


def placed(problem: Diagnostic, program: Program, folder: Folder) -> Diagnostic:
    """A problem of a description at the first rule of a predicate that it speaks of; else in the folder."""
    if problem.location is not None:
        return problem
    said = re.findall(r"(\w+)(?=/\d|\()", problem.message)
    uses = [use for name in said for use in program.heads if use.signature.name == name]
    if uses:
        pairs = set(pairwise(said))
        best = max(uses, key=lambda use: ((use.signature.name, use.functor) in pairs, alike(use, problem.message)))
        return replace(problem, location=(best_head(uses, program, problem.message) or best).location)
    return replace(problem, message=f"{folder.path}: {problem.message}")


def alike(use: Use, message: str) -> int:
    """Count the constant arguments of a head that a message names."""
    texts = {str(term) for term in use.pattern if term is not None}
    return sum(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message) is not None for text in texts)
