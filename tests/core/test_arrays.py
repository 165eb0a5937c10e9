"""Rows of arrays, and arrays as plain values."""

from __future__ import annotations

import doctest
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.core import arrays, to_plain_json, unique_rows


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(1, 4))
def test_unique_rows_are_those_that_numpy_finds(seed: int, count: int, width: int) -> None:
    rows = np.random.default_rng(seed).choice(np.array([0, 1, 255], np.uint8), (width, count)).T  # not contiguous
    distinct, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    found_first, found_inverse = unique_rows(rows)
    assert found_first.tolist() == first.tolist()
    assert found_inverse.tolist() == inverse.ravel().tolist()
    assert (rows[found_first] == distinct).all()


def test_values_of_numpy_become_values_of_json() -> None:
    assert doctest.testmod(arrays).failed == 0
    value = {"a": np.arange(3), "b": (np.bool_(True), [np.float32(0.5), {"c": np.array(["H3"])}]), "d": None}
    assert json.dumps(to_plain_json(value)) == '{"a": [0, 1, 2], "b": [true, [0.5, {"c": ["H3"]}]], "d": null}'
