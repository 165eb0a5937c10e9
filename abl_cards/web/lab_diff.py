"""Lines in which the files of a draft differ from the opened version, or from the parent of the opened game."""

from __future__ import annotations

from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from abl_cards.asp import Limits, read_regular_file
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import Folder
from abl_cards.rulelab.editor import RuleDraft

OPENED, PARENT = "opened", "parent"
"""Versions to compare with."""
CONTEXT_LINES = 2
MAX_LINES = 4000
"""Lines of all hunks together."""


def parent_name(draft: RuleDraft) -> str:
    """Return the name of the parent of the opened game; empty for a game of its own."""
    folder = _parent_folder(draft)
    return "" if folder is None else folder.resolve().name


def compare_files(draft: RuleDraft, base: str) -> list[dict[str, Any]]:
    """Compare the files of a draft with an earlier version.

    Args:
        draft: Rules that are being edited.
        base: OPENED or PARENT.

    Returns:
        Files that differ, each with its hunks: lines of a kind, ``-``, ``+`` or blank, with their numbers.

    Raises:
        GameError: The game has no parent, or the base is unknown.
    """
    old_texts = _read_base(draft, base)
    new_texts = {file.name: draft.read(file.name) for file in draft.files}
    files, num_lines = list[dict[str, Any]](), 0
    for name in sorted(old_texts.keys() | new_texts.keys()):
        old, new = old_texts.get(name, ""), new_texts.get(name, "")
        if old == new:
            continue
        hunks = compare_lines(old.splitlines(), new.splitlines())
        files.append({"name": name, "hunks": hunks if num_lines < MAX_LINES else [],
                      "added": sum(line[0] == "+" for hunk in hunks for line in hunk),
                      "removed": sum(line[0] == "-" for hunk in hunks for line in hunk)})  # fmt: skip
        num_lines += sum(map(len, hunks))
    return files


def compare_lines(old: list[str], new: list[str]) -> list[list[tuple[str, int | None, int | None, str]]]:
    """Compare two texts by lines.

    Args:
        old: Lines of the earlier text.
        new: Lines of the later text.

    Returns:
        Hunks of lines: kind, number in the earlier text, number in the later one, and the text.
    """
    hunks = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT_LINES):
        lines: list[tuple[str, int | None, int | None, str]] = []
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                lines += [(" ", old_start + row + 1, new_start + row + 1, old[old_start + row])
                          for row in range(old_end - old_start)]  # fmt: skip
            else:
                lines += [("-", row + 1, None, old[row]) for row in range(old_start, old_end)]
                lines += [("+", None, row + 1, new[row]) for row in range(new_start, new_end)]
        hunks.append(lines)
    return hunks


def _read_base(draft: RuleDraft, base: str) -> dict[str, str]:
    if base == OPENED:
        return draft.read_original_files() | dict(draft.opened_files)
    folder = _parent_folder(draft)
    if base != PARENT or folder is None:
        raise GameError("base: opened, or parent for a game with a parent", ErrorCode.INVALID_REQUEST)
    layers = Folder(folder).layers
    files = {file.name: file for file in layers.files} | {f"profiles/{file.name}": file
                                                          for file in layers.profiles.values()}  # fmt: skip
    names = {file.name for file in draft.files}
    return {
        name: read_regular_file(file, Limits().file_bytes).decode("utf-8-sig", "replace")
        for name, file in files.items()
        if name in names
    }


def _parent_folder(draft: RuleDraft) -> Path | None:
    folders = draft.original_game.folder.layers.folders
    return folders[-2] if len(folders) > 1 else None
