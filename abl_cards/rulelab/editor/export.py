"""A folder of one's own, to be taken along: saved where the lab may save, or as a zip."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from abl_cards.core import ErrorCode, GameError, write_text
from abl_cards.rulelab.editor.draft import RuleDraft

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def export_zip(draft: RuleDraft, name: str) -> bytes:
    """The files written here in a folder of this name, as a zip that is the same for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in draft.files:
            if file.is_own:
                archive.writestr(zipfile.ZipInfo(f"{_check_folder_name(name)}/{file.name}"), draft.read(file.name))
    return buffer.getvalue()


def export_folder(draft: RuleDraft, home: Path, name: str) -> Path:
    """A new folder beneath this one, as ``kb copy`` makes it; raises GameError."""
    made = home / _check_folder_name(name)
    if made.exists():
        raise GameError(f"there is a folder '{name}' already, and nothing is overwritten", ErrorCode.ALREADY_EXISTS)
    for file in draft.files:
        if file.is_own:
            (made / file.name).parent.mkdir(parents=True, exist_ok=True)
            write_text(made / file.name, draft.read(file.name))
    return made


def _check_folder_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise GameError("a folder is called like my-rules: small letters, digits, - and _", ErrorCode.INVALID_NAME)
    return name
