"""Abduce hidden hands: project estimates onto the constraints, draw deals from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.reasoners.hidden_hands.hands import (
        HandEstimate,
        abduce_hands,
        draw_deals,
        expected_copies,
        prior_estimate,
        project_estimate,
        sample_deals,
        uniform_estimate,
    )
    from abl_cards.reasoners.hidden_hands.response_probabilities import count_responses, observation_keys

__all__ = [
    "HandEstimate",
    "abduce_hands",
    "count_responses",
    "draw_deals",
    "expected_copies",
    "observation_keys",
    "prior_estimate",
    "project_estimate",
    "sample_deals",
    "uniform_estimate",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
