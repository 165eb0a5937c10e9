"""Serve tables for other programs, and join remote tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.server.guest import JoinResult, join
    from abl_cards.server.results import ServedResult
    from abl_cards.server.server import GameServer, ServeConfig
    from abl_cards.server.table import ServedTable

__all__ = [
    "GameServer",
    "JoinResult",
    "ServeConfig",
    "ServedResult",
    "ServedTable",
    "join",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
