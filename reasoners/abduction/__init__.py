"""The inconsistency minimiser, and knowledge bases for ABLkit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.abduction.ablkit_adapters import MinimisingReasoner, RulesKB
    from abl_cards.reasoners.abduction.best_cards_per_label import BestCardsPerLabel, find_best_cards, plays_after
    from abl_cards.reasoners.abduction.clingo_reasoner import ClingoReasoner
    from abl_cards.reasoners.abduction.hand_kb import HandKB
    from abl_cards.reasoners.abduction.minimiser import Minimiser
    from abl_cards.reasoners.abduction.own_answers import check_own_options, find_own_moves
    from abl_cards.reasoners.abduction.probability_reasoner import ProbabilityReasoner
    from abl_cards.reasoners.abduction.program_kb import ProgramKB
    from abl_cards.reasoners.abduction.programs import EXAMPLE_PROGRAMS
    from abl_cards.reasoners.abduction.state_solver import StateSolver

__all__ = [
    "EXAMPLE_PROGRAMS",
    "BestCardsPerLabel",
    "ClingoReasoner",
    "HandKB",
    "Minimiser",
    "MinimisingReasoner",
    "ProbabilityReasoner",
    "ProgramKB",
    "RulesKB",
    "StateSolver",
    "check_own_options",
    "find_best_cards",
    "find_own_moves",
    "plays_after",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
