"""Digest of a ground program, which is equal wherever the rules have equal meaning to the grounder."""

from __future__ import annotations

import json
from array import array
from hashlib import sha256

from abl_cards.asp import Term
from abl_cards.circuit.knowledge_base import KnowledgeBase

_ARRAYS = ("externals", "heads", "kinds", "starts", "literals", "weights", "bounds")


def program_digest(kb: KnowledgeBase) -> bytes:
    """Compute a digest of the ground program of a knowledge base.

    Comments, layout and the names of variables and files do not count, nor do strings, which are texts for people.

    Args:
        kb: Knowledge base.

    Returns:
        SHA-256 digest; computed once for a knowledge base.
    """
    digest = kb.memo.get(program_digest)
    if digest is None:
        digest = kb.memo[program_digest] = _compute(kb)
    result: bytes = digest
    return result


def _compute(kb: KnowledgeBase) -> bytes:
    ground = kb.ground
    atoms = sorted(
        f"{number} {json.dumps([atom.name, *map(_blank_string, atom.args)], ensure_ascii=False)}"
        for number, atom in zip(ground.numbers, ground.atoms, strict=True)
    )
    digest = sha256("\n".join(atoms).encode("utf-8", "surrogatepass"))
    for name in _ARRAYS:
        values = sorted(ground.externals) if name == "externals" else getattr(ground, name)
        digest.update(json.dumps([name, len(values)]).encode() + array("i", values).tobytes())
    return digest.digest()


def _blank_string(term: Term) -> Term:
    return '""' if isinstance(term, str) and term.startswith('"') else term
