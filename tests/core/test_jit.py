"""Decorators of compiled functions."""

from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.core import copy_values


def test_values_are_copied() -> None:
    @njit
    def copy(source, target, count):  # type: ignore[no-untyped-def]
        copy_values(source, target, count)

    target = np.full(4, 9, np.int64)
    copy(np.arange(6, dtype=np.uint8)[1:], target[1:], 2)
    assert target.tolist() == [9, 1, 2, 9]
