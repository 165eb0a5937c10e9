"""Counters of the minimum number of plays that empty a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.min_plays.chain_counter import ChainCounter
    from abl_cards.games.min_plays.counters import (
        find_counter,
        is_upper_bound,
        min_plays,
        plays_left,
        plays_left_errors,
        plays_left_warnings,
        reads_plays_left,
    )
    from abl_cards.games.min_plays.hand_keys import (
        MAX_KINDS,
        HandKey,
        hand_key,
        key_cards,
        key_counts,
        key_sizes,
        key_text,
        keys_from_counts,
        keys_from_rows,
        read_key,
    )
    from abl_cards.games.min_plays.leads import LeadFinder

__all__ = [
    "MAX_KINDS",
    "ChainCounter",
    "HandKey",
    "LeadFinder",
    "find_counter",
    "hand_key",
    "is_upper_bound",
    "key_cards",
    "key_counts",
    "key_sizes",
    "key_text",
    "keys_from_counts",
    "keys_from_rows",
    "min_plays",
    "plays_left",
    "plays_left_errors",
    "plays_left_warnings",
    "read_key",
    "reads_plays_left",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
