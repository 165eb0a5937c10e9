"""Export drafts as folders or zip archives."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from abl_cards.core import ErrorCode, GameError, make_folder, write_text
from abl_cards.rulelab.editor.draft import RuleDraft

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def export_zip(draft: RuleDraft, name: str) -> bytes:
    """Export the own files of a draft as a zip archive; equal files give equal bytes.

    Args:
        draft: Rules that are being edited.
        name: Name of the folder in the archive.

    Returns:
        Bytes of the archive.

    Raises:
        GameError: The name is malformed.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in draft.files:
            if file.is_own:
                archive.writestr(zipfile.ZipInfo(f"{_check_folder_name(name)}/{file.name}"), draft.read(file.name))
    return buffer.getvalue()


def export_folder(draft: RuleDraft, home: Path, name: str) -> Path:
    """Export the own files of a draft as a new folder.

    Args:
        draft: Rules that are being edited.
        home: Folder in which the new folder is made.
        name: Name of the new folder.

    Returns:
        Path of the new folder.

    Raises:
        GameError: The name is malformed, the folder exists, or it cannot be written, and is removed again.
    """
    target = home / _check_folder_name(name)
    if target.exists():
        raise GameError(f"the folder '{name}' already exists and is not overwritten", ErrorCode.ALREADY_EXISTS)
    try:
        with make_folder(target):
            for file in draft.files:
                if file.is_own:
                    write_text(target / file.name, draft.read(file.name))
    except OSError as problem:
        text = f"the folder '{name}' is not saved: {problem.strerror or problem}; the draft is unchanged"
        raise GameError(text, ErrorCode.FILE_NOT_WRITTEN) from problem
    return target


def _check_folder_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise GameError(
            "invalid folder name; use small letters, digits, - and _, as in my-rules", ErrorCode.INVALID_NAME
        )
    return name
