"""The language server for rule files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.lsp.server import serve

__all__ = [
    "serve",
]

__getattr__ = lazy_exports(__name__)
