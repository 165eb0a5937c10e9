"""Arrays and kernels that play tables on in one compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.rollouts.applicability import can_roll_out, check_rollouts_applicable
    from abl_cards.games.rollouts.card_sets import CardSets, find_card_sets
    from abl_cards.games.rollouts.kernels import (
        HeldSets,
        Turns,
        drop_stopped_turns,
        find_cheapest_sets,
        list_all_sets,
        list_playable_labels,
        new_held_sets,
        new_turns,
        play_card_sets,
        remove_card_set,
        update_turns,
    )
    from abl_cards.games.rollouts.position_kernels import (
        PositionCounts,
        count_table_cards,
        list_count_changes,
        list_counts,
        list_seat_inputs,
        new_position_counts,
    )
    from abl_cards.games.rollouts.positions import PositionShape, position_inputs, position_shape
    from abl_cards.games.rollouts.rule_arrays import EpisodeRules, episode_rules

__all__ = [
    "CardSets",
    "EpisodeRules",
    "HeldSets",
    "PositionCounts",
    "PositionShape",
    "Turns",
    "can_roll_out",
    "check_rollouts_applicable",
    "count_table_cards",
    "drop_stopped_turns",
    "episode_rules",
    "find_card_sets",
    "find_cheapest_sets",
    "list_all_sets",
    "list_count_changes",
    "list_counts",
    "list_playable_labels",
    "list_seat_inputs",
    "new_held_sets",
    "new_position_counts",
    "new_turns",
    "play_card_sets",
    "position_inputs",
    "position_shape",
    "remove_card_set",
    "update_turns",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
