"""``abl-cards lsp``: a language server for rule files, for every editor that speaks the protocol."""

from __future__ import annotations

import sys

import typer

from abl_cards.cli.console import fail


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(lsp)


def lsp() -> None:
    """Help editors with rule files: a server of the Language Server Protocol on stdin and stdout.

    What kb check finds, in its line; completion, with what each predicate means; hover; definitions, across
    the parents of a folder; references; renaming. Editors start it: docs/lsp.md says how.

        pip install 'abl-cards[lsp]'
    """
    try:
        from abl_cards.lsp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name not in ("pygls", "lsprotocol"):
            raise
        fail("the language server needs pygls: pip install 'abl-cards[lsp]'")
    serve(sys.stdin.buffer, sys.stdout.buffer)
