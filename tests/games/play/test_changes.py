"""What changes at an event."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.play.changes import places


@pytest.mark.parametrize("density", [0.0, 0.004, 0.1, 0.9])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 700])
def test_the_places_where_something_holds(density: float, n: int) -> None:
    answers = (np.random.default_rng(4).random((5, n)) < density).astype(np.uint8)
    for output in range(5):
        found = np.full(n, -1, np.int64)
        count = places(answers, output, found)
        assert found[:count].tolist() == np.flatnonzero(answers[output]).tolist()
        assert (found[count:] == -1).all()
