"""Disk cache of the verdict of `kb check`, by content: unchanged rule files are not checked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from abl_cards.asp import Limits, load_cached, read_sources, store_cached
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import PACKAGE
from abl_cards.games.description.folder import Folder

_HASHED_PACKAGES = "games", "protocols"
_FLAWLESS, _WARNED = b"", b"warned"


def is_known_valid(kb: KnowledgeBase, folder: Folder) -> bool:
    """Return whether the same files, those of science among them, passed the check of the same code."""
    return _read_verdict(kb, folder) is not None


def is_known_warning_free(kb: KnowledgeBase, folder: Folder) -> bool:
    """Return whether they passed it without a warning that takes play to find."""
    return _read_verdict(kb, folder) == _FLAWLESS


def store_valid(kb: KnowledgeBase, folder: Folder, is_warning_free: bool) -> None:
    """Store that a folder passed the check, and whether without such a warning."""
    name = _entry_name(kb, folder)
    if name is not None:
        store_cached(name, _FLAWLESS if is_warning_free else _WARNED, evict=False)


def cached_number(kb: KnowledgeBase, key: str, compute: Callable[[], int]) -> int:
    """Return what is computed of a knowledge base by the code as it is, from the disk where it was before."""
    if kb.cache_name is None:
        return compute()
    name = hashlib.sha256(f"{key} {kb.cache_name} {_code_digest()}".encode()).hexdigest()
    found = load_cached(name, int)
    if found is None:
        found = compute()
        store_cached(name, b"%d" % found, evict=False)
    return found


def _read_verdict(kb: KnowledgeBase, folder: Folder) -> bytes | None:
    name = _entry_name(kb, folder)
    return None if name is None else load_cached(name, lambda data: data)


def _entry_name(kb: KnowledgeBase, folder: Folder) -> str | None:
    """Return the cache entry of a folder; None where the knowledge base or a file is not stored."""
    science = list(folder.layers.auxiliary_files.values())
    sources, problems = read_sources(science, Limits().file_bytes, folder.include_paths) if science else (None, [])
    if kb.cache_name is None or problems:
        return None
    parts = [f"sound {kb.cache_name} {_code_digest()}"]
    parts += [f"{Path(source.path).name} {source.text}" for source in sources.files] if sources else []
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code_digest() -> str:
    """A change of the code that judges makes every verdict obsolete."""
    digest = hashlib.sha256()
    for file in sorted(file for room in _HASHED_PACKAGES for file in (PACKAGE / room).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
