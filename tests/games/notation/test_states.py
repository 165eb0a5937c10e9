"""Reading of JSON states: required and optional fields, and errors that name the field."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation.decision_points import read_decision_point
from abl_cards.games.notation.state_moves import legal_labels, legal_moves
from abl_cards.games.notation.state_writer import write_state
from abl_cards.games.notation.states import read_state
from abl_cards.games.tables.tables import Tables
from tests.games.random_play import match_keys, step


def test_fields_read_by_the_rules_are_required(watchful: CompiledGame, faces: CompiledGame) -> None:
    full = {
        "hand": "1345", "to_beat": "2", "top": "previous", "cards": [6, 6, 5], "seat": 2, "acts": 5, "round": 0,
        "turned": False, "gone": ["12", "2", "", "6"],
    }  # fmt: skip
    readers = {"cards": "cards/2", "gone": "unseen/2", "acts": "acts/1"}
    full["cards"] = [6, 5, 5]
    assert isinstance(legal_moves(watchful, [full])[0], list)
    for field, reader in readers.items():
        (answer,) = legal_moves(watchful, [{name: value for name, value in full.items() if name != field}])
        _assert_missing(answer, field, reader)
    begun = {name: value for name, value in full.items() if name not in ("round", "turned")}
    assert legal_moves(watchful, [begun]) == legal_moves(watchful, [full])  # fluents are empty as a match begins
    (answer,) = legal_moves(faces, [{"hand": "123", "to_beat": None}])
    _assert_missing(answer, "face", "face_up/3")
    assert legal_moves(faces, [{"hand": "123", "to_beat": "1", "face": ["36"]}]) == [["2", "pass"]]


def _assert_missing(answer: Any, field: str, reader: str) -> None:
    """Check the error of a missing field that a predicate reads."""
    assert isinstance(answer, GameError)
    assert answer.code == ErrorCode.INCOMPLETE_STATE
    assert reader in str(answer)
    assert f'"{field}"' in str(answer)


def test_gone_is_optional_when_all_cards_are_counted(watchful: CompiledGame) -> None:
    state = {"hand": "123456", "to_beat": "1", "cards": [6, 6, 5], "seat": 2, "acts": 1, "round": 0, "turned": False}
    assert isinstance(legal_moves(watchful, [state])[0], list)


def test_fields_not_read_by_the_rules_are_optional(president: CompiledGame) -> None:
    assert legal_moves(president, [{"hand": ["S3", "H3"], "to_beat": None}]) == [[["H3"], ["S3"], ["H3", "S3"]]]
    assert legal_labels(president, [{"hand": ["S3", "H3"]}]) == [["set(3,1)", "set(3,2)"]]


def test_only_invalid_states_return_errors(president: CompiledGame) -> None:
    answers = legal_moves(president, [{"hand": ["S3"]}, {"hand": ["X"]}, {"hand": ["S4"], "to_beat": ["S3"]}])
    assert answers[0] == [["S3"]]
    assert isinstance(answers[1], GameError)
    assert answers[2] == [["S4"], "pass"]


def test_errors_name_the_field(guandan: CompiledGame) -> None:
    good = {"hand": ["S3"], "level": "2"}
    cards, state = ErrorCode.INVALID_CARDS, ErrorCode.INVALID_STATE
    changes: list[tuple[dict[str, Any], ErrorCode, str, str]] = [  # code, field and value in the message
        ({"x": 1}, state, "", "'x'"), ({"hand": ["S3"] * 3}, cards, "hand", "S3"), ({"hand": []}, state, "hand", ""),
        ({"level": "Z"}, state, "level", "'Z'"), ({"level": 2.5}, state, "level", "2.5"),
        ({"standing": ["2"]}, state, "standing", "['2']"),
        ({"profile": "x"}, ErrorCode.UNKNOWN_PROFILE, "profile", ""), ({"to_beat": "pass"}, state, "to_beat", ""),
        ({"to_beat": ["S3", "S5"]}, ErrorCode.INVALID_MOVE, "to_beat", "S3 S5"),
        ({"top": "next"}, state, "top", ""), ({"to_beat": ["S4"], "top": "x"}, state, "top", "'x'"),
        ({"cards": [1, 2]}, state, "cards", "[1, 2]"), ({"cards": [1, -2, 3]}, state, "cards", "-2"),
        ({"cards": [90, 90, 1]}, state, "cards", "28"),
        ({"gone": [["S3"], ["S3"], [], []]}, cards, "hand, to_beat, gone, face, aside", "3 copies of S3"),
        ({"gone": [["S3"], [], []]}, state, "gone", "[['S3'], [], []]"),
        ({"gone": [["S5"], "S4", [], []]}, cards, "gone", "['S5']"), ({"passed": ["next"]}, state, "passed", ""),
        ({"to_beat": ["S4"], "passed": [9]}, state, "passed", "9"), ({"seat": 4}, state, "seat", "4"),
        ({"stage": "bid"}, state, "", "'bid'"), ({"stage": "tribute", "to_beat": ["S4"]}, state, "to_beat", ""),
        ({"aside": -1}, state, "aside", "-1"), ({"face": [[]]}, state, "face", "[[]]"),
        ({"acts": "x"}, state, "acts", "'x'"), ({"finish": [0]}, state, "finish", "seat 0"),
    ]  # fmt: skip
    assert isinstance(legal_moves(guandan, [good])[0], list)
    for change, code, field, text in changes:
        (answer,) = legal_moves(guandan, [good | change])
        assert isinstance(answer, GameError)
        assert answer.code == code, (change, answer)
        assert str(answer).startswith(f"{field}: " if field else ""), (change, answer)
        assert text in str(answer), (change, answer)
    values: list[Any] = [[], "S3", None, {}]
    for value in values:
        (answer,) = legal_moves(guandan, [value])
        assert isinstance(answer, GameError)
        assert answer.code == ErrorCode.INVALID_STATE


@pytest.mark.parametrize(
    ("gone", "cards"),
    [(["S5"], 2), ([None, ["S5"], None, None], 2), ([[], [], [], ["S4", "S4"]], 2), ([], 1), (None, 1)],
)
def test_partial_gone_is_accepted(guandan: CompiledGame, gone: Any, cards: int) -> None:
    """The play to beat counts as played; all other cards outside the hand are unseen."""
    state = {"hand": ["S3"], "level": "2", "to_beat": ["S4"], "cards": [5, 6, 7], "gone": gone}
    decisions: Any = read_decision_point(guandan, state).decision
    assert decisions.information_set().unseen.sum() == 108 - 1 - cards
    again = read_state(guandan, write_state(guandan, decisions))
    assert again.played.sum() == cards


def test_rules_reading_gone_require_it_in_full(watchful: CompiledGame) -> None:
    state = {"hand": "1345", "to_beat": "2", "cards": [6, 5, 5], "seat": 2, "acts": 5, "round": 0, "turned": False}
    (answer,) = legal_moves(watchful, [state | {"gone": ["1", "2", "", "6"]}])
    assert isinstance(answer, GameError)
    assert answer.code == ErrorCode.INVALID_STATE
    assert str(answer).startswith("cards, gone: 1 ")


def test_choices_are_read_by_stage(auction: CompiledGame) -> None:
    bidding = {"stage": "auction", "hand": "123", "bid": [1, None]}
    assert legal_moves(auction, [bidding]) == [["bid(0)", "bid(2)"]]
    assert legal_labels(auction, [bidding]) == [["auction"]]
    decision_point = read_decision_point(auction, bidding)
    assert (decision_point.labels, decision_point.state) == (("auction", "auction"), {"to_beat": None, **bidding})
    (answer,) = legal_moves(auction, [{"stage": "auction", "hand": "123"}])
    _assert_missing(answer, "bid", "bid/2")
    assert "0, 1, 2" in str(answer)


def _state_within_trick(judging: CompiledGame) -> dict[str, Any]:
    """Return a state in the middle of a trick, after a seat has passed on the play to beat."""
    tables = Tables.begin(judging, match_keys(1, 3))
    while not (tables.state.passed[0] and tables.state.num_acts[0] > 9):
        step(tables)
    return json.loads(json.dumps(write_state(judging, tables.decisions(np.arange(1)))))


@pytest.mark.parametrize("field", ["seat", "acts", "has_passed", "banner"])
def test_explained_states_require_fields_read_by_preferences(judging: CompiledGame, field: str) -> None:
    state = {name: value for name, value in _state_within_trick(judging).items() if name not in (field, "gone")}
    assert read_decision_point(judging, state).actions
    with pytest.raises(GameError, match=f'"{field}"') as error:
        read_decision_point(judging, state, for_explanation=True)
    assert error.value.code == ErrorCode.INCOMPLETE_STATE


def test_passed_and_last_actor_are_inferred(judging: CompiledGame) -> None:
    state = _state_within_trick(judging)
    views = [
        read_decision_point(judging, given, for_explanation=True).decision.view.state
        for given in (state, _without(state))
    ]
    assert views[0].passed[0]
    for name in ("passed", "last_actor", "passed_in_trick"):
        assert getattr(views[0], name)[0] == getattr(views[1], name)[0], name


def _without(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in ("passed", "acted")}


def test_last_actor_is_required_where_a_trick_begins(judging: CompiledGame) -> None:
    begun = {"hand": "123456", "to_beat": None, "seat": 1, "banner": 2}
    assert read_decision_point(judging, begun, for_explanation=True).actions
    later = begun | {"hand": "12345", "acts": 4}
    with pytest.raises(GameError, match='"acted"') as error:
        read_decision_point(judging, later, for_explanation=True)
    assert error.value.code == ErrorCode.INCOMPLETE_STATE


def test_passed_is_inferred_from_the_trick(passes: CompiledGame) -> None:
    trick = read_decision_point(
        passes, {"hand": "1234", "seat": 2, "trick": ["2", "pass"], "acts": 9}
    ).decision.view.state
    assert trick.passed[0] == trick.passed_in_trick[0] == 0b010
    leading = {"hand": "1234", "seat": 2, "trick": [], "acts": 9, "acted": 1, "passed": [1]}
    begun = read_decision_point(passes, leading).decision.view.state
    assert (begun.passed[0], begun.last_actor[0]) == (0b010, 1)
    with pytest.raises(GameError, match='"acted"') as error:
        read_decision_point(passes, {name: value for name, value in leading.items() if name != "acted"})
    assert error.value.code == ErrorCode.INCOMPLETE_STATE
