"""List, draw and look up the card sets of legal moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.moves.completions import find_extensions, rank_of_cards
    from abl_cards.games.moves.enumerate import ALL_LABELS, enumerate_moves
    from abl_cards.games.moves.form_index import FormIndex, build_form_index, list_whole_hands
    from abl_cards.games.moves.label_forms import LabelForms, build_label_forms, unpack_label_forms
    from abl_cards.games.moves.lookup import (
        MoveLookup,
        build_move_lookup,
        find_whole_hand_forms,
        lookup_moves,
        sample_lookup_moves,
    )
    from abl_cards.games.moves.move_tables import (
        OWN_SLOTS,
        MoveScratch,
        MoveTables,
        has_suited_forms,
        scratch_for,
        with_form_rows,
    )
    from abl_cards.games.moves.packed import (
        PackedScratch,
        PackedTables,
        build_packed_tables,
        enumerate_packed_moves,
        new_packed_scratch,
    )
    from abl_cards.games.moves.required import (
        SCRATCH_SETS,
        can_reach_all,
        drop_unreachable_labels,
        filter_card_sets,
        filter_labels,
        label_reach,
        sample_required_sets,
    )
    from abl_cards.games.moves.sample import sample_card_sets

__all__ = [
    "ALL_LABELS",
    "OWN_SLOTS",
    "SCRATCH_SETS",
    "FormIndex",
    "LabelForms",
    "MoveLookup",
    "MoveScratch",
    "MoveTables",
    "PackedScratch",
    "PackedTables",
    "build_form_index",
    "build_label_forms",
    "build_move_lookup",
    "build_packed_tables",
    "can_reach_all",
    "drop_unreachable_labels",
    "enumerate_moves",
    "enumerate_packed_moves",
    "filter_card_sets",
    "filter_labels",
    "find_extensions",
    "find_whole_hand_forms",
    "has_suited_forms",
    "label_reach",
    "list_whole_hands",
    "lookup_moves",
    "new_packed_scratch",
    "rank_of_cards",
    "sample_card_sets",
    "sample_lookup_moves",
    "sample_required_sets",
    "scratch_for",
    "unpack_label_forms",
    "with_form_rows",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
