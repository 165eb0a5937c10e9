"""Tests of tables as text, names of plays and texts of arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abl_cards.asp.terms import Signature
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.play_names import PlayName, match_play_names, move_text
from abl_cards.games.game import load
from abl_cards.games.notation.decision_points import decision_point_at, read_decision_point
from abl_cards.games.notation.rendering import render_table, render_view
from abl_cards.games.notation.spelling import argument_sorts, play_name, spell
from abl_cards.games.tables.tables import Tables
from tests.games.notation import folders
from tests.games.random_play import match_keys, play_out, step


def test_a_table_in_play_and_at_its_end(president: CompiledGame) -> None:
    tables = Tables.begin(president, match_keys(1, 3))
    first = render_table(president, tables, 0).splitlines()
    assert first[0] == "episode 1"
    assert sum(line.startswith(">") for line in first) == 1
    assert first[5] == f"seat {tables.seat[0]} leads"
    assert first[6].endswith("legal labels:")
    step(tables)
    assert "to beat: set " in render_table(president, tables, 0)
    play_out(tables)
    assert render_table(president, tables, 0).splitlines()[-1].startswith("the episode is over: points ")


def test_a_table_where_something_is_chosen(auction: CompiledGame) -> None:
    tables = Tables.begin(auction, match_keys(1, 3))
    lines = render_table(auction, tables, 0).splitlines()
    assert lines[3].startswith("  aside  ( 3) ")
    assert lines[4:] == ["seat 0 chooses: auction", "3 options: bid(0) bid(1) bid(2)"]
    seen = decision_point_at(auction, tables.choices(np.arange(1)))
    assert "to choose: auction" in render_view(auction, seen)
    assert "请选择：auction" in render_view(auction, seen, "zh")


def test_what_a_table_remembers_is_drawn(guandan: CompiledGame) -> None:
    tables = Tables.begin(guandan, match_keys(1, 3))
    assert render_table(guandan, tables, 0).startswith("episode 1, level 2, standing 2 2\n")


def test_what_a_seat_sees(president: CompiledGame) -> None:
    state = {"hand": ["S5", "H5"], "to_beat": ["S3", "H3"], "top": "across", "cards": [3, 4, 5]}
    assert render_view(president, read_decision_point(president, state)).splitlines() == [
        "the others hold: the next seat 3, the seat across 4, the previous seat 5", "hand: S5 H5",
        "to beat: S3 H3 of the seat across",
    ]  # fmt: skip
    assert render_view(president, read_decision_point(president, {"hand": ["S5"]}), "zh").splitlines() == [
        "手牌：S5",
        "请出牌",
    ]


def test_names_without_words_are_the_labels(tmp_path: Path) -> None:
    rules = folders.rules_of(tmp_path / "plain", folders.AUCTION)
    assert tuple(play_name(rules, "set(4,2)")) == ("set", "4", "(2)")
    assert str(play_name(rules, "pass")) == "不要"
    assert str(play_name(rules, "tribute")) == "tribute"


def test_names_of_several_parts(president: CompiledGame) -> None:
    assert tuple(play_name(president, "set(11,2)")) == ("对子", "J", "")


def test_names_that_the_rules_give(tmp_path: Path) -> None:
    called = 'called(set(R,2),"对子",R) :- rank(R).\ncalled(auction,"叫分","").\n'
    rules = folders.rules_of(tmp_path / "named", folders.AUCTION + called)
    assert str(play_name(rules, "set(4,2)")) == "对子4"
    assert str(play_name(rules, "auction")) == "叫分"


def test_words_name_stages_and_options_that_are_not_called(tmp_path: Path) -> None:
    words = """word(stage,auction,zh,"叫分"). called(bid(2),("叫",num(2),"分"),"").
        word(option,bid(0),zh,"不叫"). word(option,bid(2),zh,"二"). word(option,bid(1),en,"one").\n"""
    rules = folders.rules_of(tmp_path / "worded", folders.AUCTION + words)
    names = [str(play_name(rules, name)) for name in ("auction", "bid(0)", "bid(1)", "bid(2)")]
    assert names == ["叫分", "不叫", "bid(1)", "叫2分"]


def test_moves_are_spoken_of_and_meant_in_chinese(president: CompiledGame) -> None:
    class Namer:
        def play_name(self, label: str) -> PlayName:
            return play_name(president, label)

    decision_point = read_decision_point(president, {"hand": ["S5", "H5", "SJ"]})
    moves = zip(decision_point.labels, decision_point.actions, strict=True)
    texts = [move_text(Namer(), label, action, "zh") for label, action in moves]
    assert texts == ["单张5 H5", "单张5 S5", "单张J SJ", "对子5 H5 S5"]
    assert match_play_names(
        "红桃五黑桃五", [play_name(president, label) for label in decision_point.labels], decision_point.actions
    ) == [3]


def test_sorts_and_words_for_arguments(guandan: CompiledGame) -> None:
    known = argument_sorts(guandan)
    assert known[Signature("level", 1)] == ("rank",)
    assert known[Signature("gave", 2)] == ("seat", "card")
    assert known[Signature("held", 3)] == ("rank", "suit", None)
    assert known[Signature("cards", 2)] == ("who", None)
    words = [spell(guandan, *arguments) for arguments in (
        ("rank", 11, "en"), ("suit", "h", "zh"), ("card", "card(3,s)", "en"), ("card", "card(16,joker)", "en"),
        ("seat", 2, "zh"), ("who", "partner", "en"), ("who", 3, "en"), ("role", "player", "en"),
    )]  # fmt: skip
    assert words == ["J", "红桃", "S3", "HR", "2号位", "the partner", "the seat 3 places on", "player"]


def test_a_pile_to_draw_from_is_named() -> None:
    """The cards of a draw pile are not those that were set aside."""
    engine = load("gandengyan").engine()
    state = {"hand": ["C3"], "to_beat": None, "cards": [5, 5, 5], "seat": 0, "laid_down": [0, 0, 0, 0], "aside": 31}
    point = engine.read_decision_point({**state, "stock": 31}, None, True)
    texts = [render_view(engine.rules, point, language) for language in ("en", "zh")]
    assert "in the pile: 31" in texts[0]
    assert "牌堆：31" in texts[1]
