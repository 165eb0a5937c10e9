"""The extent of random tests: small by default, large with the long search."""

from __future__ import annotations

import pytest
from hypothesis import settings

long = pytest.mark.long
"""For what takes five seconds of a processor and more, where shorter tests walk the same paths: ``pytest --long``."""


def thorough() -> bool:
    """Return whether the long search is on: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000
