"""The extent of random tests: small by default, large with the long search."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

long = pytest.mark.long
"""For what takes five seconds of a processor and more, where shorter tests walk the same paths: ``pytest --long``."""


_WITH_LONG = "ABL_CARDS_LONG_TESTS"  # in the environment, which workers of the tests share


def include_long() -> None:
    """Let `amount` return the numbers of ``pytest --long``."""
    os.environ[_WITH_LONG] = "1"


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
    return full if _WITH_LONG in os.environ else short
