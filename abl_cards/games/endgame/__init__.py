"""Endgame positions with open hands, encoded as tables for exact search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.endgame.applicability import (
        check_applicable,
        is_applicable,
        play_obstacles,
        read_fluent_slots,
        subset_obstacles,
    )
    from abl_cards.games.endgame.open_hand_race import OpenHandRace, RaceCombinations, RacePosition
    from abl_cards.games.endgame.outcomes import OutcomeTable
    from abl_cards.games.endgame.packing import pack_moves
    from abl_cards.games.endgame.positions import EndgamePosition, EndgameTables, build_endgame_tables, build_positions
    from abl_cards.games.endgame.race_notation import build_race

__all__ = [
    "EndgamePosition",
    "EndgameTables",
    "OpenHandRace",
    "OutcomeTable",
    "RaceCombinations",
    "RacePosition",
    "build_endgame_tables",
    "build_positions",
    "build_race",
    "check_applicable",
    "is_applicable",
    "pack_moves",
    "play_obstacles",
    "read_fluent_slots",
    "subset_obstacles",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
