"""Big2 tables: deals, turns, points, records, and the words for them."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games import GameError
from abl_cards.games.big2.engine import engine_of
from abl_cards.games.big2.wire import read_hand
from tests.games.random_play import match_keys

ENGINE = engine_of()


def hands(*texts: str) -> np.ndarray:
    return np.stack([read_hand(text) for text in texts])[None]


def game(first: str, second: str, *plays: str) -> dict:
    """A record in which the seats play in turn."""
    return {"hands": [first, second], "plays": [[number % 2, cards] for number, cards in enumerate(plays)]}


def test_a_deal_shares_one_pack() -> None:
    tables = ENGINE.tables(match_keys(20, 5))
    assert (tables.hands.sum(axis=1) == 4).all()
    assert (tables.hands.sum(axis=2) == 26).all()
    assert len({tuple(row.ravel().tolist()) for row in tables.hands}) == 20
    assert (tables.seat == 0).all()


def test_points_are_the_cards_that_are_left() -> None:
    assert (
        ENGINE.replay([game("34", "567", "3", "5", "", "6", "", "7") | {"winner": 1, "points": [-1, 1]}]).disagreements
        == ()
    )
    assert ENGINE.replay([game("3", "567", "3") | {"winner": 0, "points": [3, -3]}]).disagreements == ()


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (game("34", "567", ""), "play 1: PASS is not legal"),
        (game("34", "567", "3", "4"), "play 2: 4 is not legal"),
        (game("34", "567", "3", "5", ""), "ends after 3 plays"),
        (game("3", "567", "3", "5"), "play 2: the game is over"),
        (game("3", "567", "3") | {"winner": 1}, "winner is 1"),
        (game("3", "567", "3") | {"points": [1, -1]}, "points are"),
        ({"hands": ["3", "4"], "plays": [[1, "4"]]}, "turn of seat 0"),
        ({"hands": ["3"]}, "hands: there must be two"),
        ({"hands": ["333", "33"], "plays": []}, "a pack has four"),
        ({"hands": ["3", "4"], "plays": [[0]]}, "play 1"),
    ],
)
def test_a_wrong_record_is_named(record: dict, says: str) -> None:
    found = ENGINE.replay([record])
    assert says in found.disagreements[0].text


def test_uneven_hands() -> None:
    tables = ENGINE.resume(hands("34", "56789TJQKA2"))
    assert tables.decisions(np.arange(1)).hand.sum() == 2
    assert "seat 1 (11) 56789TJQKA2" in ENGINE.draw(tables, 0)


def test_moments_of_states_and_records() -> None:
    moment = ENGINE.moment({"hand": "3355", "to_beat": "44", "other": "6"})
    assert [str(action) for action in moment.actions] == ["55", "PASS"]
    assert "44" in ENGINE.show(moment)
    record = game("34", "567", "3", "5", "", "6", "", "7")
    moment = ENGINE.moment(record, 2)
    assert moment.made is not None
    assert str(moment.actions[moment.made]) == "5"
    for wrong, move in ((record, 9), (record, 7), ({"hand": "3"}, 1)):
        with pytest.raises(GameError):
            ENGINE.moment(wrong, move)


def test_other_rules_adopt_decisions() -> None:
    straight = engine_of(None, "straight")
    decisions = ENGINE.sample_decisions(300, seed=1)
    kept, adopted = straight.adopt(decisions)
    assert 0 < kept.sum() < 300
    assert (adopted.legal.sum(axis=0) <= decisions.legal[:, kept].sum(axis=0)).all()
