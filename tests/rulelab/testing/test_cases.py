"""Tests of test cases: cases that hold, and the messages of failures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import Game, game_names, load
from abl_cards.rulelab.testing.cases import CASES_FILE, RuleCase, check_case, find_failures, read_cases
from abl_cards.rulelab.testing.games import collect_records
from abl_cards.rulelab.testing.inherited_cases import read_all_cases
from tests.effort import long

HAND = {"hand": ["S4", "C5", "S5"], "to_beat": None}
KING = ["Single", "K", ["HK"]]
FOLDERS = game_names()


@pytest.mark.parametrize("name", [pytest.param(name, marks=long if name == "bigtwo" else []) for name in FOLDERS])
def test_cases_of_shipped_games_hold(name: str) -> None:
    cases = read_all_cases(load(name).folder)
    assert cases
    assert not [str(failure) for failure in find_failures(cases, lambda profile: load(name).engine(None, profile))]


def test_cases_of_a_new_game_hold(engine: Engine) -> None:
    cases = read_cases(NEW_GAME)
    assert len(cases) == 3
    assert not list(find_failures(cases, lambda _: engine))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"state": HAND, "labels": ["single(4)"]}, "labels: pair(5), single(5) not expected"),
        ({"state": HAND, "labels": ["single(4)", "single(5)", "pair(5)", "pass"]}, "labels: pass missing"),
        ({"state": HAND, "moves": 5}, "there are 4 moves, not 5"),
        ({"state": HAND, "moves": [["S4"]]}, "moves: ["),
        ({"state": HAND, "costs": [[["S4"], 3]]}, '["S4"] costs 0, not 3'),
        ({"state": HAND, "costs": [[["S9"], 3]]}, '["S9"] is not legal'),
        ({"state": HAND, "costs": [3]}, "costs: "),
        ({"state": HAND, "best": [["S4"]]}, "best moves: "),
        ({"state": HAND, "sees": {"seat": 2}}, "seat is null, not 2"),
        ({"state": HAND, "sees": 3}, "sees: "),
        ({"state": HAND, "known": {"next": {"lacks": ["S3"]}}}, 'next lacks [], not ["S3"]'),
        ({"state": HAND, "known": {"across": {"has": []}}}, "known: unknown seat across; known: next, previous"),
        ({"state": HAND, "known": {"next": {"holds": []}}}, "'holds' is neither has nor lacks"),
        ({"state": HAND, "known": {"next": []}}, "known: not an object of seats (next, previous)"),
        ({"state": HAND, "hints": {"next": [["few(4)", "4", -3]]}}, 'the hints about next are [], not [["few(4)"'),
        ({"state": HAND, "hints": {"next": 3}}, "hints: not an object of seats (next, previous)"),
        ({"state": HAND, "hints": {"across": []}}, "hints: unknown seat across; known: next, previous"),
        ({"state": HAND, "estimate": ["S3"], "best": []}, "estimate: not an object of seats (next, previous)"),
        ({"state": HAND, "estimate": {"across": []}, "best": []}, "estimate: unknown seat across"),
        ({"state": HAND, "estimate": {"next": ["XX"]}, "best": []}, "XX"),
        ({"state": {"hand": ["XX"]}, "labels": []}, "XX"),
        ({"state": HAND, "error": "no such thing"}, "no error, but 'no such thing'"),
        ({"state": {"hand": ["XX"]}, "error": "YY"}, "the error is"),
        ({"order": ["single(4)", "single(3)"]}, ": single(3), single(4)"),
        ({"order": [], "number": 3}, "labels, not 3"),
        ({"words": {"single(4)": "四"}}, "single(4) is called"),
        ({"view": [["hand", [54]]]}, 'the observation is [["hand", [52]]'),
        ({"words": {"triple(4)": "四"}}, "there is no label triple(4)"),
    ],
)
def test_check_case_returns_the_difference(engine: Engine, case: dict[str, Any], message: str) -> None:
    assert message in check_case(RuleCase(1, case), engine)


def test_expected_costs_use_the_given_estimate() -> None:
    """With an estimate that no opponent has a higher single, leading the king costs less."""
    engine, state = load("guandan").engine(), {"hand": ["S7", "HK"], "level": "2", "cards": [9, 9, 9]}
    king = {"state": state, "costs": [[KING, cost_of(engine, state, KING) - 6]]}
    nothing_higher = {"next": ["S3"], "previous": ["D9"]}
    assert not check_case(RuleCase(1, king | {"estimate": nothing_higher}), engine)
    assert check_case(RuleCase(1, king | {"estimate": nothing_higher | {"next": ["HR"]}}), engine)
    assert check_case(RuleCase(1, king), engine)


def cost_of(engine: Engine, state: dict[str, Any], play: list[Any]) -> int:
    """Return the cost of a play without an estimate."""
    moment = engine.read_decision_point(state)
    costs = engine.preference_model().costs(moment.decision, moment.move_lists)[0]
    return int(costs[[action.to_json() for action in moment.actions].index(play)])


def test_expected_hints_are_compared() -> None:
    (record,) = collect_records(engine := load("guandan").engine(), RandomAgent(), 1, 7)
    assert record["acts"][0][1] == ["Single", "5", ["D5"]]
    hint = ["rest_of_single(5)", "5", -23]
    case = {"record": record, "before": 2, "hints": {"previous": [hint]}}
    assert not check_case(RuleCase(1, case), engine)
    assert "the hints about previous are" in check_case(RuleCase(1, case | {"hints": {"previous": []}}), engine)


def test_expected_error_holds(engine: Engine) -> None:
    assert not check_case(RuleCase(1, {"state": {"hand": ["XX"]}, "error": "XX"}), engine)


def test_records_are_replayed_and_positions_checked(engine: Engine) -> None:
    (record,) = collect_records(engine, RandomAgent(), 1, 7)
    assert not check_case(RuleCase(1, {"record": record}), engine)
    assert "points" in check_case(RuleCase(1, {"record": record | {"points": [9, -9, 0]}}), engine)
    assert "not 0" in check_case(RuleCase(1, {"record": record, "before": 3, "moves": 0}), engine)
    assert not check_case(RuleCase(1, {"record": record, "after": {"over": True}}), engine)
    assert check_case(RuleCase(1, {"record": record, "after": {"over": False}}), engine) == "over is true, not false"
    assert check_case(RuleCase(1, {"record": record, "after": 3}), engine).startswith("after: ")
    several = [record, record | {"points": [9, -9, 0]}, {"hands": 3}, record]
    failures = list(
        find_failures([RuleCase(line, {"record": value}) for line, value in enumerate(several, 1)], lambda _: engine)
    )
    assert [failure.case.line for failure in failures] == [2, 3]  # they are replayed in parallel
    assert "points" in failures[0].message


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("{", ""),
        ("[]", ""),
        ('{"why": "nothing"}', "none"),
        ('{"state": {}, "record": {}, "moves": 1}', "state, record"),
        ('{"state": {}, "labls": []}', "'labls'"),
        ('{"state": {}}', "labels, moves, best"),
        ('{"record": {}, "before": 3}', "'before'"),
        ('{"record": {}, "moves": 3}', "'before'"),
        ('{"state": {}, "estimate": {}, "moves": 3}', "best or costs"),
        ('{"words": {}, "profile": 3}', "profile: "),
        ('{"state": {"profile": [3]}, "moves": 1}', "profile: "),
    ],
)
def test_invalid_case_is_reported_with_its_line(tmp_path: Path, line: str, text: str) -> None:
    (tmp_path / CASES_FILE).write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(GameError, match=r"cases\.jsonl:2: .*") as raised:
        read_cases(tmp_path)
    assert raised.value.code == ErrorCode.INVALID_CASE
    assert text in str(raised.value)


def test_all_invalid_lines_are_reported(tmp_path: Path) -> None:
    """At most twenty of them, with the number of the others."""
    (tmp_path / CASES_FILE).write_text("[]\n" + '{"words": {}}\n' + "{}\n" * 25, "utf-8")
    with pytest.raises(GameError) as raised:
        read_cases(tmp_path)
    lines = str(raised.value).splitlines()
    assert [line.partition(f"{CASES_FILE}:")[2].partition(":")[0] for line in lines[:-1]] == [
        "1",
        *map(str, range(3, 22)),
    ]
    assert lines[-1].startswith("6 ")
    assert raised.value.code == ErrorCode.INVALID_CASE


@pytest.mark.parametrize(
    "case", [{"state": {**HAND, "profile": "nonsuch"}, "moves": 4}, {"record": {}, "profile": "nonsuch"}]
)
def test_unknown_profile_is_reported_with_its_line(folder: Path, case: Any) -> None:
    with pytest.raises(GameError, match=r"cases\.jsonl:7: .*'nonsuch'") as error:
        list(find_failures([RuleCase(7, case)], lambda profile: Game(_folder(folder)).engine(None, profile)))
    assert error.value.code == ErrorCode.INVALID_CASE


def test_failure_text_includes_the_reason_of_the_case(folder: Path) -> None:
    (folder / CASES_FILE).write_text(json.dumps({"why": "as agreed", "state": HAND, "moves": 9}) + "\n", "utf-8")
    (failure,) = find_failures(read_cases(folder), lambda _: Game(_folder(folder)).engine())
    assert str(failure) == "cases.jsonl:1: there are 4 moves, not 9 (as agreed)"
    assert str(replace(failure, case=replace(failure.case, line=0))).startswith("a case found before: ")


def _folder(path: Path) -> Any:
    from abl_cards.games.description.folder import Folder

    return Folder(path)
