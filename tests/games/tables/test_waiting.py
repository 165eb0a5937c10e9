"""Tables with ``batch_rare_steps``: ends of episodes are delayed, and matches are unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.games.game import load
from abl_cards.games.state.state import EPISODE_OVER, MATCH_OVER
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from tests.games.random_play import match_keys, step


@pytest.mark.parametrize("name", ["paodekuai", "doudizhu"])
def test_batching_rare_steps_does_not_change_results(name: str) -> None:
    """Some episodes end later, when others are over too; none is left open at the end."""

    def played(patient: bool) -> tuple[bool, list[Any]]:
        tables, waited = Tables.begin(load(name).engine().rules, match_keys(60, 5)), False
        tables.batch_rare_steps = patient
        while step(tables):
            waited |= bool((tables.state.stage == EPISODE_OVER).any())
        assert (tables.state.stage == MATCH_OVER).all()
        return waited, [array.tolist() for array in tables.arrays().values()]

    assert played(patient=True) == (True, played(patient=False)[1])
    assert not played(patient=False)[0]


def test_tables_with_listeners_do_not_delay_ends() -> None:
    tables = Tables.begin(load("president").engine().rules, match_keys(60, 5), NullListener())
    tables.batch_rare_steps = True
    while step(tables):
        assert not (tables.state.stage == EPISODE_OVER).any()
    assert (tables.winner != -1).all()


def test_delayed_ends_add_points_once() -> None:
    """Points of an episode whose end was delayed count once."""
    tables = Tables.begin(load("paodekuai").engine().rules, match_keys(100, 8))
    tables.batch_rare_steps = True
    while step(tables):
        pass
    assert (tables.num_episodes == 1).all()
    assert np.array_equal(tables.total_points, tables.points)
