"""Find the files of a knowledge base that derive predicates, for error messages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from abl_cards.asp import Limits, Signature, parse_program, read_sources
from abl_cards.circuit.knowledge_base import KnowledgeBase


def find_deriving_files(kb: KnowledgeBase, predicates: Iterable[str]) -> tuple[str, ...]:
    """Find the files with rules for predicates; they are read and parsed anew, so this is slow.

    Args:
        kb: The knowledge base.
        predicates: Predicates, such as "turn/1".

    Returns:
        Names of the files, without folders.
    """
    signatures = {Signature.parse(predicate) for predicate in predicates}
    sources, _ = read_sources(kb.files, Limits().file_bytes, kb.request.library)
    heads = parse_program(sources).heads
    return tuple(dict.fromkeys(Path(use.location.file).name for use in heads if use.signature in signatures))
