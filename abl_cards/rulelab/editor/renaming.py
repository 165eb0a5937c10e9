"""A predicate or a constant gets another name, wherever it stands in a folder of one's own."""

from __future__ import annotations

import json
import re
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor.project_index import FileOccurrence, ProjectIndex, Symbol
from abl_cards.rulelab.editor.reference import load_vocabulary

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


def find_renameable(index: ProjectIndex, symbol: Symbol) -> list[FileOccurrence]:
    """Return the occurrences that renaming would change; raises GameError if other folders share the name."""
    if symbol.arity is not None and any(entry == tuple(symbol) for entry in load_vocabulary()):
        raise GameError(f"'{symbol}' is a predicate of the engine and cannot be renamed", ErrorCode.INVALID_NAME)
    places = index.references(symbol)
    others = [place for place in places if not index.is_own_file(place.source_file)]
    if others:
        raise GameError(
            f"'{symbol}' stands in {others[0]} too, which is no file of this folder", ErrorCode.INVALID_NAME
        )
    if not places:
        raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
    return places


def rename_symbol(index: ProjectIndex, symbol: Symbol, new_name: str) -> list[FileOccurrence]:
    """Return the occurrences to change for a new name; raises GameError if the new name is taken or invalid."""
    places = find_renameable(index, symbol)
    if not _NAME.fullmatch(new_name) or new_name == "not":
        raise GameError(
            f"'{new_name[:40]}' is no name: a small letter first, then letters, digits and _", ErrorCode.INVALID_NAME
        )
    if any(entry.name == new_name for entry in load_vocabulary()):
        raise GameError(f"'{new_name}' is a predicate of the engine", ErrorCode.INVALID_NAME)
    mine = {(id(place.source_file), place.occurrence.start) for place in places}
    taken = [
        each
        for each in index.occurrences_by_name.get(new_name, ())
        if (id(each.source_file), each.occurrence.start) not in mine
    ]
    if taken:
        raise GameError(f"'{new_name}' has a meaning already: {taken[0]}", ErrorCode.INVALID_NAME)
    return places


PROSE_FIELDS, CARD_FIELDS = (
    ("why", "error", "profile"),
    ("hand", "to_beat", "trick", "cards", "before", "points", "number"),
)
"""Fields of cases that hold no names: what people read, and what cards are written as."""


def rename_in_cases(text: str, name: str, new: str) -> str:
    """The lines of ``cases.jsonl`` with a name changed, where labels, options and what is remembered go by it.

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
        return line  # the check of the cases says what is wrong with it
    told = _rename_in_value(value, word, new)
    return line if told == value else json.dumps(told, ensure_ascii=False) + line[len(line.rstrip("\r\n")) :]


def _rename_in_value(value: Any, word: re.Pattern[str], new: str) -> Any:
    if isinstance(value, str):
        return word.sub(new, value)
    if isinstance(value, list):
        return [_rename_in_value(each, word, new) for each in value]
    if not isinstance(value, dict):
        return value
    kept = (*PROSE_FIELDS, *CARD_FIELDS)
    return {
        word.sub(new, key): each if key in kept else _rename_in_value(each, word, new) for key, each in value.items()
    }  # fmt: skip
