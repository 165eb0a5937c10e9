"""Language server: handles protocol requests by ``abl_cards.rulelab.editor``.

Every message gets a response or an error of one line; only the editor ends the server.
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
        except (GameError, KBError, OSError) as error:
            raise JsonRpcException(str(error).splitlines()[0][:400], REQUEST_FAILED) from None
        except (RecursionError, ValueError, IndexError, TypeError) as error:
            raise JsonRpcException(f"the request failed ({type(error).__name__})", REQUEST_FAILED) from None

    return answer  # type: ignore[return-value]


class _SafeProtocol(LanguageServerProtocol):
    """Protocol that answers every request, also those with malformed parameters."""

    def structure_message(self, data: Any) -> Any:
        """Return a JSON object unchanged; pygls calls this for objects within messages too."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer a message, or reject an invalid one."""
        fields = message if isinstance(message, dict) else {}
        request_id, method = fields.get("id"), fields.get("method")
        if frames.REFUSED_KEY in fields:
            self._refuse(None, *fields[frames.REFUSED_KEY])
        elif fields.get("jsonrpc") != self.VERSION or not ("id" in fields or isinstance(method, str)):
            self._refuse(request_id, frames.INVALID_REQUEST, 'a message has "jsonrpc": "2.0", and a method or an id')
        elif self._shutdown and "id" in fields and "method" in fields:
            self._refuse(request_id, frames.INVALID_REQUEST, "the server is shutting down")
        else:
            self._handle_structured(fields)

    def _handle_structured(self, data: dict[str, Any]) -> None:
        try:
            message = super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and "id" in data:
                self._refuse(data["id"], error.code, error.message)
            return
        super().handle_message(message)

    def _refuse(self, request_id: Any, code: int, text: str) -> None:
        is_valid_id = isinstance(request_id, (int, str)) and not isinstance(request_id, bool)
        error = {"code": code, "message": text}
        self._send_data({"jsonrpc": self.VERSION, "id": request_id if is_valid_id else None, "error": error})


def make_server() -> LanguageServer:
    """Make a server with its handlers."""
    server = LanguageServer("abl-cards", __version__, protocol_cls=_SafeProtocol)
    workspace, publisher = LspWorkspace(server), DiagnosticsPublisher(server)
    _register_document_events(server, publisher)
    _register_queries(server, workspace)
    _register_rename(server, workspace)
    return server


def _register_document_events(server: LanguageServer, checks: DiagnosticsPublisher) -> None:
    """Register the handlers of document events."""

    def handle_document(uri: str, action: Callable[[Any, Any], None]) -> None:
        try:
            action(path_from_uri(uri), server.workspace.get_text_document(uri).source)
        except (GameError, OSError):  # not a rule file, or closed
            return

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        handle_document(params.text_document.uri, checks.on_change)
        handle_document(params.text_document.uri, lambda path, _: checks.on_save(path))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        handle_document(params.text_document.uri, checks.on_change)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        handle_document(params.text_document.uri, lambda path, _: checks.on_save(path))


def _register_queries(server: LanguageServer, workspace: LspWorkspace) -> None:
    def symbol_at(params: Any) -> tuple[ProjectIndex, SourceFile, Symbol | None]:
        index, source_file = workspace.open_file(params.text_document.uri)
        occurrence = source_file.occurrence_at(workspace.offset(source_file, params.position))
        return index, source_file, index.resolve_symbol(occurrence) if occurrence else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["#", "(", ",", " "]))
    @_report_errors
    def complete(params: types.CompletionParams) -> types.CompletionList:
        index, source_file = workspace.open_file(params.text_document.uri)
        suggestions = suggest_completions(index, source_file, workspace.offset(source_file, params.position))
        return types.CompletionList(
            len(suggestions) >= MAX_COMPLETIONS, [_to_completion_item(suggestion) for suggestion in suggestions]
        )

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @_report_errors
    def hover(params: types.HoverParams) -> types.Hover | None:
        index, _, symbol = symbol_at(params)
        text = hover_text(index, symbol) if symbol else ""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @_report_errors
    def define(params: types.DefinitionParams) -> list[types.Location]:
        index, _, symbol = symbol_at(params)
        return [workspace.to_lsp_location(occurrence) for occurrence in index.definitions(symbol)] if symbol else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @_report_errors
    def refer(params: types.ReferenceParams) -> list[types.Location]:
        index, _, symbol = symbol_at(params)
        occurrences = index.references(symbol) if symbol else []
        with_definitions = params.context.include_declaration
        return [
            workspace.to_lsp_location(occurrence)
            for occurrence in occurrences
            if with_definitions or occurrence.occurrence.role not in DEFINING_ROLES
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @_report_errors
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        _, source_file = workspace.open_file(params.text_document.uri)
        first_definitions = {
            occurrence.signature: occurrence
            for occurrence in reversed(source_file.occurrences)
            if occurrence.role in DEFINING_ROLES
        }
        return [
            types.DocumentSymbol(str(occurrence.signature), types.SymbolKind.Function, location, location)
            for occurrence in sorted(first_definitions.values(), key=lambda occurrence: occurrence.start)
            for location in (workspace.to_lsp_range(source_file, occurrence.start, occurrence.end),)
        ]


def _register_rename(server: LanguageServer, workspace: LspWorkspace) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    @_report_errors
    def prepare(params: types.PrepareRenameParams) -> types.Range:
        index, source_file = workspace.open_file(params.text_document.uri)
        occurrence = source_file.occurrence_at(workspace.offset(source_file, params.position))
        if occurrence is None:
            raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
        find_renameable(index, index.resolve_symbol(occurrence))
        return workspace.to_lsp_range(source_file, occurrence.start, occurrence.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    @_report_errors
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        index, source_file = workspace.open_file(params.text_document.uri)
        occurrence = source_file.occurrence_at(workspace.offset(source_file, params.position))
        if occurrence is None:
            raise GameError("no predicate to rename here", ErrorCode.NOT_FOUND)
        return workspace.to_workspace_edit(
            rename_symbol(index, index.resolve_symbol(occurrence), params.new_name), params.new_name
        )


def _to_completion_item(suggestion: Suggestion) -> types.CompletionItem:
    documentation = (
        types.MarkupContent(types.MarkupKind.Markdown, suggestion.documentation) if suggestion.documentation else None
    )
    return types.CompletionItem(
        suggestion.label,
        kind=_COMPLETION_KINDS[suggestion.kind],
        detail=suggestion.detail or None,
        documentation=documentation,
        insert_text=suggestion.snippet,
        insert_text_format=types.InsertTextFormat.Snippet,
    )


def serve(incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Serve one editor until it closes the stream.

    Args:
        incoming: Stream of requests.
        outgoing: Stream of responses.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # errors are part of the responses
    make_server().start_io(FrameReader(incoming), outgoing)  # type: ignore[arg-type]
