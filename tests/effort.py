"""How much is tried: a little by default, much when the long search is asked for."""

from __future__ import annotations

import pytest
from hypothesis import settings

long = pytest.mark.long
"""For what takes five seconds of a processor and more, where shorter tests walk the same paths: ``pytest --long``."""


def thorough() -> bool:
    """Whether the long search is asked for: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000
