"""Language server: protocol requests, answered by ``abl_cards.rulelab.editor``.

Every message is answered or rejected with a reason in one line; only the editor ends the server.
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
from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor import (
    DEFINING_ROLES,
    DIRECTIVE,
    MAX_COMPLETIONS,
    PREDICATE,
    VALUE,
    VARIABLE,
    ProjectIndex,
    SourceFile,
    Suggestion,
    Symbol,
    editor_time_limit,
    find_renameable,
    hover_text,
    rename_symbol,
    suggest_completions,
)
from abl_cards.rulelab.lsp import frames
from abl_cards.rulelab.lsp.diagnostics import DiagnosticsPublisher
from abl_cards.rulelab.lsp.frames import FrameReader
from abl_cards.rulelab.lsp.workspace import LspWorkspace, path_from_uri

REQUEST_FAILED = -32803
_COMPLETION_KINDS = {
    PREDICATE: types.CompletionItemKind.Function,
    VALUE: types.CompletionItemKind.Constant,
    VARIABLE: types.CompletionItemKind.Variable,
    DIRECTIVE: types.CompletionItemKind.Keyword,
}

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])


def _report_errors(handler: HandlerT) -> HandlerT:
    """Report errors of a handler to the editor in one line."""

    @functools.wraps(handler)
    def answer(*arguments: Any) -> Any:
        try:
            with editor_time_limit():
                return handler(*arguments)
        except (GameError, KBError, OSError) as problem:
            raise JsonRpcException(str(problem).splitlines()[0][:400], REQUEST_FAILED) from None
        except (RecursionError, ValueError, IndexError, TypeError) as problem:
            raise JsonRpcException(f"this cannot be answered ({type(problem).__name__})", REQUEST_FAILED) from None

    return answer  # type: ignore[return-value]


class _SafeProtocol(LanguageServerProtocol):
    """Every request has an answer, those with parameters of another shape as well."""

    def structure_message(self, data: Any) -> Any:
        """Leave a JSON object as it is: those within a message pass here too."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer a message, or refuse what is none."""
        said = message if isinstance(message, dict) else {}
        number, method = said.get("id"), said.get("method")
        if frames.REFUSED_KEY in said:
            self._refuse(None, *said[frames.REFUSED_KEY])
        elif said.get("jsonrpc") != self.VERSION or not ("id" in said or isinstance(method, str)):
            self._refuse(number, frames.INVALID_REQUEST, 'a message has "jsonrpc": "2.0", and a method or an id')
        elif self._shutdown and "id" in said and "method" in said:
            self._refuse(number, frames.INVALID_REQUEST, "the server is shutting down")
        else:
            self._handle_structured(said)

    def _handle_structured(self, data: dict[str, Any]) -> None:
        try:
            message = super().structure_message(data)
        except JsonRpcException as problem:
            if "method" in data and "id" in data:
                self._refuse(data["id"], problem.code, problem.message)
            return
        super().handle_message(message)

    def _refuse(self, number: Any, code: int, problem: str) -> None:
        known = isinstance(number, (int, str)) and not isinstance(number, bool)
        error = {"code": code, "message": problem}
        self._send_data({"jsonrpc": self.VERSION, "id": number if known else None, "error": error})


def make_server() -> LanguageServer:
    """A server that knows nothing of any editor yet."""
    server = LanguageServer("abl-cards", __version__, protocol_cls=_SafeProtocol)
    desk, checks = LspWorkspace(server), DiagnosticsPublisher(server)
    _register_document_events(server, checks)
    _register_queries(server, desk)
    _register_rename(server, desk)
    return server


def _register_document_events(server: LanguageServer, checks: DiagnosticsPublisher) -> None:
    """Register the handlers of document events."""

    def quietly(uri: str, what: Callable[[Any, Any], None]) -> None:
        try:
            what(path_from_uri(uri), server.workspace.get_text_document(uri).source)
        except (GameError, OSError):  # a document that is none of ours, or gone
            return

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        quietly(params.text_document.uri, checks.on_change)
        quietly(params.text_document.uri, lambda path, _: checks.on_save(path))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        quietly(params.text_document.uri, checks.on_change)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        quietly(params.text_document.uri, lambda path, _: checks.on_save(path))


def _register_queries(server: LanguageServer, workspace: LspWorkspace) -> None:
    def symbol_at(params: Any) -> tuple[ProjectIndex, SourceFile, Symbol | None]:
        book, page = workspace.open_file(params.text_document.uri)
        mention = page.occurrence_at(workspace.offset(page, params.position))
        return book, page, book.resolve_symbol(mention) if mention else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["#", "(", ",", " "]))
    @_report_errors
    def complete(params: types.CompletionParams) -> types.CompletionList:
        book, page = workspace.open_file(params.text_document.uri)
        found = suggest_completions(book, page, workspace.offset(page, params.position))
        return types.CompletionList(len(found) >= MAX_COMPLETIONS, [_to_completion_item(each) for each in found])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @_report_errors
    def hover(params: types.HoverParams) -> types.Hover | None:
        book, _, symbol = symbol_at(params)
        said = hover_text(book, symbol) if symbol else ""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @_report_errors
    def define(params: types.DefinitionParams) -> list[types.Location]:
        book, _, symbol = symbol_at(params)
        return [workspace.to_lsp_location(place) for place in book.definitions(symbol)] if symbol else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @_report_errors
    def refer(params: types.ReferenceParams) -> list[types.Location]:
        book, _, symbol = symbol_at(params)
        places = book.references(symbol) if symbol else []
        with_heads = params.context.include_declaration
        return [
            workspace.to_lsp_location(each)
            for each in places
            if with_heads or each.occurrence.role not in DEFINING_ROLES
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @_report_errors
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        _, page = workspace.open_file(params.text_document.uri)
        first = {each.signature: each for each in reversed(page.occurrences) if each.role in DEFINING_ROLES}
        return [
            types.DocumentSymbol(str(each.signature), types.SymbolKind.Function, where, where)
            for each in sorted(first.values(), key=lambda each: each.start)
            for where in (workspace.to_lsp_range(page, each.start, each.end),)
        ]


def _register_rename(server: LanguageServer, workspace: LspWorkspace) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    @_report_errors
    def prepare(params: types.PrepareRenameParams) -> types.Range:
        book, page = workspace.open_file(params.text_document.uri)
        mention = page.occurrence_at(workspace.offset(page, params.position))
        if mention is None:
            raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
        find_renameable(book, book.resolve_symbol(mention))
        return workspace.to_lsp_range(page, mention.start, mention.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    @_report_errors
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        book, page = workspace.open_file(params.text_document.uri)
        mention = page.occurrence_at(workspace.offset(page, params.position))
        if mention is None:
            raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
        return workspace.to_workspace_edit(
            rename_symbol(book, book.resolve_symbol(mention), params.new_name), params.new_name
        )


def _to_completion_item(offer: Suggestion) -> types.CompletionItem:
    words = types.MarkupContent(types.MarkupKind.Markdown, offer.documentation) if offer.documentation else None
    return types.CompletionItem(
        offer.label,
        kind=_COMPLETION_KINDS[offer.kind],
        detail=offer.detail or None,
        documentation=words,
        insert_text=offer.snippet,
        insert_text_format=types.InsertTextFormat.Snippet,
    )


def serve(incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer until the editor has gone."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # who asked is told; nobody reads tracebacks
    make_server().start_io(FrameReader(incoming), outgoing)  # type: ignore[arg-type]
