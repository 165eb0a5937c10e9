"""An input of the rules is one entry of the registry: a new one in states, explanations, records, hints, reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent, make_explainable_agent
from abl_cards.asp import Signature, sandbox
from abl_cards.core import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.description import inputs
from abl_cards.games.description.input_schema import NUMBER, InputGroup, RuleInput, StateNumber
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.rulelab.editor.reference import describe_availability, load_vocabulary
from abl_cards.rulelab.testing.games import step_tables
from abl_cards.web.hints import compute_hint
from docs import generate_reference
from tests.effort import amount

IDLE = InputGroup(
    "idle", (), (RuleInput("idle(N)", (NUMBER,), "N decisions were made since a card was played"),),
    both=lambda view: view.each(lambda _, rows: view.state.idle_decisions[rows]),
    state_number=StateNumber("idle", "number of decisions since a card was played", "idle_decisions", 99),
)  # fmt: skip

RULES = """
% Three seats; pairs are led only after both other seats have passed, and points depend on it too.
#include <seats>.
#include <climbing>.
seat(0..2). deals(S,4) :- seat(S). leads(0).
rank(1..6). pack(R,2) :- rank(R).
label(set(R,N)) :- rank(R), N = 1..2. label(pass).
form(L,L) :- label(L).
kind(set(R,N),N) :- form(_,set(R,N)). kind(pass,pass).
needs(set(R,N),1,R,N) :- form(_,set(R,N)).
strength(set(R,N),R) :- form(_,set(R,N)).
#external held(R,N) : rank(R), N = 1..2.
#external idle(N) : N = 1..2.
playable(set(R,1)) :- rank(R), held(R,1).
playable(set(R,2)) :- rank(R), held(R,2), idle(2).
playable(pass).
#external finish(P,S) : P = 1..3, seat(S).
over :- out(_).
points(S,1,won) :- finish(1,S), not idle(1).
match_over.
#external play(L) : label(L).
preference(late,p). says(late,en,"Both others have passed."). says(late,zh,"两家都过了。").
cost(late,3) :- play(set(_,1)), idle(2).
"""


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("games") / "idle"
    folder.mkdir()
    (folder / "game.lp").write_text(RULES, encoding="utf-8")
    tables: list[dict[Any, Any]] = [inputs.GROUPS, inputs.INPUTS, inputs.STATE_NUMBERS]
    entries = [dict(table) for table in tables]
    inputs.register(IDLE)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sandbox, "_in_process", True)
            yield load(str(folder)).engine()
    finally:
        for table, before in zip(tables, entries, strict=True):
            table.clear()
            table.update(before)


STATE = {"hand": "225", "to_beat": None}


def test_new_input_is_read_from_states(idle: Engine) -> None:
    late, early, missing, wrong = idle.legal_moves(
        [STATE | {"idle": 2}, STATE | {"idle": 1}, STATE, STATE | {"idle": -1}]
    )
    assert isinstance(late, list)
    assert "22" in late
    assert isinstance(early, list)
    assert "22" not in early
    assert isinstance(missing, GameError)
    assert isinstance(wrong, GameError)
    assert (missing.code, wrong.code) == (ErrorCode.INCOMPLETE_STATE, ErrorCode.INVALID_STATE)
    assert '"idle"' in str(missing)
    assert str(wrong).startswith("idle: ")


def test_explanations_name_preferences_reading_the_new_input(idle: Engine) -> None:
    for count in (1, 2):
        explanation = load(str(idle.rules.folder.path)).explain(STATE | {"idle": count}, "5")
        assert explanation.made is not None
        assert [reason.name for reason in explanation.made.reasons] == ["late"] * (count == 2)


def test_records_and_tables_agree_on_the_new_input(idle: Engine) -> None:
    matches = amount(6, 20)
    recorder = idle.new_recorder(matches)
    tables = idle.start_matches(splitmix64_array(np.arange(matches).astype(np.uint64), 5), recorder)
    while step_tables(tables, make_agent("random", idle)):
        pass
    records = [json.loads(json.dumps(record)) for table in range(matches) for record in recorder.pop_records(table)]
    assert not idle.replay(records).mismatches
    seen = set()
    for record in records:
        for number, (_, play) in enumerate(record["acts"], start=1):
            point = idle.read_decision_point(record, number)
            seen.add(point.state["idle"])
            (moves,) = idle.legal_moves([point.state])
            assert isinstance(moves, list)
            assert play in moves
    assert seen == {0, 1, 2}


def test_web_hints_give_reasons_from_the_new_input(idle: Engine) -> None:
    point = idle.read_decision_point(STATE | {"idle": 2}, None, True)
    agent = make_explainable_agent("kb", idle)
    hint = compute_hint(idle, agent, point, "zh", idle.start_matches(np.zeros(1, np.uint64)))
    assert hint["best"]["value"] == "22"
    assert "两家都过了" in json.dumps(hint["next"], ensure_ascii=False)


def test_reference_describes_the_new_input(idle: Engine) -> None:
    page = generate_reference.render_predicates()
    assert "\n| `idle(N)` | N decisions were made since a card was played |\n" in page
    (seat,) = [line for line in page.splitlines() if line.startswith("*What a seat sees*")]
    assert seat.count("`idle/1`") == 2
    entry = load_vocabulary()[Signature("idle", 1)]
    assert entry.text == "idle(N)"
    assert "what may be played" in describe_availability(entry)
