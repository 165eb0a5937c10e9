"""The files of the page: read once, served by name, and nothing else is."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
TOKEN = b"{{token}}"
LAID = b"{{laid}}"


@dataclass(frozen=True)
class File:
    """A file of the page."""

    body: bytes
    kind: str
    tag: str  # changes with the content

    @cached_property
    def packed(self) -> bytes:
        """By gzip, when somebody asks for it."""
        return gzip.compress(self.body, 9, mtime=0)


def read_files(folder: Path = FOLDER) -> dict[str, File]:
    """Every file beneath the folder of a type that is served, by its path there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in TYPES:
            body = path.read_bytes()
            tag = f'"{sha256(body).hexdigest()[:16]}"'
            found[path.relative_to(folder).as_posix()] = File(body, TYPES[path.suffix], tag)
    return found
