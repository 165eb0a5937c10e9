"""Rename a predicate or a constant in all files of a rule folder."""

from __future__ import annotations

import json
import re
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor.project_index import FileOccurrence, ProjectIndex, Symbol
from abl_cards.rulelab.editor.reference import load_vocabulary

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


def find_renameable(index: ProjectIndex, symbol: Symbol) -> list[FileOccurrence]:
    """List the occurrences that renaming a symbol would change.

    Args:
        index: Index of the files that are read together.
        symbol: Predicate, constant or function.

    Returns:
        Occurrences, all in files of the folder.

    Raises:
        GameError: The symbol belongs to the engine, occurs in other folders, or does not occur.
    """
    if symbol.arity is not None and any(entry == tuple(symbol) for entry in load_vocabulary()):
        raise GameError(f"'{symbol}' is a predicate of the engine and cannot be renamed", ErrorCode.INVALID_NAME)
    occurrences = index.references(symbol)
    shared = [occurrence for occurrence in occurrences if not index.is_own_file(occurrence.source_file)]
    if shared:
        raise GameError(f"'{symbol}' occurs in {shared[0]} too, outside of this folder", ErrorCode.INVALID_NAME)
    if not occurrences:
        raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
    return occurrences


def rename_symbol(index: ProjectIndex, symbol: Symbol, new_name: str) -> list[FileOccurrence]:
    """List the occurrences to change for a new name.

    Args:
        index: Index of the files that are read together.
        symbol: Predicate, constant or function.
        new_name: New name.

    Returns:
        Occurrences, all in files of the folder.

    Raises:
        GameError: The symbol cannot be renamed, or the new name is malformed or taken.
    """
    occurrences = find_renameable(index, symbol)
    if not _NAME.fullmatch(new_name) or new_name == "not":
        raise GameError(
            f"'{new_name[:40]}' is not a name: a small letter first, then letters, digits and _",
            ErrorCode.INVALID_NAME,
        )
    if any(entry.name == new_name for entry in load_vocabulary()):
        raise GameError(f"'{new_name}' is a predicate of the engine", ErrorCode.INVALID_NAME)
    own_places = {(id(item.source_file), item.occurrence.start) for item in occurrences}
    taken = [
        occurrence
        for occurrence in index.occurrences_by_name.get(new_name, ())
        if (id(occurrence.source_file), occurrence.occurrence.start) not in own_places
    ]
    if taken:
        raise GameError(f"'{new_name}' is already used: {taken[0]}", ErrorCode.INVALID_NAME)
    return occurrences


PROSE_FIELDS, CARD_FIELDS = (
    ("why", "error", "profile"),
    ("hand", "to_beat", "trick", "cards", "before", "points", "number"),
)
"""Fields of cases without names of the rules: texts for people, and cards."""


def rename_in_cases(text: str, name: str, new: str) -> str:
    """Rename a symbol in test cases, where labels, options and fluents contain its name.

    Args:
        text: Text of ``cases.jsonl``.
        name: Old name.
        new: New name.

    Returns:
        New text; lines without the name stay as they are.

    >>> rename_in_cases('{"why": "a set", "labels": ["set(5,1)"], "state": {"hand": ["S5"]}}', "set", "group")
    '{"why": "a set", "labels": ["group(5,1)"], "state": {"hand": ["S5"]}}'
    """
    word = re.compile(rf"(?<![\w']){re.escape(name)}(?![\w'])")
    return "".join(_rename_in_line(line, word, new) for line in text.splitlines(keepends=True))


def _rename_in_line(line: str, word: re.Pattern[str], new: str) -> str:
    if not word.search(line):
        return line
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line  # reported by the check of the cases
    renamed = _rename_in_value(value, word, new)
    return line if renamed == value else json.dumps(renamed, ensure_ascii=False) + line[len(line.rstrip("\r\n")) :]


def _rename_in_value(value: Any, word: re.Pattern[str], new: str) -> Any:
    if isinstance(value, str):
        return word.sub(new, value)
    if isinstance(value, list):
        return [_rename_in_value(item, word, new) for item in value]
    if not isinstance(value, dict):
        return value
    fixed = (*PROSE_FIELDS, *CARD_FIELDS)
    return {
        word.sub(new, key): item if key in fixed else _rename_in_value(item, word, new) for key, item in value.items()
    }  # fmt: skip
