"""Reasoners: knowledge bases for ABLkit, the inconsistency minimiser, hidden hands, explanations and exact search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.abduction import (
        EXAMPLE_PROGRAMS,
        HandKB,
        Minimiser,
        MinimisingReasoner,
        ProbabilityReasoner,
        ProgramKB,
        RulesKB,
    )
    from abl_cards.reasoners.splits import SplitsKB, SplittingReasoner

__all__ = [
    "EXAMPLE_PROGRAMS",
    "HandKB",
    "Minimiser",
    "MinimisingReasoner",
    "ProbabilityReasoner",
    "ProgramKB",
    "RulesKB",
    "SplitsKB",
    "SplittingReasoner",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
