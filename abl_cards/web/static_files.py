"""Static files of the page, read once and served by name."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

STATIC_FOLDER = Path(__file__).parent / "static"
CONTENT_TYPES = {
    ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".mjs": "text/javascript",
    ".svg": "image/svg+xml", ".txt": "text/plain",
}  # fmt: skip
TOKEN_PLACEHOLDER = b"{{token}}"


@dataclass(frozen=True)
class StaticFile:
    """Static file of the page."""

    body: bytes
    content_type: str
    etag: str  # changes with the content

    @cached_property
    def gzipped(self) -> bytes:
        """Body compressed by gzip, on first use."""
        return gzip.compress(self.body, 9, mtime=0)


@cache
def read_files() -> Mapping[str, StaticFile]:
    """Read all files of the page, by relative path, once."""
    files = {}
    for path in sorted(STATIC_FOLDER.rglob("*")):
        if path.is_file() and path.suffix in CONTENT_TYPES:
            body = path.read_bytes()
            tag = f'"{sha256(body).hexdigest()[:16]}"'
            files[path.relative_to(STATIC_FOLDER).as_posix()] = StaticFile(body, CONTENT_TYPES[path.suffix], tag)
    return MappingProxyType(files)
