"""One engine for all folders of rules; no code in it depends on the name of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.compilation import compile_engine, resolve_game, uncached_engine, unchecked_engine
    from abl_cards.games.engine import Engine
    from abl_cards.games.game import Game, game_names, load
    from abl_cards.games.importers import RecordImporter
    from abl_cards.games.validation import check_open_rules

__all__ = [
    "Engine",
    "Game",
    "RecordImporter",
    "check_open_rules",
    "compile_engine",
    "game_names",
    "load",
    "resolve_game",
    "uncached_engine",
    "unchecked_engine",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
