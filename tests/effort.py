"""The extent of random tests: small by default, large with the long search."""

from __future__ import annotations

import pytest
from hypothesis import settings

long = pytest.mark.long
"""For what takes five seconds of a processor and more, where shorter tests walk the same paths: ``pytest --long``."""


def thorough() -> bool:
    """Return whether the long search is on: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000


class _Extent:
    long = False


def run_long(on: bool) -> None:
    """Record whether the long tests run: ``pytest --long``; called before test modules are imported."""
    _Extent.long = on


def amount(short: int, full: int) -> int:
    """Return a number of games, states or examples: short in ``make test``, full in ``make test-long``."""
    return full if _Extent.long or thorough() else short
