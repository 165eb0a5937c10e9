"""Patient tables: episodes that are over wait for company, and at each table the same is played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.games import Tables, game
from abl_cards.games.audience import Quiet
from abl_cards.games.play.state import EPISODE_OVER, MATCH_OVER
from tests.games.random_play import match_keys, step


@pytest.mark.parametrize("name", ["paodekuai", "doudizhu"])
def test_patient_tables_come_to_the_same(name: str) -> None:
    """Some episodes wait until others are over too; when nobody is left to decide, none does."""

    def played(patient: bool) -> tuple[bool, list[Any]]:
        tables, waited = Tables.begin(game(name).engine().rules, match_keys(60, 5)), False
        tables.patient = patient
        while step(tables):
            waited |= bool((tables.state.stage == EPISODE_OVER).any())
        assert (tables.state.stage == MATCH_OVER).all()
        return waited, [array.tolist() for array in tables.arrays().values()]

    assert played(patient=True) == (True, played(patient=False)[1])
    assert not played(patient=False)[0]


def test_who_listens_hears_of_each_end_at_once() -> None:
    tables = Tables.begin(game("president").engine().rules, match_keys(60, 5), Quiet())
    tables.patient = True
    while step(tables):
        assert not (tables.state.stage == EPISODE_OVER).any()
    assert (tables.winner != -1).all()


def test_no_table_ends_twice() -> None:
    """The points of an episode that has waited count once."""
    tables = Tables.begin(game("paodekuai").engine().rules, match_keys(100, 8))
    tables.patient = True
    while step(tables):
        pass
    assert (tables.episode == 1).all()
    assert np.array_equal(tables.total, tables.points)
