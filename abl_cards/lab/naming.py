"""A predicate or a constant gets another name, wherever it stands in a folder of one's own."""

from __future__ import annotations

import json
import re
from typing import Any

from abl_cards.errors import GameError
from abl_cards.lab.book import Book, Place, Symbol
from abl_cards.lab.reference import vocabulary
from abl_cards.selftest.cases import FILE as CASES

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


def renameable(book: Book, symbol: Symbol) -> list[Place]:
    """Where a name would change; raises GameError where it is not only the folder's to give."""
    if symbol.arity is not None and any(entry == tuple(symbol) for entry in vocabulary()):
        raise GameError(f"'{symbol}' is a word of the engine's: its name has a meaning")
    places = book.references(symbol)
    others = [place for place in places if not book.owns(place.page)]
    if others:
        raise GameError(f"'{symbol}' stands in {others[0]} too, which is no file of this folder")
    if not places:
        raise GameError("there is nothing to rename here")
    return places


def rename(book: Book, symbol: Symbol, name: str) -> list[Place]:
    """Where the name changes to this one; raises GameError where that would mean something else."""
    places = renameable(book, symbol)
    if not _NAME.fullmatch(name) or name == "not":
        raise GameError(f"'{name[:40]}' is no name: a small letter first, then letters, digits and _")
    if any(entry.name == name for entry in vocabulary()):
        raise GameError(f"'{name}' is a word of the engine's")
    mine = {(id(place.page), place.mention.start) for place in places}
    taken = [each for each in book.places.get(name, ()) if (id(each.page), each.mention.start) not in mine]
    if taken:
        raise GameError(f"'{name}' has a meaning already: {taken[0]}")
    return places


PROSE, CARDS = ("why", "error", "profile"), ("hand", "to_beat", "trick", "cards", "before", "points", "number")
"""Fields of cases that hold no names: what people read, and what cards are written as."""
__all__ = ["CASES", "in_cases", "rename", "renameable"]


def in_cases(text: str, name: str, new: str) -> str:
    """The lines of ``cases.jsonl`` with a name changed, where labels, options and what is remembered go by it.

    >>> in_cases('{"why": "a set", "labels": ["set(5,1)"], "state": {"hand": ["S5"]}}', "set", "group")
    '{"why": "a set", "labels": ["group(5,1)"], "state": {"hand": ["S5"]}}'
    """
    word = re.compile(rf"(?<![\w']){re.escape(name)}(?![\w'])")
    return "".join(_changed(line, word, new) for line in text.splitlines(keepends=True))


def _changed(line: str, word: re.Pattern[str], new: str) -> str:
    if not word.search(line):
        return line
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line  # the check of the cases says what is wrong with it
    told = _renamed(value, word, new)
    return line if told == value else json.dumps(told, ensure_ascii=False) + line[len(line.rstrip("\r\n")) :]


def _renamed(value: Any, word: re.Pattern[str], new: str) -> Any:
    if isinstance(value, str):
        return word.sub(new, value)
    if isinstance(value, list):
        return [_renamed(each, word, new) for each in value]
    if not isinstance(value, dict):
        return value
    kept = (*PROSE, *CARDS)
    return {
        word.sub(new, key): each if key in kept else _renamed(each, word, new) for key, each in value.items()
    }  # fmt: skip
