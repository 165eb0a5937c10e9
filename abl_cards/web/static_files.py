"""The files of the page: read once, served by name, and nothing else is."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

STATIC_FOLDER = Path(__file__).parent / "static"
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
TOKEN_PLACEHOLDER = b"{{token}}"
TABLE_PLACEHOLDER = b"{{laid}}"


@dataclass(frozen=True)
class StaticFile:
    """A file of the page."""

    body: bytes
    content_type: str
    etag: str  # changes with the content

    @cached_property
    def gzipped(self) -> bytes:
        """By gzip, when somebody asks for it."""
        return gzip.compress(self.body, 9, mtime=0)


def read_files(folder: Path = STATIC_FOLDER) -> dict[str, StaticFile]:
    """Every file beneath the folder of a type that is served, by its path there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in CONTENT_TYPES:
            body = path.read_bytes()
            tag = f'"{sha256(body).hexdigest()[:16]}"'
            found[path.relative_to(folder).as_posix()] = StaticFile(body, CONTENT_TYPES[path.suffix], tag)
    return found
