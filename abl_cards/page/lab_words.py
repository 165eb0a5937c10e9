"""What the editor of the rules lab asks of names, by the library that the language server uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abl_cards.errors import GameError
from abl_cards.lab import checking, naming, telling, trying
from abl_cards.lab.book import Book, Page, Place
from abl_cards.lab.workbench import Workbench
from abl_cards.page import frames

_FURTHEST = 1 << 30


def _open(bench: Workbench, asked: dict[str, Any]) -> tuple[Book, Page, int]:
    """A file as it is being typed, and where the cursor is; raises GameError."""
    from abl_cards.page.labs import long_text

    name = frames.word(asked, "name")
    book = bench.book({name: long_text(asked, "text")})
    page = book.page(bench.folder / name)
    if page is None:  # a file of the parent's that nobody has written here
        page = Page.of(Path(name), asked["text"])
    return book, page, min(frames.number(asked, "offset", 0, _FURTHEST, 0), len(page.text.text))


def typed_now(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What does not parse."""
    from abl_cards.page.labs import long_text

    name, text = frames.word(asked, "name"), long_text(asked, "text")
    if name == naming.CASES:
        return {"problems": [
            {"line": line, "column": 1, "end_line": line, "end_column": 1, "error": True, "text": said, "remedy": ""}
            for line, said in trying.wrong_lines(text)
        ]}  # fmt: skip
    found = checking.typed(Path(name), text)
    return {
        "problems": [
            {"line": where.line, "column": where.column, "end_line": where.end_line, "end_column": where.end_column,
             "error": True, "text": each.message, "remedy": each.remedy}
            for each in found for where in (checking.anywhere(each, bench.folder),)
        ]
    }  # fmt: skip


def complete(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """How the word before the cursor may go on."""
    book, page, offset = _open(bench, asked)
    begun = page.text.at(offset)
    found = telling.offers(book, page, offset)
    return {
        "from": begun.start if begun and begun.start < offset else offset,
        "offers": [
            {"label": each.label, "kind": each.kind, "snippet": each.snippet, "detail": each.detail,
             "words": each.words}
            for each in found[:100]
        ],
    }  # fmt: skip


def hover(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What a name means."""
    book, page, offset = _open(bench, asked)
    mention = page.at(offset)
    return {"text": telling.hover(book, book.symbol(mention)) if mention else ""}


def define(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """Where a name is declared or derived."""
    book, page, offset = _open(bench, asked)
    mention = page.at(offset)
    places = book.definitions(book.symbol(mention)) if mention else []
    return {"places": [_place(bench, place) for place in places[:50]]}


def _place(bench: Workbench, place: Place) -> dict[str, Any]:
    path, (line, column) = place.page.path, place.page.text.place(place.mention.start)
    own = path.is_relative_to(bench.folder)
    name = path.relative_to(bench.folder).as_posix() if own else path.name
    return {"file": name, "folder": path.parent.name, "line": line + 1, "column": column + 1}


def rename(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """Give a predicate or a constant another name in all files that are written here; they are written."""
    book, page, offset = _open(bench, asked)
    mention, name = page.at(offset), frames.word(asked, "to")
    if mention is None:
        raise GameError("there is nothing to rename here")
    places = naming.rename(book, book.symbol(mention), name)
    for each in {place.page.path: place.page for place in places}.values():
        text, done, parts = each.text.text, 0, list[str]()
        for at in sorted((place.mention for place in places if place.page is each), key=lambda at: at.start):
            parts += [text[done : at.start], name]
            done = at.end
        bench.write(each.path.relative_to(bench.folder).as_posix(), "".join([*parts, text[done:]]))
    return {"changed": sorted({place.page.path.name for place in places}) + _in_cases(bench, mention.name, name)}


def _in_cases(bench: Workbench, old: str, new: str) -> list[str]:
    """The cases that were written here go by the new name as well."""
    if not (bench.folder / naming.CASES).is_file():
        return []
    text = bench.read(naming.CASES)
    told = naming.in_cases(text, old, new)
    if told == text:
        return []
    bench.write(naming.CASES, told)
    return [naming.CASES]
