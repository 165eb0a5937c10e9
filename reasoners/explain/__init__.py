"""Explain decisions: reasons with weights and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.explain.assessments import (
        FiredPreference,
        MoveAssessment,
        PreferenceDifference,
        compare_moves,
    )
    from abl_cards.reasoners.explain.explanation import Explanation, explain
    from abl_cards.reasoners.explain.explanation_text import (
        PreferenceLine,
        assessment_lines,
        contrast_lines,
        merge_instances,
        render_explanation,
    )
    from abl_cards.reasoners.explain.heat_map import MIN_SHOWN_COPIES, HeatMapLine, render_heat_map
    from abl_cards.reasoners.explain.model_explanation import HandEstimateReport, ModelExplanation, seat_names
    from abl_cards.reasoners.explain.move_scores import MoveScores
    from abl_cards.reasoners.explain.preference_texts import PreferenceTexts

__all__ = [
    "MIN_SHOWN_COPIES",
    "Explanation",
    "FiredPreference",
    "HandEstimateReport",
    "HeatMapLine",
    "ModelExplanation",
    "MoveAssessment",
    "MoveScores",
    "PreferenceDifference",
    "PreferenceLine",
    "PreferenceTexts",
    "assessment_lines",
    "compare_moves",
    "contrast_lines",
    "explain",
    "merge_instances",
    "render_explanation",
    "render_heat_map",
    "seat_names",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
