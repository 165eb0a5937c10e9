"""The best split of a hand into plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from reasoners.splits.ablkit_splits import (
        HandCard,
        SplitsKB,
        SplittingReasoner,
        hands_to_cards,
        iter_hands,
        pad_tags,
    )
    from reasoners.splits.greedy_splits import split_greedily
    from reasoners.splits.kernels import NO_PIECE, NO_TAG
    from reasoners.splits.oracle import UNITS_PER_NAT, SplitOracle
    from reasoners.splits.rules import MAX_CARDS, N_KINDS, TAGS, SplitRules, load_split_rules
    from reasoners.splits.splits import Splits, Splitter
    from reasoners.splits.tables import kicker_tags, main_tags
    from reasoners.splits.tag_violations import TagViolation

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

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
