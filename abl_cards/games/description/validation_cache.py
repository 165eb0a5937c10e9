"""Disk cache of the results of `kb check`, by content: unchanged rule files are not checked again."""

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
    """Return True if the same files passed the check by the same version of the code.

    Args:
        kb: Knowledge base of the game.
        folder: Folder of the game, whose auxiliary files count as well.
    """
    return _read_verdict(kb, folder) is not None


def is_known_warning_free(kb: KnowledgeBase, folder: Folder) -> bool:
    """Return True if the same files passed the check without a warning that takes long to find.

    Args:
        kb: Knowledge base of the game.
        folder: Folder of the game, whose auxiliary files count as well.
    """
    return _read_verdict(kb, folder) == _FLAWLESS


def store_valid(kb: KnowledgeBase, folder: Folder, is_warning_free: bool) -> None:
    """Store that a folder passed the check.

    Args:
        kb: Knowledge base of the game.
        folder: Folder of the game.
        is_warning_free: It is known that there are no warnings that take long to find.
    """
    name = _entry_name(kb, folder)
    if name is not None:
        store_cached(name, _FLAWLESS if is_warning_free else _WARNED, evict=False)


def cached_number(kb: KnowledgeBase, key: str, compute: Callable[[], int]) -> int:
    """Return a number that depends on a knowledge base and the version of the code, from the disk cache if stored.

    Args:
        kb: Knowledge base of the game.
        key: Name of the number.
        compute: Computes the number.
    """
    if kb.cache_name is None:
        return compute()
    name = hashlib.sha256(f"{key} {kb.cache_name} {_code_digest()}".encode()).hexdigest()
    number = load_cached(name, int)
    if number is None:
        number = compute()
        store_cached(name, b"%d" % number, evict=False)
    return number


def _read_verdict(kb: KnowledgeBase, folder: Folder) -> bytes | None:
    name = _entry_name(kb, folder)
    return None if name is None else load_cached(name, lambda data: data)


def _entry_name(kb: KnowledgeBase, folder: Folder) -> str | None:
    """Return the name of the cache entry of a folder; None if its rules are not cached."""
    auxiliary_files = list(folder.layers.auxiliary_files.values())
    sources, problems = (
        read_sources(auxiliary_files, Limits().file_bytes, folder.include_paths) if auxiliary_files else (None, [])
    )
    if kb.cache_name is None or problems:
        return None
    parts = [f"sound {kb.cache_name} {_code_digest()}"]
    parts += [f"{Path(source.path).name} {source.text}" for source in sources.files] if sources else []
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code_digest() -> str:
    """Return a digest of the code that checks rules, so that each change of it makes the cached results obsolete."""
    digest = hashlib.sha256()
    for file in sorted(file for package in _HASHED_PACKAGES for file in (PACKAGE / package).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
