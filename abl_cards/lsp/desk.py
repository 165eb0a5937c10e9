"""What an editor has open, and the folders that it belongs to; places in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from abl_cards.errors import GameError
from abl_cards.lab.book import Book, Page, Place, folder_of
from abl_cards.lab.checking import is_error
from abl_cards.lab.naming import CASES, in_cases
from abl_cards.lab.tokens import Text
from abl_cards.logic import Diagnostic, Limits, Location
from abl_cards.logic.files import NotAFile, TooLarge, read_regular

SUFFIX = ".lp"
SOURCE = "abl-cards"


def path_of(uri: str) -> Path:
    """The file of a document; raises GameError for what is none of ours."""
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
    except ValueError:
        path = None
    if path is None or not path.endswith(SUFFIX) or "\0" in path:
        raise GameError("only rule files on this machine are looked at: file:…lp")
    return Path(path)


def uri_of(path: Path) -> str:
    """A file as the protocol names it."""
    return from_fs_path(str(path.absolute())) or path.absolute().as_uri()


def position(text: Text, line: int, column: int, server: LanguageServer) -> types.Position:
    """A place in a text, from 0 and in letters, in the units that the editor counts."""
    width = server.workspace.position_codec.client_num_units
    return types.Position(max(line, 0), max(text.units(line, column, width), 0))


class Desk:
    """The documents of a server."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is open yet."""
        self._server = server

    def book(self, path: Path) -> Book:
        """The files that one is read with, what is open as it is typed."""
        texts = {}
        for uri, document in self._server.workspace.text_documents.items():
            try:
                texts[path_of(uri).resolve()] = document.source
            except (GameError, OSError):  # open, and not ours; or not there any more
                continue
        return Book(folder_of(path), texts)

    def page(self, uri: str) -> tuple[Book, Page]:
        """A document with what it is read with; raises GameError."""
        path = path_of(uri)
        book = self.book(path)
        page = book.page(path)
        if page is None:
            raise GameError(f"{path.name} is not among the rule files of its folder")
        return book, page

    def offset(self, page: Page, position: types.Position) -> int:
        """Where a cursor stands in a text."""
        codec = self._server.workspace.position_codec
        found = codec.position_from_client_units(page.text.lines, types.Position(position.line, position.character))
        return page.text.offset(found.line, found.character)

    def range(self, page: Page, start: int, end: int) -> types.Range:
        """A stretch of a text."""
        first, last = (position(page.text, *page.text.place(offset), self._server) for offset in (start, end))
        return types.Range(first, last)

    def location(self, place: Place) -> types.Location:
        """Where something is said."""
        return types.Location(uri_of(place.page.path), self.range(place.page, place.mention.start, place.mention.end))

    def edits(self, places: Sequence[Place], name: str) -> types.WorkspaceEdit:
        """This name instead."""
        changes: dict[str, list[types.TextEdit]] = {}
        for place in places:
            edit = types.TextEdit(self.range(place.page, place.mention.start, place.mention.end), name)
            changes.setdefault(uri_of(place.page.path), []).append(edit)
        for path, old in {folder_of(place.page.path) / CASES: place.mention.name for place in places}.items():
            if some := _in_cases(path, old, name):
                changes[uri_of(path)] = some
        return types.WorkspaceEdit(changes=changes)


def _in_cases(path: Path, old: str, new: str) -> list[types.TextEdit]:
    """The lines of the cases beside some rules that go by the name as well."""
    try:
        text = read_regular(path, Limits().file_bytes).decode("utf-8")
    except (OSError, NotAFile, TooLarge, UnicodeDecodeError):
        return []
    changed = zip(text.splitlines(), in_cases(text, old, new).splitlines(), strict=True)
    return [
        types.TextEdit(types.Range(types.Position(line, 0), types.Position(line + 1, 0)), f"{after}\n")
        for line, (before, after) in enumerate(changed) if before != after
    ]  # fmt: skip


def told(problem: Diagnostic, location: Location, text: Text, server: LanguageServer) -> types.Diagnostic:
    """A diagnostic in the words of the protocol; lines and columns count from 1 in ours, and columns in letters."""
    start = position(text, location.line - 1, location.column - 1, server)
    end = position(text, location.end_line - 1, location.end_column - 1, server)
    severity = types.DiagnosticSeverity.Error if is_error(problem) else types.DiagnosticSeverity.Warning
    advice = f" ({problem.remedy})" if problem.remedy else ""
    return types.Diagnostic(types.Range(start, max(start, end)), f"{problem.message}{advice}", severity, source=SOURCE)
