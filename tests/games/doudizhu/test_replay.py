"""Records of Dou dizhu: ours and DouZero's are confirmed, spoilt ones are not."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.games import GameError
from abl_cards.games.doudizhu.engine import engine_of
from abl_cards.records import read_records
from tests.games.random_play import match_keys, play_out

DOUZERO = {
    "init_hand_cards": {
        "landlord": [3, 3, 4, 6, 8, 8, 8, 9, 10, 10, 10, 11, 11, 12, 13, 14, 17, 17, 17, 20],
        "landlord_up": [4, 4, 5, 5, 6, 8, 9, 9, 11, 11, 12, 13, 13, 14, 14, 17, 30],
        "landlord_down": [3, 3, 4, 5, 5, 6, 6, 7, 7, 7, 7, 9, 10, 12, 12, 13, 14],
        "three_landlord_cards": [10, 17, 20],
    },
    "card_play_action_landlord": [[6], [13], [17], [4]],
    "card_play_action_landlord_down": [[9], [14], []],
    "card_play_action_landlord_up": [[12], [], []],
}


def played(profile: str, count: int = 3) -> list[dict[str, Any]]:
    engine = engine_of(None, profile)
    recorder = engine.recorder(count)
    play_out(engine.tables(match_keys(count, 5), recorder))
    return [record for table in range(count) for record in recorder.records(table)]


@pytest.mark.parametrize("profile", ["rlcard", "openspiel", "douzero", "botzone", "contest", "botzone_bidding"])
def test_what_is_written_down_replays(profile: str) -> None:
    records = played(profile)
    found = engine_of(None, profile).replay(records)
    assert (found.episodes, found.disagreements) == (3, ())
    assert ("bids" in records[0]) == (profile in ("contest", "botzone_bidding"))


def test_games_of_douzero_replay(shared_data: Path) -> None:
    records = read_records(shared_data / "doudizhu_douzero_selfplay.jsonl.gz", 150)
    found = engine_of(None, "douzero").replay(records)
    assert (found.episodes, found.disagreements) == (150, ())


def test_a_game_of_douzero_is_told() -> None:
    """The decision after its last move, from the eyes of the seat that is to move."""
    moment = engine_of(None, "douzero").moment(DOUZERO | {"seat": 1})
    assert moment.state["hand"] == "33455667777TQQK"
    assert moment.state["to_beat"] == "4"


SPOILT = [
    ({"winner": "landlord"}, "winner is landlord where the plays lead to peasants"),
    ({"winner": "nobody"}, "winner: 'nobody' is none of landlord, peasants"),
    ({"points": [0, 0, 0]}, "points are"),
    ({"landlord": 1}, "hands: they must share one pack, 20 cards for the landlord"),
    ({"bottom": "3333"}, "bottom: the landlord's hand does not have these cards"),
    ({"hands": ["3", "4"]}, "hands: there must be three"),
    ({"stake": 7}, "stake: 7 is none of 1 to 3"),
    ({"plays": [[0, "33334"]]}, "play 1: 33334 is not legal for seat 0"),
    ({"plays": [[1, "3"]]}, "play 1: seat 1 plays where it is the turn of seat 0"),
    ({"plays": []}, "the record ends after 0 plays"),
    ({"plays": [[0, "3Z"]]}, "plays: play 1: 'Z' is no card"),
    ({"game": "guandan"}, "the record is of guandan"),
    ({"bids": [9]}, "bids: \\[9\\] is no list of bids"),
]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return next(record for record in played("rlcard", 12) if record["winner"] == "peasants")


@pytest.mark.parametrize(("damage", "problem"), SPOILT)
def test_what_is_wrong_is_said(record: dict[str, Any], damage: dict[str, Any], problem: str) -> None:
    import re

    (found,) = engine_of().replay([copy.deepcopy(record) | damage]).disagreements
    assert re.match(problem, found.text), found.text


def test_hidden_hands_change_nothing(record: dict[str, Any]) -> None:
    """A decision out of a record is the same whatever the others hold."""
    engine, judge = engine_of(), engine_of().judge()
    for move in range(1, len(record["plays"]) + 1, 5):
        seat = record["plays"][move - 1][0]
        hidden = record | {"hands": [hand if place == seat else None for place, hand in enumerate(record["hands"])]}
        one, two = engine.moment(record, move), engine.moment(hidden, move)
        assert one.state == two.state
        assert one.made == two.made
        assert (judge.costs(one.decision, one.lists)[0] == judge.costs(two.decision, two.lists)[0]).all()


def test_no_such_play(record: dict[str, Any]) -> None:
    with pytest.raises(GameError, match="there is no play 999"):
        engine_of().moment(record, 999)


def test_recorded_decisions_are_those_of_the_table(record: dict[str, Any]) -> None:
    decisions = engine_of().recorded([record, record], [1, 4])
    assert decisions.to_beat[0] == -1
    assert np.array_equal(decisions.situation.hand[:1], engine_of().moment(record, 1).decision.situation.hand)  # type: ignore[union-attr]
