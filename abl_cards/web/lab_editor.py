"""Requests of the laboratory's editor, answered by the library of the language server."""

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
from abl_cards.web.limits import MAX_BODY_BYTES

_MAX_OFFSET = 1 << 30


def _locate_cursor(draft: RuleDraft, request: dict[str, Any]) -> tuple[ProjectIndex, SourceFile, int]:
    """Return the index, the unsaved file and the offset of the cursor; raises GameError."""
    name = schemas.get_text(request, "name")
    index = draft.build_index({name: schemas.get_text(request, "text", max_length=MAX_BODY_BYTES)})
    source_file = index.find_file(draft.folder / name)
    if source_file is None:  # a parent's file that is not in the draft
        source_file = SourceFile.from_text(Path(name), request["text"])
    return index, source_file, min(schemas.get_int(request, "offset", 0, _MAX_OFFSET, 0), len(source_file.text.text))


def check_syntax(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the syntax errors of a text."""
    name, text = schemas.get_text(request, "name"), schemas.get_text(request, "text", max_length=MAX_BODY_BYTES)
    if name == CASES_FILE:
        return {"problems": [
            {"line": line, "column": 1, "end_line": line, "end_column": 1, "error": True, "text": message, "remedy": ""}
            for line, message in find_invalid_lines(text)
        ]}  # fmt: skip
    problems = check_file_text(Path(name), text)
    return {
        "problems": [
            {"line": location.line, "column": location.column, "end_line": location.end_line,
             "end_column": location.end_column, "error": True, "text": problem.message, "remedy": problem.remedy}
            for problem in problems for location in (display_location(problem, draft.folder),)
        ]
    }  # fmt: skip


def complete(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the completions of the word before the cursor."""
    index, source_file, offset = _locate_cursor(draft, request)
    token = source_file.text.token_at(offset)
    suggestions = suggest_completions(index, source_file, offset)
    return {
        "from": token.start if token and token.start < offset else offset,
        "offers": [
            {"label": suggestion.label, "kind": suggestion.kind, "snippet": suggestion.snippet,
             "detail": suggestion.detail, "words": suggestion.documentation}
            for suggestion in suggestions[:100]
        ],
    }  # fmt: skip


def hover(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the meaning of a name."""
    index, source_file, offset = _locate_cursor(draft, request)
    occurrence = source_file.occurrence_at(offset)
    return {"text": hover_text(index, index.resolve_symbol(occurrence)) if occurrence else ""}


def find_definitions(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return where a name is declared or derived."""
    index, source_file, offset = _locate_cursor(draft, request)
    occurrence = source_file.occurrence_at(offset)
    definitions = index.definitions(index.resolve_symbol(occurrence)) if occurrence else []
    return {"places": [_location_json(draft, definition) for definition in definitions[:50]]}


def _location_json(draft: RuleDraft, occurrence: FileOccurrence) -> dict[str, Any]:
    path, (line, column) = (
        occurrence.source_file.path,
        occurrence.source_file.text.line_and_column(occurrence.occurrence.start),
    )
    is_own = path.is_relative_to(draft.folder)
    name = path.relative_to(draft.folder).as_posix() if is_own else path.name
    return {"file": name, "folder": path.parent.name, "line": line + 1, "column": column + 1}


def rename(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Rename a predicate or a constant in all files of the draft."""
    index, source_file, offset = _locate_cursor(draft, request)
    occurrence, name = source_file.occurrence_at(offset), schemas.get_text(request, "to")
    if occurrence is None:
        raise GameError("no predicate to rename here", ErrorCode.INVALID_REQUEST)
    occurrences = rename_symbol(index, index.resolve_symbol(occurrence), name)
    for file in {item.source_file.path: item.source_file for item in occurrences}.values():
        text, end, parts = file.text.text, 0, list[str]()
        for file_occurrence in sorted(
            (item.occurrence for item in occurrences if item.source_file is file),
            key=lambda file_occurrence: file_occurrence.start,
        ):
            parts += [text[end : file_occurrence.start], name]
            end = file_occurrence.end
        draft.write(file.path.relative_to(draft.folder).as_posix(), "".join([*parts, text[end:]]))
    return {
        "changed": sorted({item.source_file.path.name for item in occurrences})
        + _rename_in_cases(draft, occurrence.name, name)
    }


def _rename_in_cases(draft: RuleDraft, old: str, new: str) -> list[str]:
    """Rename a symbol in the test cases of the draft; return the names of changed files."""
    if not (draft.folder / CASES_FILE).is_file():
        return []
    text = draft.read(CASES_FILE)
    renamed = rename_in_cases(text, old, new)
    if renamed == text:
        return []
    draft.write(CASES_FILE, renamed)
    return [CASES_FILE]
