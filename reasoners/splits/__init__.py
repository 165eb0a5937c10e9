"""The best split of a hand into plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.splits.ablkit_splits import (
        HandCard,
        SplitsKB,
        SplittingReasoner,
        hands_to_cards,
        iter_hands,
        pad_tags,
    )
    from abl_cards.reasoners.splits.greedy_splits import split_greedily
    from abl_cards.reasoners.splits.kernels import NO_PIECE, NO_TAG
    from abl_cards.reasoners.splits.oracle import UNITS_PER_NAT, SplitOracle
    from abl_cards.reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS, SplitRules, load_split_rules
    from abl_cards.reasoners.splits.splits import Splits, Splitter
    from abl_cards.reasoners.splits.tables import kicker_tags, main_tags
    from abl_cards.reasoners.splits.tag_violations import TagViolation

__all__ = [
    "MAX_CARDS",
    "NO_PIECE",
    "NO_TAG",
    "N_KINDS",
    "TAGS",
    "UNITS_PER_NAT",
    "HandCard",
    "SplitOracle",
    "SplitRules",
    "Splits",
    "SplitsKB",
    "Splitter",
    "SplittingReasoner",
    "TagViolation",
    "hands_to_cards",
    "iter_hands",
    "kicker_tags",
    "load_split_rules",
    "main_tags",
    "pad_tags",
    "split_greedily",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
