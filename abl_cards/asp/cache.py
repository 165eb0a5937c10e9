"""The disk cache of built knowledge bases and their circuits.

A file is named by the digest of everything that it depends on. It begins with a digest of its name and contents, so
that damaged and renamed files are detected.

The cache raises no errors: an entry that cannot be read is built again, one that cannot be written is dropped.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import clingo
from platformdirs import user_cache_path

from abl_cards.asp.bounded_files import read_regular_file
from abl_cards.asp.build import BuildRequest
from abl_cards.asp.sources import read_sources
from abl_cards.core import PACKAGE

MAX_CACHE_BYTES = 256 << 20
"""Most bytes of all files of the cache."""
_DIGEST_BYTES = 32

StoredT = TypeVar("StoredT")


def cache_folder() -> Path:
    """Return the folder of the cache: `$ABL_CARDS_CACHE`, or the platform's folder for caches."""
    folder = os.environ.get("ABL_CARDS_CACHE")
    return Path(folder) if folder else user_cache_path("abl-cards", appauthor=False, opinion=False)


class CacheKey(NamedTuple):
    """Key of a knowledge base in the cache.

    Attributes:
        name: Name of its file in the cache; equal for copies of the rules in other folders.
        paths: Paths of its rule files, which the cached data refers to by index.
    """

    name: str
    paths: tuple[str, ...]


def make_cache_key(request: BuildRequest, file_bytes: int) -> CacheKey | None:
    """Compute the key of a knowledge base from its files, its declarations, and the versions of clingo and this code.

    Args:
        request: Files, inputs, outputs and constants.
        file_bytes: Largest size of a file, in bytes.

    Returns:
        The key; None when a file cannot be read.
    """
    sources, problems = read_sources(request.files, file_bytes, request.library)
    if problems:
        return None
    key = [
        code_digest(),
        clingo.__version__,
        [file.name for file in request.files],
        [[Path(source.path).name, source.text] for source in sources.files],
        [[item.name, item.arity, item.domains] for item in request.inputs],
        sorted(map(str, request.outputs)),
        sorted([name, repr(value)] for name, value in request.constants.items()),
    ]
    name = hashlib.sha256(json.dumps(key).encode("utf-8", "surrogatepass")).hexdigest()
    return CacheKey(name, tuple(source.path for source in sources.files))


@functools.cache
def code_digest() -> str:
    """Return the version of the format: a digest of the code of the packages asp and circuit."""
    digest = hashlib.sha256()
    for folder in ("asp", "circuit"):
        for file in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def entry_name(content: bytes) -> str:
    """Return the name of an entry: a digest of the code, and of what the entry depends on beside it."""
    return hashlib.sha256(code_digest().encode() + content).hexdigest()


def load_cached(name: str, unpack: Callable[[bytes], StoredT]) -> StoredT | None:
    """Load an entry of the cache.

    Args:
        name: Name of the entry.
        unpack: Decodes its bytes.

    Returns:
        The decoded entry; None when there is none, or it is damaged.
    """
    try:
        path = cache_folder() / f"{name}.kb"
        content = read_regular_file(path, MAX_CACHE_BYTES)
        data = content[_DIGEST_BYTES:]
        if _checksum(name, data) != content[:_DIGEST_BYTES]:
            return None
        stored = unpack(data)
    except Exception:  # a damaged folder or file must not fail the build: build it again
        return None
    with contextlib.suppress(OSError):  # the folder may be read-only
        path.touch()  # recently used, so evicted last
    return stored


def load_or_compute(
    content: bytes, compute: Callable[[], StoredT], pack: Callable[[StoredT], bytes], unpack: Callable[[bytes], StoredT]
) -> StoredT:
    """Load what was computed from the same content before; compute and store it where it is not there.

    Args:
        content: What the entry depends on beside the code, beginning with its kind.
        compute: Computes the entry.
        pack: Encodes it.
        unpack: Decodes it.

    Returns:
        The entry.
    """
    name = entry_name(content)
    stored = load_cached(name, unpack)
    if stored is None:
        stored = compute()
        store_cached(name, pack(stored), evict=False)
    return stored


def _checksum(name: str, data: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + data).digest()


def store_cached(name: str, data: bytes, evict: bool = True) -> None:
    """Store an entry: write it to a temporary file and rename that, so that no process reads half of it.

    Args:
        name: Name of the entry.
        data: Its bytes.
        evict: Whether to delete the least recently used entries beyond `MAX_CACHE_BYTES`. Small entries skip that,
            because listing the folder takes longer than storing them.
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
    """Delete the least recently used files when the cache is too large."""
    with os.scandir(target) as entries:
        files = [
            file_status
            for file_status in entries
            if file_status.name.endswith(".kb") and file_status.is_file(follow_symlinks=False)
        ]
    status = [(file.stat(follow_symlinks=False), file.path) for file in files]
    total = 0
    for file_status, path in sorted(status, key=lambda pair: -pair[0].st_mtime):
        total += file_status.st_size
        if total > MAX_CACHE_BYTES:
            Path(path).unlink(missing_ok=True)
