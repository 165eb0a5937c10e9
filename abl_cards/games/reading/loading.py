"""What a folder may say and what is asked of it, and the knowledge base that it makes.

Nothing here plays: who only checks rules that were checked before waits for no kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from abl_cards.games.reading.folder import Folder, load
from abl_cards.games.telling.columns import INPUTS
from abl_cards.logic import KnowledgeBase, Signature
from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.statements import Program, Use

FACTS = (
    "pack/2", "packs/1", "index/2", "seat/1", "next/2", "member/2", "who/2", "deals/2", "label/1", "label/2", "order/2",
    "form/2", "kind/2", "needs/4", "natural/3", "wilds/2", "same_suit/2", "mixed_suits/1", "only/3", "kickers/3",
    "kicker/3", "misread/3", "apart/1", "tier/2", "listed/2", "letter/2", "lasts/2", "order_of_sets/1", "leftover/2",
    "recent/1", "called/3", "called/4", "title/2", "default_profile/1", "lots/2",
    "one/2", "count/2", "any/2", "hand_order/2", "parent/1", "replaces/1", "leaves_out/1",
    "sees/2", "sees/3", "secret/1", "private/2", "worth/2", "composes/1", "partial/1", "open_hands/0", "written/3",
    "platform/1", "plane/2", "sort/4", "word/3", "word/4",
)  # fmt: skip
ASKED = (
    "acts_as/2", "legal/1", "move/1", "includes/1", "strength/2", "beats/1", "barred/1", "turn/1", "trick_over/0",
    "over/0", "init/1", "next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3",
    "deal_again/0", "asks/2", "draws/1", "leads/1", "option/1", "points/3", "won/1", "drawn/0", "match_over/0",
    "has/4", "lacks/4", "has/3", "lacks/3", "has_now/4", "lacks_now/4", "has_now/3", "lacks_now/3", "belief/3",
    "role/2", "side/2", "takes/1", "more/0",
)  # fmt: skip
OUTPUTS = {Signature.parse(name) for name in (*FACTS, *ASKED)}
_OF_THE_SHELF = {Signature("who", 1)}
"""Predicates of kb/common that have the name of another one; not every game reads them."""


def read_knowledge(folder: Folder, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
    """Load and check the rule files of a folder; raises KBError."""
    return load(folder, profile, OUTPUTS, set(INPUTS), cache)


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
        return replace(problem, location=best.location)
    return replace(problem, message=f"{folder.path}: {problem.message}")


def alike(use: Use, message: str) -> int:
    """Count the constant arguments of a head that a message names."""
    texts = {str(term) for term in use.pattern if term is not None}
    return sum(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message) is not None for text in texts)
