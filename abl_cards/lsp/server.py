"""The server: requests of the protocol, answered by ``abl_cards.lab``.

Whatever comes in is answered, or refused in a line that says why; only the editor ends the server.
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
from abl_cards.errors import GameError
from abl_cards.lab import naming, telling
from abl_cards.lab.book import Book, Page, Symbol
from abl_cards.lab.checking import quickly
from abl_cards.lab.mentions import DEFINING
from abl_cards.logic import KBError
from abl_cards.lsp import frames
from abl_cards.lsp.checks import Checks
from abl_cards.lsp.desk import Desk, path_of
from abl_cards.lsp.frames import Frames

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
            with quickly():
                return handler(*arguments)
        except (GameError, KBError, OSError) as problem:
            raise JsonRpcException(str(problem).splitlines()[0][:400], REQUEST_FAILED) from None
        except (RecursionError, ValueError, IndexError, TypeError) as problem:
            raise JsonRpcException(f"this cannot be answered ({type(problem).__name__})", REQUEST_FAILED) from None

    return answer  # type: ignore[return-value]


class _Protocol(LanguageServerProtocol):
    """Every request has an answer, those with parameters of another shape as well."""

    def structure_message(self, data: Any) -> Any:
        """Leave a JSON object as it is: those within a message pass here too."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer a message, or refuse what is none."""
        said = message if isinstance(message, dict) else {}
        number, method = said.get("id"), said.get("method")
        if frames.REFUSED in said:
            self._refuse(None, *said[frames.REFUSED])
        elif said.get("jsonrpc") != self.VERSION or not ("id" in said or isinstance(method, str)):
            self._refuse(number, frames.INVALID_REQUEST, 'a message has "jsonrpc": "2.0", and a method or an id')
        elif self._shutdown and "id" in said and "method" in said:
            self._refuse(number, frames.INVALID_REQUEST, "the server is shutting down")
        else:
            self._handle(said)

    def _handle(self, said: dict[str, Any]) -> None:
        try:
            message = super().structure_message(said)
        except JsonRpcException as problem:
            if "method" in said and "id" in said:
                self._refuse(said["id"], problem.code, problem.message)
            return
        super().handle_message(message)

    def _refuse(self, number: Any, code: int, problem: str) -> None:
        known = isinstance(number, (int, str)) and not isinstance(number, bool)
        error = {"code": code, "message": problem}
        self._send_data({"jsonrpc": self.VERSION, "id": number if known else None, "error": error})


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


def serve(incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer until the editor has gone."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # who asked is told; nobody reads tracebacks
    make_server().start_io(Frames(incoming), outgoing)  # type: ignore[arg-type]
