"""Positions met in play and out of records."""

from typing import Any

import pytest

from abl_cards.games import GameError, game, game_names
from abl_cards.games.tables import is_play
from abl_cards.positions import cards_to_give, met_in_play, of_all_kinds, out_of_records


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


def test_positions_of_short_matches_lie_in_later_ones() -> None:
    """A match of Dou dizhu is one game; many positions are deeper than it is long."""
    decisions: Any = met_in_play(game("doudizhu").engine(), 300, seed=1)
    assert len(decisions.which) == 300
    assert 50 < (decisions.label_to_beat == -1).sum() < 250
    assert len(set(decisions.view.sizes.sum(axis=1).tolist())) > 15


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


def test_cards_to_give_are_paid_or_returned() -> None:
    engine = game("guandan").engine()
    choices: Any = cards_to_give(engine, 200, seed=1)
    assert len(choices.which) > 150  # the others waited for nothing
    assert choices.options.any(axis=1).all()
    assert set(choices.stage.tolist()) == {0, 1}  # to be paid, or returned
    again: Any = cards_to_give(engine, 200, seed=1)
    assert (again.options == choices.options).all()


def test_all_kinds_are_as_many_as_asked() -> None:
    engine = game("guandan").engine()
    for states in (1, 3, 40):
        sizes = [len(choice.which) for choice in of_all_kinds(engine, states, seed=2)]
        assert sum(sizes) == states
    assert [is_play(choice) for choice in of_all_kinds(engine, 40, seed=2)] == [True, True, False]
