"""Play, review and watch in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.web.config import WebConfig, default_state_folder
    from abl_cards.web.how_to import how_to_lines, how_to_play
    from abl_cards.web.lesson_tasks import check_lessons
    from abl_cards.web.lesson_text import find_lessons, misnamed_lessons
    from abl_cards.web.lobby import bilingual_title
    from abl_cards.web.marked_text import unmarked_text
    from abl_cards.web.server import serve
    from abl_cards.web.spectator_feed import SpectatorFeed

__all__ = [
    "SpectatorFeed",
    "WebConfig",
    "bilingual_title",
    "check_lessons",
    "default_state_folder",
    "find_lessons",
    "how_to_lines",
    "how_to_play",
    "misnamed_lessons",
    "serve",
    "unmarked_text",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
