"""Requests of the laboratory's editor about names, answered by the library of the language server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor import (
    FileOccurrence,
    ProjectIndex,
    RuleDraft,
    SourceFile,
    check_file_text,
    display_location,
    find_invalid_lines,
    hover_text,
    rename_in_cases,
    rename_symbol,
    suggest_completions,
)
from abl_cards.rulelab.testing import CASES_FILE
from abl_cards.web import schemas

_MAX_OFFSET = 1 << 30


def _locate_cursor(draft: RuleDraft, request: dict[str, Any]) -> tuple[ProjectIndex, SourceFile, int]:
    """A file as it is being typed, and where the cursor is; raises GameError."""
    from abl_cards.web.labs import get_long_text

    name = schemas.get_text(request, "name")
    book = draft.build_index({name: get_long_text(request, "text")})
    page = book.find_file(draft.folder / name)
    if page is None:  # a file of the parent's that nobody has written here
        page = SourceFile.from_text(Path(name), request["text"])
    return book, page, min(schemas.get_int(request, "offset", 0, _MAX_OFFSET, 0), len(page.text.text))


def check_syntax(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the syntax errors of a text."""
    from abl_cards.web.labs import get_long_text

    name, text = schemas.get_text(request, "name"), get_long_text(request, "text")
    if name == CASES_FILE:
        return {"problems": [
            {"line": line, "column": 1, "end_line": line, "end_column": 1, "error": True, "text": said, "remedy": ""}
            for line, said in find_invalid_lines(text)
        ]}  # fmt: skip
    found = check_file_text(Path(name), text)
    return {
        "problems": [
            {"line": where.line, "column": where.column, "end_line": where.end_line, "end_column": where.end_column,
             "error": True, "text": each.message, "remedy": each.remedy}
            for each in found for where in (display_location(each, draft.folder),)
        ]
    }  # fmt: skip


def complete(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the completions of the word before the cursor."""
    book, page, offset = _locate_cursor(draft, request)
    begun = page.text.token_at(offset)
    found = suggest_completions(book, page, offset)
    return {
        "from": begun.start if begun and begun.start < offset else offset,
        "offers": [
            {"label": each.label, "kind": each.kind, "snippet": each.snippet, "detail": each.detail,
             "words": each.documentation}
            for each in found[:100]
        ],
    }  # fmt: skip


def hover(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the meaning of a name."""
    book, page, offset = _locate_cursor(draft, request)
    mention = page.occurrence_at(offset)
    return {"text": hover_text(book, book.resolve_symbol(mention)) if mention else ""}


def find_definitions(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return where a name is declared or derived."""
    book, page, offset = _locate_cursor(draft, request)
    mention = page.occurrence_at(offset)
    places = book.definitions(book.resolve_symbol(mention)) if mention else []
    return {"places": [_location_json(draft, place) for place in places[:50]]}


def _location_json(draft: RuleDraft, place: FileOccurrence) -> dict[str, Any]:
    path, (line, column) = place.source_file.path, place.source_file.text.line_and_column(place.occurrence.start)
    own = path.is_relative_to(draft.folder)
    name = path.relative_to(draft.folder).as_posix() if own else path.name
    return {"file": name, "folder": path.parent.name, "line": line + 1, "column": column + 1}


def rename(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Give a predicate or a constant another name in all files that are written here; they are written."""
    book, page, offset = _locate_cursor(draft, request)
    mention, name = page.occurrence_at(offset), schemas.get_text(request, "to")
    if mention is None:
        raise GameError("no predicate to rename here", ErrorCode.INVALID_REQUEST)
    places = rename_symbol(book, book.resolve_symbol(mention), name)
    for each in {place.source_file.path: place.source_file for place in places}.values():
        text, done, parts = each.text.text, 0, list[str]()
        for at in sorted((place.occurrence for place in places if place.source_file is each), key=lambda at: at.start):
            parts += [text[done : at.start], name]
            done = at.end
        draft.write(each.path.relative_to(draft.folder).as_posix(), "".join([*parts, text[done:]]))
    return {
        "changed": sorted({place.source_file.path.name for place in places})
        + _rename_in_cases(draft, mention.name, name)
    }


def _rename_in_cases(draft: RuleDraft, old: str, new: str) -> list[str]:
    """The cases that were written here go by the new name as well."""
    if not (draft.folder / CASES_FILE).is_file():
        return []
    text = draft.read(CASES_FILE)
    told = rename_in_cases(text, old, new)
    if told == text:
        return []
    draft.write(CASES_FILE, told)
    return [CASES_FILE]
