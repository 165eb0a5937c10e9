"""State of many tables as arrays, and the kernels that update it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.state.state import (
        ASKS,
        CHOICE,
        DRAWING,
        DRAWS,
        EPISODE_OVER,
        LEADS,
        MATCH_OVER,
        NO_SEAT,
        NOT_PLAYING,
        PLAY,
        REDEAL,
        TableState,
        add_points,
        best_sides,
        count_cards,
        deal_cards,
        decode_control,
        empty_state,
        reset_episodes,
    )
    from abl_cards.games.state.turns import (
        EMPTY_PLAY_CODE,
        EPISODE_OVER_BIT,
        NO_NEXT_SEAT,
        SEAT_MASK,
        TRICK_OVER_BIT,
        Strides,
        TurnTable,
        advance_turn,
        advance_turns,
        apply_plays,
        close_episode,
        close_episodes,
        next_turn,
        record_finish,
        turn_entry,
    )

__all__ = [
    "ASKS",
    "CHOICE",
    "DRAWING",
    "DRAWS",
    "EMPTY_PLAY_CODE",
    "EPISODE_OVER",
    "EPISODE_OVER_BIT",
    "LEADS",
    "MATCH_OVER",
    "NOT_PLAYING",
    "NO_NEXT_SEAT",
    "NO_SEAT",
    "PLAY",
    "REDEAL",
    "SEAT_MASK",
    "TRICK_OVER_BIT",
    "Strides",
    "TableState",
    "TurnTable",
    "add_points",
    "advance_turn",
    "advance_turns",
    "apply_plays",
    "best_sides",
    "close_episode",
    "close_episodes",
    "count_cards",
    "deal_cards",
    "decode_control",
    "empty_state",
    "next_turn",
    "record_finish",
    "reset_episodes",
    "turn_entry",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
