"""Tests of records of matches: written, read and replayed."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation.decision_points import read_decision_point
from abl_cards.games.notation.recorded_acts import choices_at_acts, decisions_at_acts, find_choice_acts, find_play_acts
from abl_cards.games.notation.records import MatchRecorder, read_record
from abl_cards.games.notation.replay import replay_records
from abl_cards.games.notation.state_moves import legal_moves
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from tests.effort import amount
from tests.games.random_play import match_keys, step

MATCHES = amount(4, 8)
_SAVED: dict[int, list[dict[str, Any]]] = {}


def _records(rules: CompiledGame) -> list[dict[str, Any]]:
    if id(rules) not in _SAVED:
        recorder = MatchRecorder(rules, MATCHES, {"match": 7})
        tables = Tables.begin(rules, match_keys(MATCHES, 11), recorder)
        for _ in range(400):
            if not step(tables):
                break
        records = [record for table in range(MATCHES) for record in recorder.pop_records(table)]
        _SAVED[id(rules)] = json.loads(json.dumps(records))
    return copy.deepcopy(_SAVED[id(rules)])


def test_played_matches_replay(rules: CompiledGame) -> None:
    records = _records(rules)
    result = replay_records(rules, records)
    assert result.mismatches == ()
    assert result.episodes == len(records) >= MATCHES
    assert result.plays == sum(map(len, find_play_acts(rules, records)))


def test_recording_a_replay_gives_equal_records(rules: CompiledGame) -> None:
    records = _records(rules)
    recorder = MatchRecorder(rules, len(records), {"match": 7})
    replay_records(rules, records, recorder)
    assert [recorder.pop_records(table)[0] for table in range(len(records))] == records


def test_record_fields_are_in_order(auction: CompiledGame) -> None:
    record = _records(auction)[0]
    assert list(record) == ["game", "match", "episode", "hands", "aside", "acts", "finish", "points", "won"]
    assert record["game"] == "auction"
    assert record["match"] == 7
    assert len(record["aside"]) == 3


def test_first_episode_has_initial_fluents(guandan: CompiledGame) -> None:
    """A record without the fluents before its episode has those of ``init/1``; a later episode has none."""
    record = next(record for record in _records(guandan) if record["episode"] == 0)
    begun = read_record(guandan, record).fluents
    del record["before"]
    assert (begun != guandan.fluents.defaults).any()
    assert (read_record(guandan, record).fluents == begun).all()
    assert (read_record(guandan, {**record, "episode": 1}).fluents == guandan.fluents.defaults).all()


def test_records_hold_match_fluents(guandan: CompiledGame) -> None:
    later = next(record for record in _records(guandan) if record["episode"] > 0)
    assert set(later["before"]) >= {"level", "standing", "finished"}
    assert later["profile"] == "standard"
    assert "total" in later
    assert set(later["lots"]) == {"first_leader"}


def _damaged(record: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    damaged = copy.deepcopy(record)
    target: Any = damaged
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return damaged


def test_mismatches_of_damaged_records_give_the_act(president: CompiledGame) -> None:
    record = _records(president)[0]
    acts, seats = record["acts"], record["acts"][0][0]
    changes: list[tuple[list[Any], Any, str]] = [
        (["acts", 0, 0], (seats + 1) % 4, f"act 1: seat {(seats + 1) % 4} acts, .* seat {seats}$"),
        (["acts", 1, 1], ["C3", "D4"], "act 2: C3 D4 "),
        (["acts", 1, 1], ["X"], "act 2: 'X' "), (["acts", 1, 1], {"a": 1}, "act 2: {'a': 1} "),
        (["acts", 2], [0], r"act 3: \[0\] "), (["acts", 2], [9, "pass"], "act 3: 9 "),
        (["acts"], acts[:-1], f".* {len(acts) - 1} acts"), (["acts"], [*acts, [0, "pass"]], f"act {len(acts) + 1}: "),
        (["acts"], None, "acts: "), (["finish"], [0, 1, 2, 3], r"finish is \[0, 1, 2, 3\], "),
        (["points"], [9, 9, 9, 9], r"points are \[9, 9, 9, 9\], "), (["points"], [1, 2], r"points: \[1, 2\] .* 4 "),
        (["won"], "draw", "won is 'draw', "), (["won"], 7, "won: 7 "), (["hands"], [[]], "hands: .* 4 "),
        (["hands", 1], ["C3"], "hands of seat 1: 1 .* 13 "), (["hands", 0], record["hands"][1], "hands: 2 "),
        (["game"], "x", "game: .* 'x'"), (["aside"], ["S3"], "aside: "), (["before"], {"x": 1}, "before: x: "),
        (["lots"], {"x": 1}, "lots:"), (["episode"], -1, "episode: -1"), (["profile"], "x", "profile: 'x', "),
        (["total"], "x", "total: 'x' .* 4 "),
    ]  # fmt: skip
    damaged = [_damaged(record, path, value) for path, value, _ in changes]
    texts = {
        mismatch.line: mismatch.text
        for mismatch in replay_records(president, [*damaged, record, GameError("cut off")]).mismatches
    }
    assert texts.pop(len(changes) + 2) == "cut off"
    assert len(texts) == len(changes)
    for line, (path, _, pattern) in enumerate(changes, start=1):
        assert re.match(pattern, texts[line]), (path, texts[line])


def test_redeal_ends_a_record(auction: CompiledGame) -> None:
    record = _records(auction)[0]
    record["acts"] = [[0, "bid(0)"], [1, "bid(0)"], *record["acts"]]
    (mismatch,) = replay_records(auction, [record]).mismatches
    assert mismatch.text.startswith("act 2: ")
    record["acts"] = [[0, "bid(2)"], [1, "bid(1)"]]
    assert re.match(r"act 2: 'bid\(1\)' .* seat 1$", replay_records(auction, [record]).mismatches[0].text)


def test_missing_label_of_an_ambiguous_play_is_a_mismatch(wild: CompiledGame) -> None:
    for record in _records(wild):
        for number, (_, act) in enumerate(record["acts"]):
            if isinstance(act, dict):
                answer = replay_records(wild, [_damaged(record, ["acts", number, 1], act["cards"])]).mismatches
                assert not answer or f"act {number + 1}: " in answer[0].text or "act " in answer[0].text
                if answer and "write {" in answer[0].text:
                    return
    pytest.fail("no play was ambiguous")


def test_decision_points_of_records(rules: CompiledGame) -> None:
    record = _records(rules)[0]
    for move in (1, 2, len(record["acts"]) // 2, len(record["acts"])):
        decision_point = read_decision_point(rules, record, move)
        assert decision_point.chosen_move is not None
        assert decision_point.actions[decision_point.chosen_move].to_json() == record["acts"][move - 1][1]
        assert legal_moves(rules, [decision_point.state]) == [[action.to_json() for action in decision_point.actions]]
    cut = {**record, "acts": record["acts"][:3]}
    assert read_decision_point(rules, cut).chosen_move is None
    acts = len(record["acts"])
    for number, place in [(0, "act 0"), (acts + 2, f"act {acts + 2}"), (None, f"act {acts + 1}")]:
        with pytest.raises(GameError, match=rf"{place}\b") as error:
            read_decision_point(rules, record, number)
        assert error.value.code == ErrorCode.INVALID_RECORD


def test_decisions_of_records(president: CompiledGame, auction: CompiledGame) -> None:
    records = _records(president)[:4]
    moves = [1, 2, 9, 30]
    decisions = decisions_at_acts(president, records, moves)
    acting = [record["acts"][move - 1][0] for record, move in zip(records, moves, strict=True)]
    assert decisions.view.seats.tolist() == acting
    with pytest.raises(GameError, match="act 1") as error:
        decisions_at_acts(auction, _records(auction)[:1], [1])
    assert error.value.code == ErrorCode.INVALID_RECORD


def test_choices_of_records(president: CompiledGame, auction: CompiledGame) -> None:
    records = _records(auction)[:4]
    plays, choices = find_play_acts(auction, records), find_choice_acts(auction, records)
    for record, played, chosen in zip(records, plays, choices, strict=True):
        assert sorted([*played, *chosen]) == list(range(1, len(record["acts"]) + 1))
    decisions = choices_at_acts(auction, records, [acts[-1] for acts in choices])
    assert decisions.view.seats.tolist() == [
        record["acts"][acts[-1] - 1][0] for record, acts in zip(records, choices, strict=True)
    ]
    with pytest.raises(GameError, match="act 2") as error:
        choices_at_acts(president, _records(president)[:1], [2])
    assert error.value.code == ErrorCode.INVALID_RECORD
    assert find_choice_acts(president, [{}]) == [[]]


def test_replay_notifies_listeners_with_the_table_of_each_record(president: CompiledGame) -> None:
    rows_heard: list[int] = []

    class Ends(NullListener):
        def on_episode_end(self, tables: Any, rows: np.ndarray[Any, np.dtype[np.int64]]) -> None:
            rows_heard.extend(rows.tolist())

    records = _records(president)
    replay_records(president, [records[0], {"hands": 1}, records[1]], Ends())
    assert sorted(rows_heard) == [0, 1]


def test_invalid_records_raise(president: CompiledGame) -> None:
    values: list[Any] = [None, 3, [], "x"]
    for value in values:
        with pytest.raises(GameError) as error:
            read_record(president, value)
        assert error.value.code == ErrorCode.INVALID_RECORD
