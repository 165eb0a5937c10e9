"""Play, review and watch in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.web.config import WebConfig, default_state_folder
    from abl_cards.web.lobby import bilingual_title
    from abl_cards.web.server import serve
    from abl_cards.web.spectator_feed import SpectatorFeed

__all__ = [
    "SpectatorFeed",
    "WebConfig",
    "bilingual_title",
    "default_state_folder",
    "serve",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
