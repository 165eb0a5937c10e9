"""A predicate or a constant gets another name, wherever it stands in a folder of one's own."""

from __future__ import annotations

import re

from abl_cards.games.game import GameError
from abl_cards.lab.book import Book, Place, Symbol
from abl_cards.lab.reference import vocabulary

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
    taken = [place for place in book.places.get(name, ()) if place not in places]
    if taken:
        raise GameError(f"'{name}' has a meaning already: {taken[0]}")
    return places
