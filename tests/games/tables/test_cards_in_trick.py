"""The cards of a trick where seats play higher or pass: inputs, states, and rules that may not read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.sampling.random_states import sample_state
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import LEADING, NO_CARD
from tests.effort import amount
from tests.games.random_play import match_keys, random_moves

SPOILS = Path(__file__).parents[1] / "vocabulary" / "spoils"
POINTS = {5: 5, 10: 10, 13: 10}


def rules_of_spoils() -> Any:
    return load(str(SPOILS)).engine().rules


def test_last_play_takes_the_points_of_the_trick() -> None:
    """A plain count over whole games, in which seats lay several plays to one trick."""
    rules = rules_of_spoils()
    worth = [POINTS.get(int(kind[5:-1].split(",")[0]), 0) for kind in rules.pack.kinds]
    tables = Tables.begin(rules, match_keys(20, 1))
    tables.auto_next_episode = False
    won, laid, last = np.zeros((20, 4), np.int64), [[0] * 4 for _ in range(20)], [-1] * 20
    several = 0
    while (playing := tables.rows_to_play()).size:
        moves = random_moves(
            tables.decisions(playing), splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
        )
        seats = tables.seat[playing].tolist()
        tables.play(playing, moves)
        for row, (table, seat) in enumerate(zip(playing.tolist(), seats, strict=True)):
            cards = [worth[card] for card in moves.cards[row] if card != NO_CARD]
            several += bool(cards and laid[table][seat])
            laid[table][seat] += sum(cards)
            last[table] = seat if cards else last[table]
            if tables.state.to_beat[table] == LEADING:
                won[table, last[table]] += sum(laid[table])
                laid[table] = [0] * 4
                assert not tables.state.trick_cards[table].any()
            else:
                assert (tables.state.trick_cards[table] @ np.array(worth)).tolist() == laid[table]
    assert several > 10
    assert (tables.points == won).all()


def test_states_with_cards_in_the_trick_round_trip() -> None:
    engine = load(str(SPOILS)).engine()
    tables, seen = Tables.begin(engine.rules, match_keys(amount(4, 8), 3)), 0
    for _ in range(30):
        rows = tables.rows_to_play()
        decisions = tables.decisions(rows)
        for row in range(len(rows)):
            state = json.loads(json.dumps(engine.decision_point_at(decisions, row).state))
            if "in_trick" not in state:
                assert decisions.to_beat[row] == LEADING
                continue
            again = engine.read_decision_point(state, for_explanation=True)
            assert (again.decision.view.state.trick_cards[0] == tables.state.trick_cards[rows[row]]).all()
            seen += 1
        tables.play(rows, random_moves(decisions, tables.keys[rows] + np.uint64(seen)))
    assert seen > 50


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"in_trick": None}, ErrorCode.INCOMPLETE_STATE),
        ({"in_trick": [["S5"], [], [], []]}, ErrorCode.INVALID_STATE),
        ({"in_trick": [["S5"], [], ["S4"]]}, ErrorCode.INVALID_STATE),
        ({"in_trick": [["S6"], [], [], ["S4"]]}, ErrorCode.INVALID_CARDS),
        ({"to_beat": None, "top": None}, ErrorCode.INVALID_STATE),
    ],
)
def test_invalid_states_are_rejected(change: dict[str, Any], code: ErrorCode) -> None:
    state = {"hand": ["S6", "DK"], "to_beat": ["S4"], "top": 3, "in_trick": [["S5"], [], [], ["S4"]], "seat": 0}
    engine = load(str(SPOILS)).engine()
    engine.read_decision_point(state, for_explanation=True)
    with pytest.raises(GameError) as caught:
        engine.read_decision_point(state | change, for_explanation=True)
    assert caught.value.code == code


def test_random_tricks_hold_the_play_to_beat() -> None:
    rules = rules_of_spoils()
    state = sample_state(rules, 300, np.random.default_rng(1))
    following = np.flatnonzero(state.to_beat >= 0)
    assert following.size > 100
    assert (state.trick_cards <= state.played).all()
    assert not state.trick_cards[state.to_beat < 0].any()
    for row in following.tolist():
        cards = [card for card in state.top_cards[row].tolist() if card != NO_CARD]
        assert (np.bincount(cards, minlength=52) <= state.trick_cards[row, state.owner[row]]).all()
    assert (state.trick_cards[following].sum(axis=(1, 2)) > 4).any()


def test_leader_and_takes_require_one_play_a_seat(tmp_path: Path) -> None:
    """The place of the input, and a remedy for climbing games."""
    rule = "#external leader(S) : seat(S).\nbarred(F) :- leader(0), form(_,F), F != pass.\n"
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "game.lp").write_text((SPOILS / "game.lp").read_text("utf-8") + rule, "utf-8")
    with pytest.raises(KBError) as caught:
        load(str(folder)).engine()
    assert caught.value.code == ErrorCode.UNSUPPLIED_INPUT
    (problem,) = caught.value.diagnostics
    assert problem.location is not None
    lines = (folder / "game.lp").read_text("utf-8").splitlines()
    assert lines[problem.location.line - 1].startswith("barred(F) :- leader(0)")
    assert "in_trick/3" in str(problem.remedy)
