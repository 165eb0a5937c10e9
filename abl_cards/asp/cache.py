"""The disk cache of built knowledge bases and their circuits.

Small files, named by the digest of everything that they depend on. Each begins with the digest of its name and its
contents, so that neither a damaged file nor one under the name of another is taken for what it is not.

The cache never fails: what cannot be read is built again, what cannot be written is not kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import clingo

from abl_cards.asp.bounded_files import read_regular_file
from abl_cards.asp.build import BuildRequest
from abl_cards.asp.program import read_sources
from abl_cards.asp.terms import Signature
from abl_cards.core import PACKAGE

MAX_CACHE_BYTES = 256 << 20

_DIGEST_BYTES = 32

StoredT = TypeVar("StoredT")


def cache_folder() -> Path:
    """`$ABL_CARDS_CACHE`, or the platform's place for caches."""
    chosen = os.environ.get("ABL_CARDS_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "abl-cards"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/abl-cards"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "abl-cards"


class CacheKey(NamedTuple):
    """Where a knowledge base is stored, and the paths of its files: a copy elsewhere is the same but for those."""

    name: str
    paths: tuple[str, ...]


def make_cache_key(request: BuildRequest, file_bytes: int) -> CacheKey | None:
    """The name is a digest of the files' names and contents, the declarations and the versions.

    None when a file is unreadable.
    """
    sources, problems = read_sources(request.files, file_bytes, request.library)
    if problems:
        return None
    parts = [
        code_digest(),
        clingo.__version__,
        [file.name for file in request.files],
        [[Path(source.path).name, source.text] for source in sources.files],
        [[item.name, item.arity, item.domains] for item in request.inputs],
        sorted(map(str, request.outputs)),
        sorted([name, repr(value)] for name, value in request.constants.items()),
    ]
    name = hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return CacheKey(name, tuple(source.path for source in sources.files))


@functools.cache
def code_digest() -> str:
    """The version of the format: a change in the code of asp or circuit makes everything stored obsolete."""
    digest = hashlib.sha256()
    for folder in ("asp", "circuit"):
        for file in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def circuit_cache_name(name: str, outputs: Sequence[Signature]) -> str:
    """What the circuit of some outputs of a stored knowledge base is stored as."""
    return hashlib.sha256(" ".join([name, *map(str, outputs)]).encode()).hexdigest()


def load_cached(name: str, unpack: Callable[[bytes], StoredT]) -> StoredT | None:
    """What was stored under a name, or None."""
    try:
        path = cache_folder() / f"{name}.kb"
        sealed = read_regular_file(path, MAX_CACHE_BYTES)
        data = sealed[_DIGEST_BYTES:]
        if _checksum(name, data) != sealed[:_DIGEST_BYTES]:
            return None
        stored = unpack(data)
    except Exception:  # whatever a strange folder or a file by another version leads to: build it again
        return None
    with contextlib.suppress(OSError):  # somebody else's folder may be read all the same
        path.touch()  # recently used: last to be evicted
    return stored


def _checksum(name: str, data: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + data).digest()


def store_cached(name: str, data: bytes, evict: bool = True) -> None:
    """Store something: written aside and renamed, so that nobody reads half of it.

    A knowledge base makes room for its twenty small circuits too: to look through the folder takes longer than they do.
    """
    with contextlib.suppress(OSError, RuntimeError):
        target = cache_folder()
        target.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(name, data) + data)
            os.replace(temporary, target / f"{name}.kb")
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        if evict:
            _evict(target)


def _evict(target: Path) -> None:
    """Drop the files that were not used for longest once the cache is too large."""
    with os.scandir(target) as entries:
        files = [each for each in entries if each.name.endswith(".kb") and each.is_file(follow_symlinks=False)]
    status = [(file.stat(follow_symlinks=False), file.path) for file in files]
    total = 0
    for each, path in sorted(status, key=lambda pair: -pair[0].st_mtime):
        total += each.st_size
        if total > MAX_CACHE_BYTES:
            Path(path).unlink(missing_ok=True)
