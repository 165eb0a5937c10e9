"""Chinese names of plays: every label has one, and moves can be parsed from the text that is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from abl_cards.games.description.play_names import PlayName, match_play_names, move_text
from abl_cards.games.game import load
from abl_cards.matches.sampled_positions import sample_from_play
from tests.effort import amount
from tests.games.every_game import every_game

POSITIONS = amount(4, 15)


@pytest.mark.parametrize("name", every_game())
def test_labels_have_unique_chinese_names(name: str) -> None:
    engine = load(name).engine()
    names = [str(engine.play_name(label)) for label in engine.labels]
    assert len(set(names)) == len(names)
    for text in names:
        assert re.search("[\u4e00-\u9fff]", text)
        assert not re.search("[a-z_(]", text)


@pytest.mark.parametrize("name", every_game())
def test_displayed_moves_parse_back(name: str) -> None:
    engine = load(name).engine()
    decisions: Any = sample_from_play(engine, POSITIONS, seed=2)
    for row in range(POSITIONS):
        point = engine.decision_point_at(decisions, row)
        names = [engine.play_name(label) for label in point.labels]
        for move in range(0, len(names), 7):
            shown = move_text(engine, point.labels[move], point.actions[move], "zh")
            rows = match_play_names(shown, names, point.actions)
            assert move in rows, shown
            assert {point.labels[match] for match in rows} == {point.labels[move]}
            assert move in match_play_names(str(names[move]), names, point.actions)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("不要", [0]), ("要不起！", [0]), ("过。", [0]),
        ("对三", [1]), ("一对 3", [1]), ("对子", [1, 2]), ("两个十", [2]), ("对10", [2]), ("黑桃十 红心十", [2]),
        ("单张大王", [3]), ("大王", [3]), ("顺子", [4]), ("顺子三四五六七", [4]), ("从三起", []), ("对", [1, 2]),
        ("三", [1, 4]), ("三带二", []), ("对四", []), ("hello 对三", []), ("", []), ("叫三分", []),
    ],
)  # fmt: skip
def test_play_names_match_typed_text(line: str, rows: list[int]) -> None:
    moves = [
        (PlayName("不要"), "PASS"),
        (PlayName("对子", "3"), "Pair 3 H3 C3"),
        (PlayName("对子", "T"), "Pair T ST HT"),
        (PlayName("单张", "大王"), "Single R HR"),
        (PlayName("顺子", "3", "起"), "Straight 3 S3 H4 C5 D6 S7"),
    ]
    assert match_play_names(line, [name for name, _ in moves], [action for _, action in moves]) == rows


def test_bids_match_typed_text() -> None:
    names, actions = [PlayName("叫分")] * 4, ["BID 3", "BID 2", "BID 1", "BID 0"]
    assert [match_play_names(line, names, actions) for line in ("叫三分", "叫2分", "叫一分", "不叫")] == [
        [0],
        [1],
        [2],
        [3],
    ]
