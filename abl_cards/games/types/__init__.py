"""Types that all packages of the engine share: moves, information sets, observation layouts, results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.types.arrays import copy_rows, named_arrays, save_rows
    from abl_cards.games.types.checks import (
        check_distinct_rows,
        check_held,
        check_integers,
        check_keys,
        check_lists,
        check_moves,
        check_rows,
        check_rows_in_stage,
    )
    from abl_cards.games.types.features import FeatureTable, ObservationFeature
    from abl_cards.games.types.information_set import HandEstimate, InformationSet, sample_hand_estimates
    from abl_cards.games.types.moves import (
        DRAW,
        LEADING,
        MAX_CARD_SETS,
        NO_CARD,
        ONLY_TABLE,
        Indices,
        MoveLists,
        Moves,
        count_move_cards,
        join_lists,
        merge_lists,
        replace_lists,
    )
    from abl_cards.games.types.results import LabelTraits, ReplayMismatch, ReplayResult

__all__ = [
    "DRAW",
    "LEADING",
    "MAX_CARD_SETS",
    "NO_CARD",
    "ONLY_TABLE",
    "FeatureTable",
    "HandEstimate",
    "Indices",
    "InformationSet",
    "LabelTraits",
    "MoveLists",
    "Moves",
    "ObservationFeature",
    "ReplayMismatch",
    "ReplayResult",
    "check_distinct_rows",
    "check_held",
    "check_integers",
    "check_keys",
    "check_lists",
    "check_moves",
    "check_rows",
    "check_rows_in_stage",
    "copy_rows",
    "count_move_cards",
    "join_lists",
    "merge_lists",
    "named_arrays",
    "replace_lists",
    "sample_hand_estimates",
    "save_rows",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
