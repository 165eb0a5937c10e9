"""Measure parts of an agent: it plays against itself without one part, on duplicate deals, until that is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.ablation.parts import AblationPart, list_parts
    from abl_cards.ablation.results import Ablation, AblationRow, AblationVerdict
    from abl_cards.ablation.runner import ablate
    from abl_cards.ablation.sequential import sequential_interval

__all__ = [
    "Ablation",
    "AblationPart",
    "AblationRow",
    "AblationVerdict",
    "ablate",
    "list_parts",
    "sequential_interval",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
