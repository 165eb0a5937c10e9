"""The extent of random tests: small by default, large with the long search."""

from __future__ import annotations

import pytest
from hypothesis import settings

long = pytest.mark.long
"""For what takes five seconds of a processor and more, where shorter tests walk the same paths: ``pytest --long``."""


_with_long = False  # set by conftest.py


def include_long() -> None:
    """Let `amount` return the numbers of ``pytest --long``."""
    global _with_long
    _with_long = True


def thorough() -> bool:
    """Return whether the long search is on: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000


def amount(short: int, full: int, most: int | None = None) -> int:
    """Return a number of examples, states, games or steps.

    Args:
        short: The number in ``make test``.
        full: The number in ``make test-long``.
        most: The number in the long search; None for that of ``make test-long``.
    """
    if thorough():
        return full if most is None else most
    return full if _with_long else short
