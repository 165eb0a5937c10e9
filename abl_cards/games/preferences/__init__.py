"""Evaluate the preferences of a knowledge base for candidate moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.preferences.candidates import MAX_COMPARED, list_candidates
    from abl_cards.games.preferences.compilation import check_compatible_preferences, compile_preferences
    from abl_cards.games.preferences.preference_inputs import GamePreferenceInputs
    from abl_cards.games.preferences.preference_model import PreferenceModel
    from abl_cards.games.preferences.preferences import CompiledPreferences, InputWriter

__all__ = [
    "MAX_COMPARED",
    "CompiledPreferences",
    "GamePreferenceInputs",
    "InputWriter",
    "PreferenceModel",
    "check_compatible_preferences",
    "compile_preferences",
    "list_candidates",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
