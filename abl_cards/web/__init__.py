"""Play, review and watch in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.web.config import WebConfig, default_state_folder
    from abl_cards.web.fluent_texts import fluents_json
    from abl_cards.web.how_to import how_to_play
    from abl_cards.web.how_to_text import how_to_lines
    from abl_cards.web.lesson_tasks import check_lessons
    from abl_cards.web.lesson_text import find_lessons, misnamed_lessons
    from abl_cards.web.marked_text import unmarked_text, with_tens
    from abl_cards.web.offers import bilingual_title
    from abl_cards.web.picture import PictureOptions, TablePicture, picture_of_record, picture_of_state
    from abl_cards.web.server import serve
    from abl_cards.web.spectator_feed import SpectatorFeed
    from abl_cards.web.texts import deck_json, label_text, option_text, rank_text, stage_text

__all__ = [
    "PictureOptions",
    "SpectatorFeed",
    "TablePicture",
    "WebConfig",
    "bilingual_title",
    "check_lessons",
    "deck_json",
    "default_state_folder",
    "find_lessons",
    "fluents_json",
    "how_to_lines",
    "how_to_play",
    "label_text",
    "misnamed_lessons",
    "option_text",
    "picture_of_record",
    "picture_of_state",
    "rank_text",
    "serve",
    "stage_text",
    "unmarked_text",
    "with_tens",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
