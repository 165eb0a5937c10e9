"""Evaluate the preferences of a knowledge base for candidate moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.preferences.preference_inputs import GamePreferenceInputs
    from abl_cards.games.preferences.preferences import CompiledPreferences, InputWriter, compile_preferences

__all__ = [
    "CompiledPreferences",
    "GamePreferenceInputs",
    "InputWriter",
    "compile_preferences",
]

__getattr__ = lazy_exports(__name__)
