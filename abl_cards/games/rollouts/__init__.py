"""Arrays and kernels that play whole episodes of a game in one compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.rollouts.applicability import can_roll_out, check_rollouts_applicable
    from abl_cards.games.rollouts.card_sets import CardSets, find_card_sets
    from abl_cards.games.rollouts.kernels import (
        find_cheapest_set,
        keep_playable_sets,
        list_all_sets,
        list_playable_labels,
        pack_held_cards,
        play_card_set,
    )
    from abl_cards.games.rollouts.positions import (
        PositionShape,
        count_unplayed,
        list_position_inputs,
        position_inputs,
        position_shape,
    )
    from abl_cards.games.rollouts.rule_arrays import EpisodeRules, episode_rules

__all__ = [
    "CardSets",
    "EpisodeRules",
    "PositionShape",
    "can_roll_out",
    "check_rollouts_applicable",
    "count_unplayed",
    "episode_rules",
    "find_card_sets",
    "find_cheapest_set",
    "keep_playable_sets",
    "list_all_sets",
    "list_playable_labels",
    "list_position_inputs",
    "pack_held_cards",
    "play_card_set",
    "position_inputs",
    "position_shape",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
