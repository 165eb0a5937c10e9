"""Disk cache of the verdict of `kb check`, by content: unchanged rule files are not checked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from abl_cards.games.reading.folder import Folder
from abl_cards.logic import KnowledgeBase, Limits
from abl_cards.logic import cache as disk
from abl_cards.logic.program import read

_HOUSE = Path(__file__).resolve().parents[1]
_ROOMS = "games", "platforms"
_FLAWLESS, _WARNED = b"", b"warned"


def known_sound(kb: KnowledgeBase, folder: Folder) -> bool:
    """Return whether the same files, those of science among them, passed the check of the same code."""
    return _verdict(kb, folder) is not None


def known_flawless(kb: KnowledgeBase, folder: Folder) -> bool:
    """Return whether they passed it without a warning that takes play to find."""
    return _verdict(kb, folder) == _FLAWLESS


def keep_sound(kb: KnowledgeBase, folder: Folder, flawless: bool) -> None:
    """Store that a folder passed the check, and whether without such a warning."""
    name = _name(kb, folder)
    if name is not None:
        disk.put(name, _FLAWLESS if flawless else _WARNED, make_room=False)


def stored_number(kb: KnowledgeBase, what: str, compute: Callable[[], int]) -> int:
    """Return what is computed of a knowledge base by the code as it is, from the disk where it was before."""
    if kb.stored is None:
        return compute()
    name = hashlib.sha256(f"{what} {kb.stored} {_code()}".encode()).hexdigest()
    found = disk.get(name, int)
    if found is None:
        found = compute()
        disk.put(name, b"%d" % found, make_room=False)
    return found


def _verdict(kb: KnowledgeBase, folder: Folder) -> bytes | None:
    name = _name(kb, folder)
    return None if name is None else disk.get(name, lambda data: data)


def _name(kb: KnowledgeBase, folder: Folder) -> str | None:
    """Return the cache entry of a folder; None where the knowledge base or a file is not stored."""
    science = list(folder.layers.science.values())
    sources, problems = read(science, Limits().file_bytes, folder.library) if science else (None, [])
    if kb.stored is None or problems:
        return None
    parts = [f"sound {kb.stored} {_code()}"]
    parts += [f"{Path(source.path).name} {source.text}" for source in sources.files] if sources else []
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    """A change of the code that judges makes every verdict obsolete."""
    digest = hashlib.sha256()
    for file in sorted(file for room in _ROOMS for file in (_HOUSE / room).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
