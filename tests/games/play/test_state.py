"""The kernels that change tables."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.play.state import next_true


@pytest.mark.parametrize("density", [0.0, 0.004, 0.1, 0.9])
def test_the_next_place_where_something_holds(density: float) -> None:
    flat = (np.random.default_rng(4).random(700) < density).astype(np.uint8)
    for first, end in ((0, 700), (5, 640), (64, 96), (699, 700), (33, 33)):
        found, at = [], next_true(flat, first, end)
        while at < end:
            found.append(at)
            at = next_true(flat, at + 1, end)
        assert found == [*(first + np.flatnonzero(flat[first:end]))]
