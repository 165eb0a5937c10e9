"""Rows of arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.core import unique_rows


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(1, 4))
def test_unique_rows_are_those_that_numpy_finds(seed: int, count: int, width: int) -> None:
    rows = np.random.default_rng(seed).choice(np.array([0, 1, 255], np.uint8), (width, count)).T  # not contiguous
    distinct, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    found_first, found_inverse = unique_rows(rows)
    assert found_first.tolist() == first.tolist()
    assert found_inverse.tolist() == inverse.ravel().tolist()
    assert (rows[found_first] == distinct).all()
