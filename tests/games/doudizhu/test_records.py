"""Records of Dou dizhu and of DouZero replay, and damaged ones are mismatches."""

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.matches.records import read_records
from abl_cards.protocols.douzero import convert_douzero_record
from tests.games.doudizhu.decided import engine_of
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
    recorder = engine.new_recorder(count)
    play_out(engine.start_matches(match_keys(count, 5), recorder))
    return [record for table in range(count) for record in recorder.pop_records(table)]


@pytest.mark.parametrize("profile", ["rlcard", "openspiel", "douzero", "botzone", "contest", "botzone_bidding"])
def test_records_replay(profile: str) -> None:
    records = played(profile)
    result = engine_of(None, profile).replay(records)
    assert (result.episodes, result.mismatches) == (3, ())
    assert any(str(act).startswith("bid(") for _, act in records[0]["acts"]) == (
        profile in ("contest", "botzone_bidding")
    )


def test_douzero_records_replay(shared_data: Path) -> None:
    records = read_records(shared_data / "doudizhu_douzero_selfplay.jsonl.gz", 150)
    result = engine_of(None, "douzero").replay(records)
    assert (result.episodes, result.mismatches) == (150, ())


def test_decision_point_after_a_douzero_record() -> None:
    """The decision after its last move, from the eyes of the seat that is to move."""
    moment = engine_of(None, "douzero").read_decision_point(convert_douzero_record(DOUZERO))
    assert moment.state["hand"] == "33455667777TQQK"
    assert moment.state["to_beat"] == "4"


SPOILT: list[tuple[dict[str, Any], str]] = [
    ({"finish": [0, 1, 2]}, "finish is"),
    ({"points": [0, 0, 0]}, "points are"),
    ({"won": 2}, "won: 2 "),
    ({"hands": ["3", "4"]}, "hands: .* 3 "),
    ({"aside": "333"}, "aside: "),
    ({"acts": [[0, "33334"]]}, "act 1: 33334 is not legal for seat 0"),
    ({"acts": [[1, "3"]]}, "act 1: seat 1 acts, .* seat 0"),
    ({"acts": []}, "the record ends after 0 acts"),
    ({"acts": [[0, "3Z"]]}, "act 1: 'Z' is no card"),
    ({"game": "guandan"}, "game: .* 'guandan'"),
]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return next(record for record in played("rlcard", 12) if record["finish"][0] != 0)


@pytest.mark.parametrize(("damage", "problem"), SPOILT)
def test_damaged_records_are_mismatches(record: dict[str, Any], damage: dict[str, Any], problem: str) -> None:
    (mismatch,) = engine_of().replay([copy.deepcopy(record) | damage]).mismatches
    assert re.match(problem, mismatch.text), mismatch.text


SPOILT_BY_DOUZERO: list[tuple[dict[str, Any], str]] = [
    ({"init_hand_cards": 3}, "init_hand_cards: "),
    ({"card_play_action_landlord": [[99]]}, "card_play_action_landlord: move 1: 99 "),
    ({"card_play_action_landlord": [[20, 20]]}, "card_play_action_landlord: move 1: .* 20 "),
    ({"card_play_action_landlord": 4}, "card_play_action_landlord: "),
    ({"card_play_action_landlord_up": []}, "landlord_up has 0 moves"),
    ({"landlord_win": 3}, "landlord_win: 3 "),
    ({"landlord_win": 0, "landlord_score": 2, "farmer_score": -1}, "landlord_win: 0.* 2 points"),
]


@pytest.mark.parametrize(("damage", "problem"), SPOILT_BY_DOUZERO)
def test_damaged_douzero_records_are_errors(damage: dict[str, Any], problem: str) -> None:
    with pytest.raises(GameError, match=problem) as error:
        convert_douzero_record(DOUZERO | damage)
    assert error.value.code == ErrorCode.INVALID_RECORD


def test_act_number_out_of_range_raises(record: dict[str, Any]) -> None:
    with pytest.raises(GameError, match="there is no act 999"):
        engine_of().read_decision_point(record, 999)


def test_decisions_at_acts_equal_decision_points(record: dict[str, Any]) -> None:
    decisions = engine_of().decisions_at_acts([record, record], [1, 4])
    decision: Any = engine_of().read_decision_point(record, 1).decision
    assert decisions.label_to_beat[0] == -1
    assert np.array_equal(decisions.view.hand[:1], decision.view.hand)
