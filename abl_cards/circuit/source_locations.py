"""Where a knowledge base says something: for messages about what its rules lead to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from abl_cards.asp import Limits, Signature, parse_program, read_sources
from abl_cards.circuit.knowledge_base import KnowledgeBase


def find_deriving_files(kb: KnowledgeBase, predicates: Iterable[str]) -> tuple[str, ...]:
    """The names of the files with rules for some predicates, such as "turn/1"; read anew, so this is for errors."""
    wanted = {Signature.parse(each) for each in predicates}
    sources, _ = read_sources(kb.files, Limits().file_bytes, kb.request.library)
    heads = parse_program(sources).heads
    return tuple(dict.fromkeys(Path(use.location.file).name for use in heads if use.signature in wanted))
