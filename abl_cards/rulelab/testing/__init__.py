"""Test a rule folder: cases, coverage, mutations, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.testing.balance import Balance, measure_balance
    from abl_cards.rulelab.testing.cases import CASES_FILE, CaseFailure, RuleCase, check_case, find_failures, read_cases
    from abl_cards.rulelab.testing.coverage import RuleCoverage, measure_coverage
    from abl_cards.rulelab.testing.edits import Edit, choose_edits, copy_with_parents, list_edits
    from abl_cards.rulelab.testing.inherited_cases import accept_changes, read_all_cases
    from abl_cards.rulelab.testing.mutants import (
        CAUGHT,
        LOST,
        MISSED,
        NOTICED,
        REFUSED,
        SAME,
        UNCLEAR,
        Mutant,
        MutationRun,
        compute_caught_share,
        filter_by_outcome,
        mutants_to_json,
        try_edits,
    )

__all__ = [
    "CASES_FILE",
    "CAUGHT",
    "LOST",
    "MISSED",
    "NOTICED",
    "REFUSED",
    "SAME",
    "UNCLEAR",
    "Balance",
    "CaseFailure",
    "Edit",
    "Mutant",
    "MutationRun",
    "RuleCase",
    "RuleCoverage",
    "accept_changes",
    "check_case",
    "choose_edits",
    "compute_caught_share",
    "copy_with_parents",
    "filter_by_outcome",
    "find_failures",
    "list_edits",
    "measure_balance",
    "measure_coverage",
    "mutants_to_json",
    "read_all_cases",
    "read_cases",
    "try_edits",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
