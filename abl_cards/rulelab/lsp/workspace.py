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
    """Return the path of a document; raises GameError for anything but a local rule file."""
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
    except ValueError:
        path = None
    if path is None or not path.endswith(SUFFIX) or "\0" in path:
        raise GameError("only rule files on this machine are read: file:…lp", ErrorCode.NOT_FOUND)
    return Path(path)


def path_to_uri(path: Path) -> str:
    """Return the URI of a file."""
    return from_fs_path(str(path.absolute())) or path.absolute().as_uri()


def to_lsp_position(text: SourceText, line: int, column: int, server: LanguageServer) -> types.Position:
    """Convert a line and a column in characters, both from 0, to the units of the editor."""
    width = server.workspace.position_codec.client_num_units
    return types.Position(max(line, 0), max(text.column_in_units(line, column, width), 0))


class LspWorkspace:
    """Open documents of a server."""

    def __init__(self, server: LanguageServer) -> None:
        """Make the workspace of a server."""
        self._server = server

    def open_index(self, path: Path) -> ProjectIndex:
        """Index the folder of a file, with the unsaved texts of open documents."""
        texts = {}
        for uri, document in self._server.workspace.text_documents.items():
            try:
                texts[path_from_uri(uri).resolve()] = document.source
            except (GameError, OSError):  # not a rule file, or deleted
                continue
        return ProjectIndex(find_rule_folder(path), texts)

    def open_file(self, uri: str) -> tuple[ProjectIndex, SourceFile]:
        """Return a document and the index of its folder; raises GameError."""
        path = path_from_uri(uri)
        index = self.open_index(path)
        source_file = index.find_file(path)
        if source_file is None:
            raise GameError(f"{path.name} is not among the rule files of its folder", ErrorCode.NOT_FOUND)
        return index, source_file

    def offset(self, source_file: SourceFile, position: types.Position) -> int:
        """Return the offset of a cursor in a text."""
        codec = self._server.workspace.position_codec
        decoded = codec.position_from_client_units(
            source_file.text.lines, types.Position(position.line, position.character)
        )
        return source_file.text.offset(decoded.line, decoded.character)

    def to_lsp_range(self, source_file: SourceFile, start: int, end: int) -> types.Range:
        """Convert offsets to a protocol range."""
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
        """Return the edits that rename occurrences, in rule files and test cases."""
        changes: dict[str, list[types.TextEdit]] = {}
        for occurrence in occurrences:
            edit = types.TextEdit(
                self.to_lsp_range(occurrence.source_file, occurrence.occurrence.start, occurrence.occurrence.end),
                new_name,
            )
            changes.setdefault(path_to_uri(occurrence.source_file.path), []).append(edit)
        for path, old in {
            find_rule_folder(occurrence.source_file.path) / CASES_FILE: occurrence.occurrence.name
            for occurrence in occurrences
        }.items():
            if edits := _case_edits(path, old, new_name):
                changes[path_to_uri(path)] = edits
        return types.WorkspaceEdit(changes=changes)


def _case_edits(path: Path, old: str, new: str) -> list[types.TextEdit]:
    """Return the edits of the test cases that contain a renamed symbol."""
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
    """Convert a diagnostic, with lines and character columns from 1, to the protocol."""
    start = to_lsp_position(text, location.line - 1, location.column - 1, server)
    end = to_lsp_position(text, location.end_line - 1, location.end_column - 1, server)
    severity = types.DiagnosticSeverity.Error if is_error(diagnostic) else types.DiagnosticSeverity.Warning
    advice = f" ({diagnostic.remedy})" if diagnostic.remedy else ""
    message, code = f"{diagnostic.message}{advice}", diagnostic.code.value
    return types.Diagnostic(types.Range(start, max(start, end)), message, severity, code=code, source=SOURCE)
