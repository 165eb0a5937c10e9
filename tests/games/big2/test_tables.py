"""Big2 tables: deals, turns, points, records, states, and their text."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.endgame import build_race
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation import convert_decisions, render_table, render_view
from abl_cards.games.tables.decision_point import is_play_decision
from tests.brute_force.big2 import LETTERS
from tests.games.random_play import match_keys, play_out

HERE = np.zeros(1, np.int64)
FULL = ["33334444555566667777888899", "99TTTTJJJJQQQQKKKKAAAA2222"]


@cache
def engine() -> Engine:
    return load("big2").engine()


def hands(*texts: str) -> np.ndarray:
    return np.array([[[text.count(letter) for letter in LETTERS] for text in texts]], np.uint8)


def after(first: str, second: str, *plays: str) -> Any:
    """A table with these hands, where the seats have played in turn."""
    tables = build_race(engine().rules).start_matches(hands(first, second))
    for laid in plays:
        decisions = tables.decisions(HERE)
        lists = decisions.moves()
        texts = [
            engine().notate_move(int(form), cards).to_json()
            for form, cards in zip(lists.form, lists.cards, strict=True)
        ]
        tables.play(HERE, lists.select(np.array([texts.index(laid)])))
    return tables


def test_deals_are_half_a_pack_each() -> None:
    tables = engine().start_matches(match_keys(20, 5))
    dealt = tables.open_hands(np.arange(20))
    assert (dealt.sum(axis=1) == 4).all()
    assert (dealt.sum(axis=2) == 26).all()
    assert len({tuple(row.ravel().tolist()) for row in dealt}) == 20
    assert (tables.seat == 0).all()


def test_points_equal_the_cards_left() -> None:
    tables = after("34", "567", "3", "5", "pass", "6", "pass", "7")
    assert (tables.rows_to_play().size, tables.match_returns(HERE).tolist(), tables.winner.tolist()) == (
        0,
        [[-1, 1]],
        [1],
    )
    assert after("3", "567", "3").match_returns(HERE).tolist() == [[3, -3]]


def test_pass_gives_the_other_seat_the_lead() -> None:
    tables = after("34", "567", "3", "5", "pass")
    assert (tables.seat[0], tables.decisions(HERE).label_to_beat[0]) == (1, -1)


def record() -> dict[str, Any]:
    """A whole game at random."""
    recorder = engine().new_recorder(1)
    play_out(engine().start_matches(match_keys(1, 6), recorder))
    (game,) = recorder.pop_records(0)
    return game


def test_records_replay() -> None:
    played = record()
    assert engine().replay([played]).mismatches == ()
    assert played["points"][played["finish"][0]] == -played["points"][played["finish"][1]] > 0


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"acts": [[0, "pass"]]}, "act 1: "),
        ({"acts": [[1, "3"]]}, "turn of seat 0"),
        ({"acts": []}, "ends after 0 acts"),
        ({"points": [1, -1]}, "points are"),
        ({"hands": ["3"]}, "is not a list of 2 hands"),
        ({"hands": ["333", "33"]}, "3 cards, but 26"),
        ({"hands": [FULL[0], FULL[0]]}, "the pack has 4"),
        ({"acts": [[0]]}, "act 1"),
    ],
)
def test_errors_of_invalid_records(changed: dict[str, Any], says: str) -> None:
    result = engine().replay([record() | changed])
    assert says in result.mismatches[0].text


def test_hands_of_unequal_size() -> None:
    tables = after("34", "56789TJQKA2")
    assert tables.decisions(HERE).view.hand.sum() == 2
    assert "seat 1 (11) 56789TJQKA2" in render_table(engine().rules, tables, 0)


def test_both_hands_are_visible() -> None:
    tables = after("34", "567", "3")
    decisions = tables.decisions(HERE)
    known = decisions.information_set()
    assert (known.min_copies == hands("4")).all()
    assert (known.max_copies == hands("4")).all()
    seen = dict(engine().observation_features.slices)
    row = decisions.observe()[0]
    assert row[seen["hand"]].tolist() == hands("567")[0, 0].tolist()
    assert row[seen["face"]].tolist() == hands("4")[0, 0].tolist()
    assert row[seen["groups"]].tolist() == hands("3")[0, 0].tolist()
    assert engine().decision_point_at(decisions).state["face"] == ["4"]


def test_observation_has_groups_and_kicker_size() -> None:
    row = after("333446", "567", "33344").decisions(HERE).observe()[0]
    seen = dict(engine().observation_features.slices)
    assert row[seen["groups"]].tolist() == hands("333")[0, 0].tolist()
    assert row[seen["kicker_size"]].tolist() == [2]


def test_decision_points_of_states_and_records() -> None:
    moment = engine().read_decision_point({"hand": "3355", "to_beat": "44", "face": ["6"]})
    assert [str(action) for action in moment.actions] == ["55", "PASS"]
    assert render_view(engine().rules, moment) == "the others hold: the next seat 6\nhand: 3355\nto beat: 44"
    played = record()
    moment = engine().read_decision_point(played, 2)
    assert moment.chosen_move is not None
    assert moment.actions[moment.chosen_move].to_json() == played["acts"][1][1]
    acts = len(played["acts"])
    for wrong, move in ((played, acts + 2), (played, acts + 1), ({"hand": "3", "face": ["4"]}, 1), ({"hand": "3"}, 0)):
        with pytest.raises(GameError):
            engine().read_decision_point(wrong, move)
    with pytest.raises(GameError, match='give "face"'):
        engine().read_decision_point({"hand": "3", "to_beat": None})


def test_decisions_convert_to_another_profile() -> None:
    straight = load("big2").engine(None, "straight")
    decisions = engine().sample_decisions(300, seed=1)
    is_adopted, adopted = convert_decisions(straight.rules, decisions)
    assert is_play_decision(adopted)
    assert 0 < is_adopted.sum() < 300
    assert (adopted.legal_mask.sum(axis=0) <= decisions.legal_mask[:, is_adopted].sum(axis=0)).all()
