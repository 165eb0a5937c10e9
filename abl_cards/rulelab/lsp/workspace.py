"""Open documents of an editor and their rule folders; converts locations to protocol types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from abl_cards.asp import Diagnostic, FileTooLargeError, Limits, Location, NotAFileError, read_regular_file
from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor import (
    FileOccurrence,
    ProjectIndex,
    SourceFile,
    SourceText,
    find_rule_folder,
    is_error,
    rename_in_cases,
)
from abl_cards.rulelab.testing import CASES_FILE

SUFFIX = ".lp"
SOURCE = "abl-cards"


def path_from_uri(uri: str) -> Path:
    """The file of a document; raises GameError for what is none of ours."""
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
    except ValueError:
        path = None
    if path is None or not path.endswith(SUFFIX) or "\0" in path:
        raise GameError("only rule files on this machine are looked at: file:…lp", ErrorCode.NOT_FOUND)
    return Path(path)


def path_to_uri(path: Path) -> str:
    """A file as the protocol names it."""
    return from_fs_path(str(path.absolute())) or path.absolute().as_uri()


def to_lsp_position(text: SourceText, line: int, column: int, server: LanguageServer) -> types.Position:
    """A place in a text, from 0 and in letters, in the units that the editor counts."""
    width = server.workspace.position_codec.client_num_units
    return types.Position(max(line, 0), max(text.column_in_units(line, column, width), 0))


class LspWorkspace:
    """The documents of a server."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is open yet."""
        self._server = server

    def open_index(self, path: Path) -> ProjectIndex:
        """The files that one is read with, what is open as it is typed."""
        texts = {}
        for uri, document in self._server.workspace.text_documents.items():
            try:
                texts[path_from_uri(uri).resolve()] = document.source
            except (GameError, OSError):  # open, and not ours; or not there any more
                continue
        return ProjectIndex(find_rule_folder(path), texts)

    def open_file(self, uri: str) -> tuple[ProjectIndex, SourceFile]:
        """A document with what it is read with; raises GameError."""
        path = path_from_uri(uri)
        book = self.open_index(path)
        page = book.find_file(path)
        if page is None:
            raise GameError(f"{path.name} is not among the rule files of its folder", ErrorCode.NOT_FOUND)
        return book, page

    def offset(self, source_file: SourceFile, position: types.Position) -> int:
        """Return the offset of a cursor in a text."""
        codec = self._server.workspace.position_codec
        found = codec.position_from_client_units(
            source_file.text.lines, types.Position(position.line, position.character)
        )
        return source_file.text.offset(found.line, found.character)

    def to_lsp_range(self, source_file: SourceFile, start: int, end: int) -> types.Range:
        """A stretch of a text."""
        first, last = (
            to_lsp_position(source_file.text, *source_file.text.line_and_column(offset), self._server)
            for offset in (start, end)
        )
        return types.Range(first, last)

    def to_lsp_location(self, occurrence: FileOccurrence) -> types.Location:
        """Convert an occurrence to a protocol location."""
        return types.Location(
            path_to_uri(occurrence.source_file.path),
            self.to_lsp_range(occurrence.source_file, occurrence.occurrence.start, occurrence.occurrence.end),
        )

    def to_workspace_edit(self, occurrences: Sequence[FileOccurrence], new_name: str) -> types.WorkspaceEdit:
        """This name instead."""
        changes: dict[str, list[types.TextEdit]] = {}
        for place in occurrences:
            edit = types.TextEdit(
                self.to_lsp_range(place.source_file, place.occurrence.start, place.occurrence.end), new_name
            )
            changes.setdefault(path_to_uri(place.source_file.path), []).append(edit)
        for path, old in {
            find_rule_folder(place.source_file.path) / CASES_FILE: place.occurrence.name for place in occurrences
        }.items():
            if some := _case_edits(path, old, new_name):
                changes[path_to_uri(path)] = some
        return types.WorkspaceEdit(changes=changes)


def _case_edits(path: Path, old: str, new: str) -> list[types.TextEdit]:
    """The lines of the cases beside some rules that go by the name as well."""
    try:
        text = read_regular_file(path, Limits().file_bytes).decode("utf-8")
    except (OSError, NotAFileError, FileTooLargeError, UnicodeDecodeError):
        return []
    changed = zip(text.splitlines(), rename_in_cases(text, old, new).splitlines(), strict=True)
    return [
        types.TextEdit(types.Range(types.Position(line, 0), types.Position(line + 1, 0)), f"{after}\n")
        for line, (before, after) in enumerate(changed) if before != after
    ]  # fmt: skip


def to_lsp_diagnostic(
    diagnostic: Diagnostic, location: Location, text: SourceText, server: LanguageServer
) -> types.Diagnostic:
    """A diagnostic in the words of the protocol; lines and columns count from 1 in ours, and columns in letters."""
    start = to_lsp_position(text, location.line - 1, location.column - 1, server)
    end = to_lsp_position(text, location.end_line - 1, location.end_column - 1, server)
    severity = types.DiagnosticSeverity.Error if is_error(diagnostic) else types.DiagnosticSeverity.Warning
    advice = f" ({diagnostic.remedy})" if diagnostic.remedy else ""
    message, code = f"{diagnostic.message}{advice}", diagnostic.code.value
    return types.Diagnostic(types.Range(start, max(start, end)), message, severity, code=code, source=SOURCE)
