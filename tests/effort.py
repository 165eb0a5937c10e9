"""How much is tried: a little by default, much when the long search is asked for."""

from __future__ import annotations

from hypothesis import settings


def thorough() -> bool:
    """Whether the long search is asked for: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000
