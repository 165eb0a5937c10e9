"""Where a knowledge base says something: for messages about what its rules lead to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from abl_cards.logic.build import Limits
from abl_cards.logic.knowledge import KnowledgeBase
from abl_cards.logic.parsing import program_of
from abl_cards.logic.program import read
from abl_cards.logic.terms import Signature


def files_deriving(kb: KnowledgeBase, predicates: Iterable[str]) -> tuple[str, ...]:
    """The names of the files with rules for some predicates, such as "turn/1"; read anew, so this is for errors."""
    wanted = {Signature.parse(each) for each in predicates}
    sources, _ = read(kb.files, Limits().file_bytes, kb.request.library)
    heads = program_of(sources).heads
    return tuple(dict.fromkeys(Path(use.location.file).name for use in heads if use.signature in wanted))
