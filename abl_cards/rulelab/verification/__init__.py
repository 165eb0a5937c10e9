"""Compare circuits with clingo on random states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.verification.preference_verification import verify_preferences
    from abl_cards.rulelab.verification.verification import verify_circuits

__all__ = [
    "verify_circuits",
    "verify_preferences",
]

__getattr__ = lazy_exports(__name__)
