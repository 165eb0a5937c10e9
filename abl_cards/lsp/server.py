"""The server: requests of the protocol, answered by ``abl_cards.lab``.

Whatever is asked, the answer is the answer or one line that says why not; no request ends the server, but for one that
is longer than any file may be.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import IO, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from abl_cards import __version__
from abl_cards.games import GameError
from abl_cards.lab import naming, telling
from abl_cards.lab.book import Book, Page, Symbol
from abl_cards.lab.mentions import DEFINING
from abl_cards.logic import KBError
from abl_cards.lsp.checks import Checks
from abl_cards.lsp.desk import Desk, path_of

LONGEST_MESSAGE = 32 << 20
"""Bytes; whoever sends more is no editor."""
REQUEST_FAILED = -32803
_KINDS = {
    telling.PREDICATE: types.CompletionItemKind.Function,
    telling.VALUE: types.CompletionItemKind.Constant,
    telling.VARIABLE: types.CompletionItemKind.Variable,
    telling.DIRECTIVE: types.CompletionItemKind.Keyword,
}

F = TypeVar("F", bound=Callable[..., Any])


def _safely(handler: F) -> F:
    """What goes wrong is told in a line."""

    @functools.wraps(handler)
    def answer(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        except (GameError, KBError, OSError) as problem:
            raise JsonRpcException(str(problem).splitlines()[0][:400], REQUEST_FAILED) from None
        except (RecursionError, ValueError, IndexError, TypeError) as problem:
            raise JsonRpcException(f"this cannot be answered ({type(problem).__name__})", REQUEST_FAILED) from None

    return answer  # type: ignore[return-value]


class _Protocol(LanguageServerProtocol):
    """Every request has an answer, those with parameters of another shape as well."""

    def structure_message(self, data: Any) -> Any:
        """Read a message; it may be anything."""
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            number = data.get("id")
            if "method" in data and isinstance(number, (int, str)):
                self._send_response(number, error=problem.to_response_error())
            raise


def make_server() -> LanguageServer:
    """A server that knows nothing of any editor yet."""
    server = LanguageServer("abl-cards", __version__, protocol_cls=_Protocol)
    desk, checks = Desk(server), Checks(server)
    _hear(server, checks)
    _look_up(server, desk)
    _change(server, desk)
    return server


def _hear(server: LanguageServer, checks: Checks) -> None:
    """What the editor does with its files."""

    def quietly(uri: str, what: Callable[[Any, Any], None]) -> None:
        try:
            what(path_of(uri), server.workspace.get_text_document(uri).source)
        except (GameError, OSError):  # a document that is none of ours, or gone
            return

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        quietly(params.text_document.uri, checks.typed)
        quietly(params.text_document.uri, lambda path, _: checks.saved(path))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        quietly(params.text_document.uri, checks.typed)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        quietly(params.text_document.uri, lambda path, _: checks.saved(path))


def _look_up(server: LanguageServer, desk: Desk) -> None:
    def symbol_at(params: Any) -> tuple[Book, Page, Symbol | None]:
        book, page = desk.page(params.text_document.uri)
        mention = page.at(desk.offset(page, params.position))
        return book, page, book.symbol(mention) if mention else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["#", "(", ",", " "]))
    @_safely
    def complete(params: types.CompletionParams) -> types.CompletionList:
        book, page = desk.page(params.text_document.uri)
        found = telling.offers(book, page, desk.offset(page, params.position))
        return types.CompletionList(len(found) >= telling.MOST_OFFERS, [_item(each) for each in found])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @_safely
    def hover(params: types.HoverParams) -> types.Hover | None:
        book, _, symbol = symbol_at(params)
        said = telling.hover(book, symbol) if symbol else ""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @_safely
    def define(params: types.DefinitionParams) -> list[types.Location]:
        book, _, symbol = symbol_at(params)
        return [desk.location(place) for place in book.definitions(symbol)] if symbol else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @_safely
    def refer(params: types.ReferenceParams) -> list[types.Location]:
        book, _, symbol = symbol_at(params)
        places = book.references(symbol) if symbol else []
        with_heads = params.context.include_declaration
        return [desk.location(each) for each in places if with_heads or each.mention.role not in DEFINING]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @_safely
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        _, page = desk.page(params.text_document.uri)
        first = {each.signature: each for each in reversed(page.mentions) if each.role in DEFINING}
        return [
            types.DocumentSymbol(str(each.signature), types.SymbolKind.Function, where, where)
            for each in sorted(first.values(), key=lambda each: each.start)
            for where in (desk.range(page, each.start, each.end),)
        ]


def _change(server: LanguageServer, desk: Desk) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    @_safely
    def prepare(params: types.PrepareRenameParams) -> types.Range:
        book, page = desk.page(params.text_document.uri)
        mention = page.at(desk.offset(page, params.position))
        if mention is None:
            raise GameError("there is nothing to rename here")
        naming.renameable(book, book.symbol(mention))
        return desk.range(page, mention.start, mention.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    @_safely
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        book, page = desk.page(params.text_document.uri)
        mention = page.at(desk.offset(page, params.position))
        if mention is None:
            raise GameError("there is nothing to rename here")
        return desk.edits(naming.rename(book, book.symbol(mention), params.new_name), params.new_name)


def _item(offer: telling.Offer) -> types.CompletionItem:
    words = types.MarkupContent(types.MarkupKind.Markdown, offer.words) if offer.words else None
    return types.CompletionItem(
        offer.label,
        kind=_KINDS[offer.kind],
        detail=offer.detail or None,
        documentation=words,
        insert_text=offer.snippet,
        insert_text_format=types.InsertTextFormat.Snippet,
    )


class Bounded:
    """What comes in, no more of it at once than a message may have."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Read from this."""
        self._stream = stream

    def readline(self) -> bytes:
        """A line of a header."""
        return self._stream.readline(1 << 12)

    def read(self, size: int) -> bytes:
        """A message; raises OSError for one that is too long."""
        if not 0 <= size <= LONGEST_MESSAGE:
            raise OSError(f"a message of {size} bytes: that is none of an editor")
        return self._stream.read(size)


def serve(incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer until the editor has gone; raises OSError where what comes in is no protocol."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # who asked is told; nobody reads tracebacks
    make_server().start_io(Bounded(incoming), outgoing)  # type: ignore[arg-type]
