"""Kernels of updates at events."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.description.fluents import MAX_COUNT, Fluents
from abl_cards.games.description.order_contexts import Contexts
from abl_cards.games.state.state import empty_state
from abl_cards.games.state.turns import record_finish
from abl_cards.games.tables.fluent_updates import _apply_updates, find_true
from abl_cards.games.tables.retraction import write_card_row


@pytest.mark.parametrize("density", [0.0, 0.004, 0.1, 0.9])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 700])
def test_find_true_equals_flatnonzero(density: float, n: int) -> None:
    answers = (np.random.default_rng(4).random((5, n)) < density).astype(np.uint8)
    for output in range(5):
        positions = np.full(n, -1, np.int64)
        count = find_true(answers, output, positions)
        assert positions[:count].tolist() == np.flatnonzero(answers[output]).tolist()
        assert (positions[count:] == -1).all()


def test_counts_are_clipped_to_their_bounds() -> None:
    """Without bounds, 16-bit numbers would overflow: adding a million to 0 would give 16,960."""
    state = empty_state(3, 1, 1, 1, 1, num_fluents=1, num_lots=0)
    state.fluents[:, 0] = [0, 29_999, -5]
    answers, nothing = np.array([[1, 1, 0], [0, 0, 1]], np.uint8), np.zeros((0, 4), np.int64)
    adds = np.array([[0, 0, 1_000_000], [1, 0, -1_000_000]])
    _apply_updates(answers, np.arange(3), nothing[:, :3], adds, nothing, nothing[:, :2], state, 0)
    assert state.fluents[:, 0].tolist() == [MAX_COUNT, MAX_COUNT, -MAX_COUNT]


def test_negative_count_has_the_context_of_zero() -> None:
    contexts = Contexts(Fluents(()), (1, 0), (3, 4), (0, -1))
    state = np.array([[-1, -7], [-1, 0], [2, 1], [2, 9]], np.int16)
    assert contexts.compute_index(state).tolist() == [0, 0, 7, 11]


def test_finish_order_keeps_the_first_place_of_a_seat() -> None:
    state = empty_state(1, 3, 1, 3, 1, 0, 0)
    for seat in (1, 1, 1, 1, 0, 1, 2, 2):
        record_finish(state, 0, seat)
    assert state.finish_order[0].tolist() == [1, 0, 2]


def test_write_card_row_truncates_to_the_row() -> None:
    rows = np.full((3, 2), 77, np.uint8)
    assert write_card_row(np.array([1, 0, 3], np.uint8), rows[1]) == 4
    assert rows.tolist() == [[77, 77], [0, 2], [77, 77]]
