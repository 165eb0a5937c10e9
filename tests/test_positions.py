"""Positions met in play and out of records."""

import pytest

from abl_cards.games import GameError, game, game_names
from abl_cards.positions import met_in_play, out_of_records


def test_positions_are_decisions_of_many_kinds() -> None:
    engine = game("guandan").engine()
    decisions = met_in_play(engine, 300, seed=1)
    assert len(decisions.which) == 300
    assert decisions.legal.any(axis=0).all()
    leading = decisions.label_to_beat == -1
    assert 10 < leading.sum() < 290
    again = met_in_play(engine, 300, seed=1)
    assert (again.legal == decisions.legal).all()
    assert (met_in_play(engine, 300, seed=2).legal != decisions.legal).any()


def test_records_without_plays() -> None:
    engine = game("guandan").engine()
    with pytest.raises(GameError, match="no plays"):
        out_of_records(engine, [{"level": "2", "plays": []}, {}, {"plays": 3}], 5, seed=0)


@pytest.mark.parametrize("name", game_names())
def test_positions_are_met_however_short_the_matches_are(name: str) -> None:
    decisions = met_in_play(game(name).engine(), 40, seed=2)
    assert len(decisions.which) == 40
    assert (decisions.label_to_beat >= 0).any()
    assert (decisions.label_to_beat < 0).any()
