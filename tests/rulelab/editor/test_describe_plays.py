"""Tests of plays in words: shapes with ranges of lengths, and what beats them."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.game import load
from abl_cards.rulelab.editor import describe_plays, describe_rules
from tests.edited import edited
from tests.games.test_vocabulary import engine_of


def test_doctests_pass() -> None:
    assert doctest.testmod(describe_plays).failed == 0


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([3, 4, 5], True), ([14, 2, 3], True), ([14, 15, 3, 4], True), ([15, 3], True), ([3], True),
        ([3, 5], False), ([3, 4, 6], False), ([3, 5, 6, 7], False), ([14, 2, 15, 3], False), (["a"], False),
    ],
)  # fmt: skip
def test_is_row_detects_consecutive_ranks(cells: list[Any], expected: bool) -> None:
    assert describe_plays._is_row(cells) == expected


def test_small_game_is_described_in_both_languages() -> None:
    engine = load(str(NEW_GAME)).engine()
    plays, beats = (section.lines for section in describe_rules(engine)[1:3])
    assert plays == ("pair: 2 of a rank (13 of them)", "single: one card (13 of them)")  # in the order of labels
    assert beats[0] == "a play is beaten by a stronger one of the same kind"
    assert beats[-1].endswith("3 4 5 6 7 8 9 T J Q K A 2")
    chinese = describe_rules(engine, "zh", with_preferences=False)
    assert chinese[2].lines[0] == "同牌型比大小，大的压小的"


def test_labels_with_suits_are_grouped_by_rank() -> None:
    """Labels that name suits have a cell for each card; a row of one suit is known by its cards."""
    plays = "\n".join(describe_rules(load("daifugo").engine())[1].lines)
    assert "set: 2 of a rank (78 of them)" in plays
    assert "run: 3–11 ranks in a row of one suit (324 of them)" in plays


def test_flushes_are_not_described_as_rows() -> None:
    """Straight flushes and flushes have as many groups of one card, and one kind; rows may begin A 2."""
    plays = describe_rules(load("bigtwo").engine())[1].lines
    assert "five: 5 ranks in a row of one suit (32 of them)" in plays
    assert "five: 5 ranks of one suit (5116 of them)" in plays  # 4 * 1287, less 8 straight flushes of each suit
    assert "kind: 5–13 ranks in a row (61 of them)" in describe_rules(load("big2").engine())[1].lines


def test_stages_have_their_translated_names() -> None:
    table = describe_rules(load("daifugo").engine(), "zh")[0].lines
    assert table[-1] == "另有：还牌"


def test_fluents_are_described_with_their_duration() -> None:
    sections = {section.heading: section.lines for section in describe_rules(engine_of("fluents", None))}
    assert sections["Remembered"] == (
        "last (one value, for the deal)", "level (one value, for the match; 1 at first)",
        "lost (a number, for the match)", "revolution (yes or no, for the deal)",
    )  # fmt: skip


def test_shipped_game_is_fully_described_in_chinese() -> None:
    """Every name that the Chinese text shows is Chinese, and trumps that rules fix are named."""
    engine = load("spades").engine()
    for section in describe_rules(engine, "zh", with_preferences=False):
        assert not [line for line in section.lines if re.search(r"[a-z_]{2,}", line)]
    lines = [line for section in describe_rules(engine) for line in section.lines]
    assert "trumps: spades" in lines
    assert "each bag: 1 point" in lines


def test_numeric_options_are_named_by_digits() -> None:
    """A bid of thirteen is no king."""
    engine = load("spades").engine()
    assert [str(engine.play_name(name)) for name in ("bid", "bid(0)", "bid(13)")] == ["叫墩", "叫零", "叫13墩"]


def test_variable_deal_sizes_are_described_as_a_range(tmp_path: Path) -> None:
    """The lot of the match gives one seat the card that otherwise lies aside."""
    lot = "#external lot(odd,N) : N = 0..1. lots(odd,2). deals(0,14) :- lot(odd,1)."
    deal = "deals(S,13) :- seat(S).", "deals(S,12) :- seat(S)."
    folder = edited(tmp_path / "game", {"game.lp": deal}, lot, "president")
    lines = [line for section in describe_rules(load(str(folder)).engine()) for line in section.lines]
    assert "dealt to each seat: 12–14 (the state of the match decides)" in lines
    assert not any("set aside" in line for line in lines)


def test_barred_plays_are_omitted(tmp_path: Path) -> None:
    """In Gan Deng Yan without runs of pairs, all other plays stay."""
    (tmp_path / "variant.lp").write_text("parent(gandengyan).", "utf-8")
    (tmp_path / "house.lp").write_text("barred(run(2,N,R)) :- label(run(2,N,R)).", "utf-8")
    for language in ("en", "zh"):
        usual = describe_rules(load("gandengyan").engine(), language)[1].lines
        barred = [line for line in usual if "pairs" in line or "连对" in line]
        assert barred
        lines = describe_rules(load(tmp_path).engine(), language)[1].lines
        assert lines == tuple(line for line in usual if line not in barred)


@pytest.mark.parametrize(
    ("game", "line"), [("daifugo", "单张/鬼牌：一张（共53种）"), ("tractor", "甩牌：一张（共64种）")]
)
def test_both_languages_have_the_same_lines(game: str, line: str) -> None:
    """Chinese names are those of labels, of which a kind may have many."""
    english, chinese = (describe_rules(load(game).engine(), language)[1].lines for language in ("en", "zh"))
    assert len(english) == len(chinese)
    assert line in chinese


def test_a_game_in_which_nothing_is_beaten_does_not_speak_of_stronger_plays() -> None:
    assert "What beats what" not in [section.heading for section in describe_rules(engine_of("giving"))]


def test_equal_single_cards_are_not_described_from_weak_to_strong(tmp_path: Path) -> None:
    equal = {"labels.lp": ("strength(single(R),R) :-", "strength(single(R),1) :-")}
    folder = edited(tmp_path / "mine", equal, name=str(NEW_GAME))
    assert not [
        line for section in describe_rules(load(str(folder)).engine()) for line in section.lines if "weak" in line
    ]


def test_single_cards_of_another_kind_are_not_ordered_among_the_others(tmp_path: Path) -> None:
    """A card that is led alone, and that no single card beats, is no weak single card."""
    dog = """
pack(dog,1). letter(dog,"DO"). label(dog). kind(dog,dog). needs(dog,1,dog,1).
strength(dog,0). #external held(C,N) : C = dog, N = 1. playable(dog) :- held(dog,1).
"""
    folder = edited(tmp_path / "game", more=dog, name=str(NEW_GAME))
    text = "\n".join(line for section in describe_rules(load(folder).engine()) for line in section.lines)
    assert "single cards from weak to strong: 3 4 5 6" in text
    assert "DO" in text
