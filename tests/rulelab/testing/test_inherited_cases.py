"""Tests of inherited test cases: a variant checks those of its parent, and accepts changes of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.description.folder import Folder
from abl_cards.games.engine import Engine
from abl_cards.rulelab.testing.cases import CASES_FILE, CaseFailure, RuleCase, find_failures, read_cases
from abl_cards.rulelab.testing.games import collect_records
from abl_cards.rulelab.testing.inherited_cases import accept_changes, case_identifier, read_all_cases
from tests.games.test_vocabulary import engine_of

HAND = {"hand": ["S4", "C5", "S5"], "to_beat": None}
LABELS = ["single(4)", "single(5)", "pair(5)"]


def write_cases(folder: Path, *values: dict[str, Any]) -> None:
    """Write the cases of a folder."""
    folder.mkdir(exist_ok=True)
    (folder / CASES_FILE).write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")


@pytest.fixture
def variant(folder: Path) -> Path:
    """Return a folder whose parent is the copy of the new game."""
    variant = folder.with_name("child")
    variant.mkdir()
    (variant / "variant.lp").write_text(f"parent({folder.name}).\n", "utf-8")
    return variant


def failures(variant: Path, engine: Engine) -> list[str]:
    """Return the places of the cases that fail."""
    return [failure.case.location for failure in find_failures(read_all_cases(Folder(variant)), lambda _: engine)]


def test_variant_inherits_the_cases_of_its_parent(variant: Path, folder: Path, engine: Engine) -> None:
    write_cases(variant, {"state": HAND, "moves": 4})
    cases = read_all_cases(Folder(variant))
    assert [case.owner for case in cases] == ["mine"] * len(read_cases(folder)) + [""]
    assert not failures(variant, engine)
    assert [case.value for case in read_all_cases(Folder(folder))] == [case.value for case in read_cases(folder)]


def test_records_of_the_parent_are_valid_for_the_variant(variant: Path, folder: Path, engine: Engine) -> None:
    (record,) = collect_records(engine, RandomAgent(), 1, 7)
    write_cases(folder, {"record": {**record, "game": "mine"}})
    write_cases(variant, {"record": {**record, "game": "mine"}, "before": 2, "moves": 0})
    assert failures(variant, engine) == ["cases.jsonl:1"]  # the number of moves, not the name of the game


def test_case_of_the_variant_overrides_that_of_its_parent(variant: Path, folder: Path, engine: Engine) -> None:
    write_cases(folder, {"state": HAND, "moves": 9}, {"state": HAND, "labels": []}, {"state": HAND, "moves": 8})
    assert failures(variant, engine) == ["mine/cases.jsonl:1", "mine/cases.jsonl:2", "mine/cases.jsonl:3"]
    write_cases(variant, {"why": "as here", "state": HAND, "labels": LABELS})
    assert failures(variant, engine) == ["mine/cases.jsonl:1", "mine/cases.jsonl:3"]
    write_cases(variant, {"drops": "mine", "why": "another game"}, {"state": HAND, "moves": 4})
    assert [case.location for case in read_all_cases(Folder(variant))] == ["cases.jsonl:2"]


def test_accepted_changes_are_written_and_hold(variant: Path, folder: Path, engine: Engine) -> None:
    """Values are computed by the variant's rules; what they refuse is dropped."""
    (record,) = collect_records(engine, RandomAgent(), 1, 7)
    write_cases(
        folder,
        {"state": HAND, "moves": 9, "why": "nine"},
        {"state": HAND, "moves": [], "labels": [], "best": [], "costs": [[["S4"], 7], [["S9"], 1]]},
        {"state": HAND, "sees": {"hand": []}, "known": {"next": {"lacks": ["S3"]}, "across": {}}},
        {"record": record, "before": 2, "hints": {"next": [["few(4)", "4", -3]]}},
        {"words": {"single(4)": "四", "triple(4)": "三"}},
        {"order": ["single(4)", "single(3)"], "number": 3},
        {"view": []},
        {"record": record, "after": {"over": False}},
        {"state": {"hand": ["XX"]}, "moves": 1},
        {"record": {**record, "points": [9, -9, 0]}},
        {"state": HAND, "moves": 4},
    )
    write_cases(variant, {"state": HAND, "moves": 3})  # fails, and is the variant's own
    cases = read_all_cases(Folder(variant))
    found = list(find_failures(cases, lambda _: engine))
    assert accept_changes(variant, found, lambda _: engine) == (7, 2)
    assert failures(variant, engine) == ["cases.jsonl:1"]
    values = [case.value for case in read_cases(variant)]
    assert sorted(values[1]["moves"]) == [["C5"], ["C5", "S5"], ["S4"], ["S5"]]
    assert values[1]["costs"] == [[["S4"], 0]]
    assert [value["drops"] for value in values if "drops" in value] == [
        case_identifier(case) for case in cases if case.line in (5, 9, 10) and case.owner
    ]  # in place of 5, a case without the label that is gone
    assert len(read_all_cases(Folder(variant))) == len(cases) - 2


def test_accepted_option_names_are_written(tmp_path: Path) -> None:
    """Names of stages and options are kept as those of labels are."""
    engine = engine_of("pot", None)
    option = str(engine.rules.schema.options[0])
    case = RuleCase(1, {"words": {option: "else", "gone": "gone"}}, "pot")
    accept_changes(tmp_path, [CaseFailure(case, "")], lambda _: engine)
    (value,) = [case.value for case in read_cases(tmp_path) if "words" in case.value]
    assert value["words"] == {option: str(engine.play_name(option))}


def test_case_identifier_depends_on_the_position(engine: Engine) -> None:
    case = RuleCase(1, {"state": HAND, "moves": 4})
    assert case_identifier(case) == case_identifier(RuleCase(2, {"state": HAND, "moves": 5, "why": "5"}))
    for other in (
        {"state": HAND, "labels": []},
        {"state": HAND, "moves": 4, "profile": "x"},
        {"state": {}, "moves": 4},
    ):
        assert case_identifier(case) != case_identifier(RuleCase(1, other))


@pytest.mark.parametrize(
    ("name", "remedy"), [("deadbeef0000", "inherited from: mine"), ("mime", "did you mean 'mine'?")]
)
def test_drop_without_a_matching_case_is_rejected(variant: Path, folder: Path, name: str, remedy: str) -> None:
    write_cases(folder, {"state": HAND, "moves": 4})
    write_cases(variant, {"state": HAND, "labels": LABELS}, {"drops": name})
    with pytest.raises(GameError) as caught:
        read_all_cases(Folder(variant))
    assert caught.value.code == ErrorCode.INVALID_CASE
    assert f"{CASES_FILE}:2: " in str(caught.value)
    assert remedy in str(caught.value)


def test_drop_in_a_game_without_parent_is_rejected(folder: Path) -> None:
    write_cases(folder, {"state": HAND, "moves": 4}, {"drops": folder.name})
    with pytest.raises(GameError) as caught:
        read_all_cases(Folder(folder))
    assert caught.value.code == ErrorCode.INVALID_CASE


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"moves": True}, False),  # no number
        ({"moves": 4}, True),
        ({"labels": [*LABELS, LABELS[0]]}, False),
        ({"labels": LABELS[::-1]}, True),
        ({"labels": [label.replace("(", " ").rstrip(")") for label in LABELS]}, True),  # as moves are printed
        ({"moves": [["S4"], ["C5"], ["S5"], ["C5", "S5"]]}, True),
        ({"moves": [["S4"], ["C5"], ["S5"], ["S5", "C5"]]}, True),  # the same cards
        ({"moves": [["S4"], ["C5"], ["S5"], ["S4", "S5"]]}, False),
        ({"moves": [["S4"], ["S4"], ["S5"], ["S5", "C5"]]}, False),
    ],
)
def test_expected_moves_and_labels_are_exact(folder: Path, engine: Engine, fields: dict[str, Any], holds: bool) -> None:
    write_cases(folder, {"state": HAND, **fields})
    assert (not list(find_failures(read_cases(folder), lambda _: engine))) == holds
