"""``abl-cards lsp``: a language server for rule files, for every editor that speaks the protocol."""

from __future__ import annotations

import sys

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(lsp)


def lsp() -> None:
    """Help editors with rule files: a server of the Language Server Protocol on stdin and stdout.

    What kb check finds, in its line; completion, with what each predicate means; hover; definitions, across
    the parents of a folder; references; renaming. Editors start it: docs/how-to/edit-in-your-editor.md says how.

        pip install 'abl-cards[lsp]'
    """
    from abl_cards.rulelab.lsp import serve

    serve(sys.stdin.buffer, sys.stdout.buffer)
