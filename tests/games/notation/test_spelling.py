"""Names of plays, and arguments in words."""

from __future__ import annotations

from pathlib import Path

from abl_cards.asp.terms import Signature
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.compiled.predicate_sorts import argument_sorts
from abl_cards.games.description.play_names import PlayName, match_play_names, move_text
from abl_cards.games.notation.decision_points import read_decision_point
from abl_cards.games.notation.spelling import play_name, spell
from tests.games.notation import folders


def test_play_names_default_to_the_labels(tmp_path: Path) -> None:
    rules = folders.rules_of(tmp_path / "plain", folders.AUCTION)
    assert tuple(play_name(rules, "set(4,2)")) == ("set", "4", "(2)")
    assert str(play_name(rules, "pass")) == "不要"
    assert str(play_name(rules, "tribute")) == "tribute"


def test_play_name_has_several_parts(president: CompiledGame) -> None:
    assert tuple(play_name(president, "set(11,2)")) == ("对子", "J", "")


def test_play_names_come_from_called_facts(tmp_path: Path) -> None:
    called = 'called(set(R,2),"对子",R) :- rank(R).\ncalled(auction,"叫分","").\n'
    rules = folders.rules_of(tmp_path / "named", folders.AUCTION + called)
    assert str(play_name(rules, "set(4,2)")) == "对子4"
    assert str(play_name(rules, "auction")) == "叫分"


def test_word_facts_name_stages_and_options(tmp_path: Path) -> None:
    words = """word(stage,auction,zh,"叫分"). called(bid(2),("叫",num(2),"分"),"").
        word(option,bid(0),zh,"不叫"). word(option,bid(2),zh,"二"). word(option,bid(1),en,"one").\n"""
    rules = folders.rules_of(tmp_path / "worded", folders.AUCTION + words)
    names = [str(play_name(rules, name)) for name in ("auction", "bid(0)", "bid(1)", "bid(2)")]
    assert names == ["叫分", "不叫", "bid(1)", "叫2分"]


def test_chinese_move_texts_match_back(president: CompiledGame) -> None:
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


def test_sorts_and_texts_of_arguments(guandan: CompiledGame) -> None:
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


def test_words_of_shared_reasons_need_the_facts_of_the_shared_file(tmp_path: Path, president: CompiledGame) -> None:
    """A game with points on cards calls a reason ``cards`` too, which are not those left in the hand."""
    assert spell(president, "points", "place", "en") == "by place"
    rules = folders.rules_of(tmp_path / "plain", folders.AUCTION)
    assert [spell(rules, "points", reason, "en") for reason in ("cards", "from", "won")] == ["cards", "from", "won"]
    assert spell(rules, "points", "lost", "zh") == "输"
