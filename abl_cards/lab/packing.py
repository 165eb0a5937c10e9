"""A folder of one's own, to be taken along: saved where the lab may save, or as a zip."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from abl_cards.errors import GameError
from abl_cards.files import write_text
from abl_cards.lab.workbench import Workbench

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def packed(bench: Workbench, name: str) -> bytes:
    """The files written here in a folder of this name, as a zip that is the same for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in bench.files:
            if file.own:
                archive.writestr(zipfile.ZipInfo(f"{_checked(name)}/{file.name}"), bench.read(file.name))
    return buffer.getvalue()


def save(bench: Workbench, home: Path, name: str) -> Path:
    """A new folder beneath this one, as ``kb copy`` makes it; raises GameError."""
    made = home / _checked(name)
    if made.exists():
        raise GameError(f"there is a folder '{name}' already, and nothing is overwritten")
    for file in bench.files:
        if file.own:
            (made / file.name).parent.mkdir(parents=True, exist_ok=True)
            write_text(made / file.name, bench.read(file.name))
    return made


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise GameError("a folder is called like my-rules: small letters, digits, - and _")
    return name
