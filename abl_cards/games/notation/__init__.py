"""Cards, moves, states and records as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.notation.canonical import canonical_notation
    from abl_cards.games.notation.card_grid import NO_KIND, CardGrid, build_card_grid
    from abl_cards.games.notation.composed_moves import MAX_COMPOSED_PLAYS, list_composed_plays
    from abl_cards.games.notation.composition import compose_move, compose_parts
    from abl_cards.games.notation.decision_conversion import convert_decisions
    from abl_cards.games.notation.decision_points import (
        decision_point_at,
        read_decision_point,
        recorded_decision_points,
    )
    from abl_cards.games.notation.derivations import PlayDerivation, derive_readings
    from abl_cards.games.notation.fields import error_context, read_cards, state_fields
    from abl_cards.games.notation.fluent_json import FluentCodec
    from abl_cards.games.notation.hand_order import hand_orders, sort_hand
    from abl_cards.games.notation.hands import check_copies
    from abl_cards.games.notation.included_moves import include_move, include_play
    from abl_cards.games.notation.match_moves import find_moves, find_options, find_plays, match_plays
    from abl_cards.games.notation.play_reader import join_words, labels_by_text, read_play, resolve_form, split_label
    from abl_cards.games.notation.play_writer import notate_move, notate_moves
    from abl_cards.games.notation.plays import PASS, ParsedPlay, label_name_parts, options_json
    from abl_cards.games.notation.recorded_acts import (
        choices_at_acts,
        decisions_at_acts,
        find_choice_acts,
        find_play_acts,
    )
    from abl_cards.games.notation.records import MatchRecorder
    from abl_cards.games.notation.rendering import cards_aside, render_table, render_view
    from abl_cards.games.notation.replay import match_states_after, replay_records
    from abl_cards.games.notation.required_fields import required_for_explanation
    from abl_cards.games.notation.seats import other_seats
    from abl_cards.games.notation.spelling import (
        fluent_of_field,
        lettered_kinds,
        play_name,
        spell,
        spell_fluent,
    )
    from abl_cards.games.notation.state_moves import legal_composed_moves, legal_labels, legal_moves

__all__ = [
    "MAX_COMPOSED_PLAYS",
    "NO_KIND",
    "PASS",
    "CardGrid",
    "FluentCodec",
    "MatchRecorder",
    "ParsedPlay",
    "PlayDerivation",
    "build_card_grid",
    "canonical_notation",
    "cards_aside",
    "check_copies",
    "choices_at_acts",
    "compose_move",
    "compose_parts",
    "convert_decisions",
    "decision_point_at",
    "decisions_at_acts",
    "derive_readings",
    "error_context",
    "find_choice_acts",
    "find_moves",
    "find_options",
    "find_play_acts",
    "find_plays",
    "fluent_of_field",
    "hand_orders",
    "include_move",
    "include_play",
    "join_words",
    "label_name_parts",
    "labels_by_text",
    "legal_composed_moves",
    "legal_labels",
    "legal_moves",
    "lettered_kinds",
    "list_composed_plays",
    "match_plays",
    "match_states_after",
    "notate_move",
    "notate_moves",
    "options_json",
    "other_seats",
    "play_name",
    "read_cards",
    "read_decision_point",
    "read_play",
    "recorded_decision_points",
    "render_table",
    "render_view",
    "replay_records",
    "required_for_explanation",
    "resolve_form",
    "sort_hand",
    "spell",
    "spell_fluent",
    "split_label",
    "state_fields",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
