"""Measure parts of an agent: it plays against itself without one part, on duplicate deals, until it is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.ablation.firing import SkippedPart
    from abl_cards.ablation.parts import AblationPart, list_parts
    from abl_cards.ablation.results import Ablation, AblationRow, AblationVerdict, TrainingSummary
    from abl_cards.ablation.runner import ablate
    from abl_cards.ablation.seed_runner import MATCH_SEED_OFFSET, TrainingPlan
    from abl_cards.ablation.sequential import sequential_interval
    from abl_cards.ablation.sweep import DEFAULT_FACTORS, SweepPoint, WeightSweep, sweep_weight
    from abl_cards.ablation.trained import (
        LEARNED_PARTS,
        LearnedPart,
        TwinTrainer,
        create_twin_config,
        default_twin_config,
        list_learned_parts,
    )

__all__ = [
    "DEFAULT_FACTORS",
    "LEARNED_PARTS",
    "MATCH_SEED_OFFSET",
    "Ablation",
    "AblationPart",
    "AblationRow",
    "AblationVerdict",
    "LearnedPart",
    "SkippedPart",
    "SweepPoint",
    "TrainingPlan",
    "TrainingSummary",
    "TwinTrainer",
    "WeightSweep",
    "ablate",
    "create_twin_config",
    "default_twin_config",
    "list_learned_parts",
    "list_parts",
    "sequential_interval",
    "sweep_weight",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
