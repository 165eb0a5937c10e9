"""Compiled games: the knowledge base, circuits and arrays of one rule folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.compiled.card_sets import whole_hand_moves
    from abl_cards.games.compiled.compiled_game import CompiledGame, MoveQuery
    from abl_cards.games.compiled.compiler import compile_game
    from abl_cards.games.compiled.label_traits import build_label_traits
    from abl_cards.games.compiled.memoize import cache_per_game
    from abl_cards.games.compiled.predicate_sorts import argument_sorts
    from abl_cards.games.compiled.rule_errors import (
        TableError,
        attribute_table_errors,
        check_nonempty,
        check_sampled,
        join_names,
        raise_too_many,
        raise_where,
        source_hint,
    )
    from abl_cards.games.compiled.shown import find_show_rules
    from abl_cards.games.compiled.stall_detection import (
        MAX_IDLE_DECISIONS,
        check_hand_limit,
        empty_stock_text,
        raise_endless,
        stall_text,
    )
    from abl_cards.games.compiled.turn_table_builder import classify_forms, encode_turn_entries

__all__ = [
    "MAX_IDLE_DECISIONS",
    "CompiledGame",
    "MoveQuery",
    "TableError",
    "argument_sorts",
    "attribute_table_errors",
    "build_label_traits",
    "cache_per_game",
    "check_hand_limit",
    "check_nonempty",
    "check_sampled",
    "classify_forms",
    "compile_game",
    "empty_stock_text",
    "encode_turn_entries",
    "find_show_rules",
    "join_names",
    "raise_endless",
    "raise_too_many",
    "raise_where",
    "source_hint",
    "stall_text",
    "whole_hand_moves",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
