"""Random states and inputs that cover the rules of a game, for verification and measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.sampling.episode_starts import EpisodeStartRecorder
    from abl_cards.games.sampling.random_states import sample_state
    from abl_cards.games.sampling.samples import (
        sample_decisions,
        sample_estimate,
        sample_input_rows,
        sample_lead_decisions,
        sample_reachable_decisions,
        sample_stacked_tables,
    )
    from abl_cards.games.sampling.situations import MAX_VALUES, SituationSet
    from abl_cards.games.sampling.symmetries import find_symmetries

__all__ = [
    "MAX_VALUES",
    "EpisodeStartRecorder",
    "SituationSet",
    "find_symmetries",
    "sample_decisions",
    "sample_estimate",
    "sample_input_rows",
    "sample_lead_decisions",
    "sample_reachable_decisions",
    "sample_stacked_tables",
    "sample_state",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
