"""Vectorised tables: decisions, choices, events, tricks, and the information and observations of seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.tables.choices import NO_FORM, Choices
    from abl_cards.games.tables.decision_point import Action, DecisionPoint, is_play_decision
    from abl_cards.games.tables.decisions import Decisions
    from abl_cards.games.tables.events import EventRules
    from abl_cards.games.tables.fluent_updates import CHOICE_EVENT, apply_fluent_updates
    from abl_cards.games.tables.hand_limits import can_hold, check_countable, hands_vary_in_play, largest_hand
    from abl_cards.games.tables.history import HISTORY_ACTS, PastActs
    from abl_cards.games.tables.initial_fluents import check_initial_fluents, initial_fluent_state, list_initial_fluents
    from abl_cards.games.tables.knowledge import (
        LOG_ODDS_SCALE,
        BeliefModel,
        check_beliefs,
        evaluate_beliefs,
        find_belief_cells,
        get_belief_model,
        list_beliefs,
    )
    from abl_cards.games.tables.listeners import (
        Listener,
        ListenerList,
        NullListener,
        Recorder,
        RetractionListener,
    )
    from abl_cards.games.tables.observation_fluents import FluentColumns, fluent_columns
    from abl_cards.games.tables.observations import build_feature_table, observe
    from abl_cards.games.tables.planes import CardPlanes, build_planes, raise_no_planes
    from abl_cards.games.tables.play_stats import record_acts
    from abl_cards.games.tables.random_fluents import find_max_declared, sample_fluents
    from abl_cards.games.tables.response_masks import compute_lead_mask, compute_response_mask
    from abl_cards.games.tables.retraction import write_card_rows
    from abl_cards.games.tables.stock import card_drawn, cards_in_stock
    from abl_cards.games.tables.tables import DealtEpisodes, FixedDeals, Tables
    from abl_cards.games.tables.tricks import (
        apply_trick_plays,
        clear_tricks,
        find_ambiguous_tricks,
        settle_tricks,
        takes_trick,
        tricks_after_moves,
    )
    from abl_cards.games.tables.view import PlayerView

__all__ = [
    "CHOICE_EVENT",
    "HISTORY_ACTS",
    "LOG_ODDS_SCALE",
    "NO_FORM",
    "Action",
    "BeliefModel",
    "CardPlanes",
    "Choices",
    "DealtEpisodes",
    "DecisionPoint",
    "Decisions",
    "EventRules",
    "FixedDeals",
    "FluentColumns",
    "Listener",
    "ListenerList",
    "NullListener",
    "PastActs",
    "PlayerView",
    "Recorder",
    "RetractionListener",
    "Tables",
    "apply_fluent_updates",
    "apply_trick_plays",
    "build_feature_table",
    "build_planes",
    "can_hold",
    "card_drawn",
    "cards_in_stock",
    "check_beliefs",
    "check_countable",
    "check_initial_fluents",
    "clear_tricks",
    "compute_lead_mask",
    "compute_response_mask",
    "evaluate_beliefs",
    "find_ambiguous_tricks",
    "find_belief_cells",
    "find_max_declared",
    "fluent_columns",
    "get_belief_model",
    "hands_vary_in_play",
    "initial_fluent_state",
    "is_play_decision",
    "largest_hand",
    "list_beliefs",
    "list_initial_fluents",
    "observe",
    "raise_no_planes",
    "record_acts",
    "sample_fluents",
    "settle_tricks",
    "takes_trick",
    "tricks_after_moves",
    "write_card_rows",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
