"""Rows of tables where moves are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.types.moves import Moves
from abl_cards.reasoners.abduction.minimiser import Minimiser

SHORTENED = slice(0, 1)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (np.arange(100, 103), slice(None)),
        (np.array([-1]), SHORTENED),
        (np.array([0, 0, 1]), slice(None)),
        (np.arange(3), SHORTENED),
        (np.arange(1), slice(None)),
        (np.arange(3.0), slice(None)),
        ([0, 1, 2], slice(None)),
        (np.zeros((3, 1), np.int64), slice(None)),
    ],
)
def test_wrong_rows_are_rejected_and_change_nothing(rows: Any, kept: slice) -> None:
    """Kernels check no bounds: a move too few would be read from memory that is not theirs."""
    engine = load("president").engine()
    tables = engine.start_matches(np.arange(3, dtype=np.uint64))
    before = [np.copy(array) for array in tables.arrays().values()]
    moves = Minimiser(engine).best(tables.decisions(np.arange(3)))
    with pytest.raises(GameError, match="rows") as error:
        tables.play(rows, Moves(moves.form[kept], moves.cards[kept]))
    assert error.value.code == ErrorCode.INVALID_VALUE
    with pytest.raises(GameError, match="rows") as error:
        tables.choose(rows, np.zeros(3, np.uint8)[kept])
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert all(np.array_equal(a, b) for a, b in zip(before, tables.arrays().values(), strict=True))
