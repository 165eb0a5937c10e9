"""``abl-cards lsp``: a language server for rule files."""

from __future__ import annotations

import sys

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(lsp)


def lsp() -> None:
    """Run a language server (LSP) for rule files on stdin and stdout.

    It offers the diagnostics of kb check, completion and hover texts of predicates, definitions across the parents of
    a folder, references and renaming. See docs/how-to/edit-in-your-editor.md.

        pip install 'abl-cards[lsp]'
    """
    from abl_cards.rulelab.lsp import serve

    serve(sys.stdin.buffer, sys.stdout.buffer)
