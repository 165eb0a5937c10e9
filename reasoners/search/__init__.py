"""Exact search: open-hand races and endgames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.search.endgame_deals import solve_deals
    from abl_cards.reasoners.search.endgame_solver import (
        EndgameSolution,
        EndgameUnsolved,
        open_hand_tables,
        solve_endgame,
    )
    from abl_cards.reasoners.search.race_search import RaceMove, RaceSearch, SearchStopped, solve_race
    from abl_cards.reasoners.search.tables import SearchTables

__all__ = [
    "EndgameSolution",
    "EndgameUnsolved",
    "RaceMove",
    "RaceSearch",
    "SearchStopped",
    "SearchTables",
    "open_hand_tables",
    "solve_deals",
    "solve_endgame",
    "solve_race",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
