"""What a seat sees as JSON, and tables that stand so."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.engine import Engine
from abl_cards.games.notation.decision_points import decision_point_at, legal_labels, legal_moves, read_decision_point
from abl_cards.games.notation.states import build_tables, read_state, write_state
from abl_cards.games.tables.tables import Tables
from tests.games.random_play import match_keys, step


def _asked(tables: Tables) -> list[Any]:
    """What is to be decided: plays, choices, or both."""
    playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
    plays = [tables.decisions(playing)] if playing.size else []
    return [*plays, *([tables.choices(choosing)] if choosing.size else [])]


def test_a_state_is_read_into_tables_that_write_the_same_state(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(3, 7))
    for _ in range(40):
        for asked in _asked(tables):
            written = json.loads(json.dumps(write_state(rules, asked)))
            again = build_tables(rules, [read_state(rules, written)])
            (other,) = _asked(again)
            assert write_state(rules, other) == written
            before, after = decision_point_at(rules, asked), decision_point_at(rules, other)
            assert [each.to_json() for each in before.actions] == [each.to_json() for each in after.actions]
            assert before.labels == after.labels
            assert before.labels
            assert legal_moves(rules, [written]) == [[each.to_json() for each in before.actions]]
            assert legal_labels(rules, [written]) == [list(dict.fromkeys(sorted(before.labels, key=_order(rules))))]
        step(tables)


def _order(rules: CompiledGame) -> Any:
    return lambda label: rules.label_texts.index(label) if label in rules.label_texts else -1


def test_tables_stand_as_the_seat_sees_them(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(2, 8))
    for _ in range(9):
        step(tables)
    playing = tables.rows_to_play()[:1]
    if not playing.size:
        return
    view = tables.decisions(playing).view
    written = write_state(rules, tables.decisions(playing))
    other = build_tables(rules, [read_state(rules, written)]).decisions(np.arange(1)).view
    for name in ("hand", "to_beat", "unseen", "hidden_hand_sizes", "top_other", "played_cards", "context"):
        assert (getattr(view, name) == getattr(other, name)).all(), name


def test_a_field_that_the_rules_read_must_be_there(watchful: CompiledGame, faces: CompiledGame) -> None:
    full = {
        "hand": "1345", "to_beat": "2", "top": "previous", "cards": [6, 6, 5], "seat": 2, "acts": 5, "round": 0,
        "turned": False, "gone": ["12", "2", "", "6"],
    }  # fmt: skip
    messages = {
        "cards": 'the rules look at cards/2: give "cards" (how many cards the others hold, next first)',
        "gone": 'the rules look at unseen/2: give "gone"', "acts": 'the rules look at acts/1: give "acts"',
        "round": 'the rules look at round/1: give "round" (a number)',
        "turned": 'the rules look at turned/0: give "turned" (true or false)',
    }  # fmt: skip
    full["cards"] = [6, 5, 5]
    assert isinstance(legal_moves(watchful, [full])[0], list)
    for field, message in messages.items():
        (answer,) = legal_moves(watchful, [{name: value for name, value in full.items() if name != field}])
        assert str(answer).startswith(message), field
    (answer,) = legal_moves(faces, [{"hand": "123", "to_beat": None}])
    assert str(answer) == 'the rules look at face_up/3: give "face" (the open cards of the others, next first)'
    assert legal_moves(faces, [{"hand": "123", "to_beat": "1", "face": ["36"]}]) == [["2", "pass"]]


def test_what_has_gone_need_not_be_told_where_all_cards_are_counted(watchful: CompiledGame) -> None:
    state = {"hand": "123456", "to_beat": "1", "cards": [6, 6, 5], "seat": 2, "acts": 1, "round": 0, "turned": False}
    assert isinstance(legal_moves(watchful, [state])[0], list)


def test_what_the_rules_do_not_read_may_be_missing(president: CompiledGame) -> None:
    assert legal_moves(president, [{"hand": ["S3", "H3"], "to_beat": None}]) == [[["H3"], ["S3"], ["H3", "S3"]]]
    assert legal_labels(president, [{"hand": ["S3", "H3"]}]) == [["set(3,1)", "set(3,2)"]]


def test_only_what_is_wrong_is_answered_by_errors(president: CompiledGame) -> None:
    answers = legal_moves(president, [{"hand": ["S3"]}, {"hand": ["X"]}, {"hand": ["S4"], "to_beat": ["S3"]}])
    assert answers[0] == [["S3"]]
    assert isinstance(answers[1], GameError)
    assert answers[2] == [["S4"], "pass"]


def test_errors_name_the_field(guandan: CompiledGame) -> None:
    good = {"hand": ["S3"], "level": "2"}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"x": 1}, "unknown field 'x' (a state has hand, to_beat,"),
        ({"hand": ["S3"] * 3}, "hand: there are not that many S3"), ({"hand": []}, "hand: there are no cards"),
        ({"level": "Z"}, "level: 'Z' is none of"), ({"level": 2.5}, "level: 2.5 is none of"),
        ({"standing": ["2"]}, "standing: ['2'] is no list of 2"),
        ({"profile": "x"}, "profile: the rules are loaded for"),
        ({"to_beat": "pass"}, "to_beat: a pass is nothing"), ({"to_beat": ["S3", "S5"]}, "to_beat: S3 S5 are no play"),
        ({"top": "next"}, "top: there is no play"), ({"to_beat": ["S4"], "top": "x"}, "top: 'x' is none of next,"),
        ({"cards": [1, 2]}, "cards: [1, 2] is no list of 3"), ({"cards": [1, -2, 3]}, "cards: -2 is no number"),
        ({"cards": [90, 90, 1]}, "cards: 90 is no number of cards from 0 to 28"),
        ({"gone": [["S3"], ["S3"], [], []]}, "hand, to_beat, gone, face, aside: together that makes 3 of S3"),
        ({"gone": [["S3"], [], []]}, "gone: [['S3'], [], []] is no list of 4 hands"),
        ({"passed": ["next"]}, "passed: nobody has"), ({"to_beat": ["S4"], "passed": [9]}, "passed: 9 is no seat"),
        ({"seat": 4}, "seat: 4 is no seat 0 to 3"), ({"stage": "bid"}, "stage: 'bid' is none of play, "),
        ({"stage": "tribute", "to_beat": ["S4"]}, "to_beat: there is none"), ({"aside": -1}, "aside: -1 is no number"),
        ({"face": [[]]}, "face: [[]] is no list of 3"), ({"acts": "x"}, "acts: 'x' is no number"),
        ({"finish": [0]}, "finish: seat 0 still holds cards"),
    ]  # fmt: skip
    assert isinstance(legal_moves(guandan, [good])[0], list)
    for change, message in wrong:
        (answer,) = legal_moves(guandan, [good | change])
        assert isinstance(answer, GameError)
        assert str(answer).startswith(message), (change, answer)
    nothings: list[Any] = [[], "S3", None, {}]
    for nothing in nothings:
        (answer,) = legal_moves(guandan, [nothing])
        assert str(answer).startswith("a state is a JSON object like")


@pytest.mark.parametrize(
    ("gone", "cards"),
    [(["S5"], 2), ([None, ["S5"], None, None], 2), ([[], [], [], ["S4", "S4"]], 2), ([], 1), (None, 1)],
)
def test_what_has_gone_may_be_known_in_part(guandan: CompiledGame, gone: Any, cards: int) -> None:
    """The play to beat is gone, said or not; what is not accounted for is unseen."""
    state = {"hand": ["S3"], "level": "2", "to_beat": ["S4"], "cards": [5, 6, 7], "gone": gone}
    decisions: Any = read_decision_point(guandan, state).decision
    assert decisions.information_set().unseen.sum() == 108 - 1 - cards
    again = read_state(guandan, write_state(guandan, decisions))
    assert again.played.sum() == cards


def test_where_rules_look_at_what_has_gone_all_of_it_is_told(watchful: CompiledGame) -> None:
    state = {"hand": "1345", "to_beat": "2", "cards": [6, 5, 5], "seat": 2, "acts": 5, "round": 0, "turned": False}
    (answer,) = legal_moves(watchful, [state | {"gone": ["1", "2", "", "6"]}])
    assert str(answer) == "cards, gone: 1 cards of the pack are nowhere"


def test_a_choice_has_its_stage(auction: CompiledGame) -> None:
    bidding = {"stage": "auction", "hand": "123", "bid": [1, None]}
    assert legal_moves(auction, [bidding]) == [["bid(0)", "bid(2)"]]
    assert legal_labels(auction, [bidding]) == [["auction"]]
    found = read_decision_point(auction, bidding)
    assert (found.labels, found.state) == (("auction", "auction"), {"to_beat": None, **bidding})
    (answer,) = legal_moves(auction, [{"stage": "auction", "hand": "123"}])
    assert str(answer) == 'the rules look at bid/2: give "bid" (a list of 2, each null, or one of 0, 1, 2)'


def test_the_kitty_is_not_shown(auction: CompiledGame) -> None:
    tables = Tables.begin(auction, match_keys(1, 3))
    written = write_state(auction, tables.choices(np.arange(1)))
    assert written["aside"] == 3


# --- what preferences and ends read -----------------------------------------------------------------------------------


def test_a_written_state_has_what_the_preferences_and_the_points_read(judging: CompiledGame) -> None:
    engine, tables = Engine(judging, "judging"), Tables.begin(judging, match_keys(4, 3))
    judge, steps = engine.preference_model(), 0
    while (playing := tables.rows_to_play()).size:
        for row in range(len(playing)):
            seen = engine.decision_point_at(tables.decisions(playing), row)
            bare = engine.read_decision_point(json.loads(json.dumps(seen.state)), for_explanation=True)
            costs = [judge.costs(each.decision, each.move_lists)[0].tolist() for each in (seen, bare)]
            assert costs[0] == costs[1], seen.state
            assert seen.state["laid_down"] == tables.state.num_plays[playing[row]].tolist()
        step(tables)
        steps += 1
    assert steps > 20


def _middle(judging: CompiledGame) -> dict[str, Any]:
    """A state in the middle of a trick, where somebody has passed on the play to beat."""
    tables = Tables.begin(judging, match_keys(1, 3))
    while not (tables.state.passed[0] and tables.state.num_acts[0] > 9):
        step(tables)
    return json.loads(json.dumps(write_state(judging, tables.decisions(np.arange(1)))))


@pytest.mark.parametrize("field", ["seat", "acts", "has_passed", "banner"])
def test_a_state_to_explain_must_have_what_the_preferences_read(judging: CompiledGame, field: str) -> None:
    state = {name: value for name, value in _middle(judging).items() if name not in (field, "gone")}
    assert read_decision_point(judging, state).actions
    with pytest.raises(GameError, match=f'give "{field}"'):
        read_decision_point(judging, state, for_explanation=True)


def test_who_has_passed_and_acted_last_follows(judging: CompiledGame) -> None:
    state = _middle(judging)
    views = [
        read_decision_point(judging, each, for_explanation=True).decision.view.state
        for each in (state, _without(state))
    ]
    assert views[0].passed[0]
    for name in ("passed", "last_actor", "passed_in_trick"):
        assert getattr(views[0], name)[0] == getattr(views[1], name)[0], name


def _without(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in ("passed", "acted")}


def test_who_acted_last_is_said_where_a_trick_begins(judging: CompiledGame) -> None:
    begun = {"hand": "123456", "to_beat": None, "seat": 1, "banner": 2}
    assert read_decision_point(judging, begun, for_explanation=True).actions
    later = begun | {"hand": "12345", "acts": 4}
    with pytest.raises(GameError, match='give "acted"'):
        read_decision_point(judging, later, for_explanation=True)


def test_who_has_passed_follows_from_a_trick(passes: CompiledGame) -> None:
    trick = read_decision_point(
        passes, {"hand": "1234", "seat": 2, "trick": ["2", "pass"], "acts": 9}
    ).decision.view.state
    assert trick.passed[0] == trick.passed_in_trick[0] == 0b010
    leading = {"hand": "1234", "seat": 2, "trick": [], "acts": 9, "acted": 1, "passed": [1]}
    begun = read_decision_point(passes, leading).decision.view.state
    assert (begun.passed[0], begun.last_actor[0]) == (0b010, 1)
    with pytest.raises(GameError, match='give "acted"'):
        read_decision_point(passes, {name: value for name, value in leading.items() if name != "acted"})
