"""Which rule files were found to make a game: kept on disk, so that what has not changed is not asked again."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from abl_cards.logic import KnowledgeBase
from abl_cards.logic import cache as disk

_HOUSE = Path(__file__).resolve().parents[1]
_ROOMS = "games", "platforms"


def known_sound(kb: KnowledgeBase) -> bool:
    """Whether this was found of the same files by the same code."""
    return kb.stored is not None and disk.get(_name(kb.stored), lambda data: True) is not None


def keep_sound(kb: KnowledgeBase) -> None:
    """Remember it."""
    if kb.stored is not None:
        disk.put(_name(kb.stored), b"", make_room=False)


def _name(stored: str) -> str:
    return hashlib.sha256(f"sound {stored} {_code()}".encode()).hexdigest()


@cache
def _code() -> str:
    """A change of the code that judges makes every verdict obsolete."""
    digest = hashlib.sha256()
    for file in sorted(file for room in _ROOMS for file in (_HOUSE / room).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
