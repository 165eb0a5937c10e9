"""How much is tried: a little by default, much when the long search is asked for."""

from __future__ import annotations

import gc

from hypothesis import settings


def thorough() -> bool:
    """Whether the long search is asked for: ``pytest --hypothesis-profile=thorough``."""
    return settings().max_examples > 1000


def seldom_collect() -> None:
    """Look for garbage less often: each time Python walks over all that torch, numba and the rules are made of."""
    gc.set_threshold(20_000, 20, 50)
