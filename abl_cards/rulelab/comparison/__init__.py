"""Compare two versions of rules: moves, decisions and preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.comparison.chosen_moves import ComparedKb
    from abl_cards.rulelab.comparison.compared_rules import compare_rules
    from abl_cards.rulelab.comparison.counterexample import have_different_moves, minimise_counterexample
    from abl_cards.rulelab.comparison.differences import KbDifference
    from abl_cards.rulelab.comparison.results import ResultComparison, compare_results

__all__ = [
    "ComparedKb",
    "KbDifference",
    "ResultComparison",
    "compare_results",
    "compare_rules",
    "have_different_moves",
    "minimise_counterexample",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
