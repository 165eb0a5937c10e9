"""Compare circuits with clingo on random states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.verification.preference_verification import verify_preferences
    from abl_cards.rulelab.verification.verification import verify, verify_circuits

__all__ = [
    "verify",
    "verify_circuits",
    "verify_preferences",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
