"""Tests of How to play: texts in both languages, examples, and what beats what, for the rules of any folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core import LANGUAGES, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import game_names, load
from abl_cards.web.how_to import how_to_play
from abl_cards.web.how_to_plays import beats_json
from abl_cards.web.how_to_text import how_to_lines
from abl_cards.web.play_kinds import find_examples, play_kinds
from tests.effort import long
from tests.games.test_vocabulary import engine_of
from tests.web.test_words import is_foreign

QUICK = ("president", "hearts")
GAMES = [name if name in QUICK else pytest.param(name, marks=long) for name in game_names()]


def write_moons_game(folder: Path) -> Path:
    """Write a game with invented names of cards and an order of its own: owl < cat < sun < fox < moon, and storms."""
    folder.mkdir()
    (folder / "game.lp").write_text(
        """#include <seats>.
#include <climbing>.
#include <places>.
title(en,"Moons"). title(zh,"月亮牌").
beast(0,fox). beast(1,owl). beast(2,sun). beast(3,cat). beast(4,moon).
power(owl,1). power(cat,2). power(sun,3). power(fox,4). power(moon,5).
pack(B,4) :- beast(_,B).
index(B,I) :- beast(I,B).
letter(fox,"F"). letter(owl,"O"). letter(sun,"U"). letter(cat,"C"). letter(moon,"M").
word(card,fox,en,"Fox").   word(card,fox,zh,"狐狸").
word(card,owl,en,"Owl").   word(card,owl,zh,"猫头鹰").
word(card,sun,en,"Sun").   word(card,sun,zh,"太阳").
word(card,cat,en,"Cat").   word(card,cat,zh,"猫").
word(card,moon,en,"Moon"). word(card,moon,zh,"月亮").
seat(0..3). member(S,S\\2) :- seat(S).
deals(S,5) :- seat(S).
leads(0).
over :- #count { S : out(S) } >= 3.
place_points(1,2). place_points(2,1). place_points(3,-1). place_points(4,-2).
match_over.
label(set(B,N)) :- beast(_,B), N = 1..3.
label(pass).
order(set(B,N),(N,P)) :- power(B,P), N = 1..3.
order(pass,(9,0)).
form(L,L) :- label(L).
kind(set(B,N),set(N)) :- form(_,set(B,N)).
kind(pass,pass).
tier(set(3),1).
needs(set(B,N),1,B,N) :- form(_,set(B,N)).
strength(set(B,N),P) :- form(_,set(B,N)), power(B,P).
#external held(B,N) : beast(_,B), N = 1..4.
playable(set(B,N)) :- form(_,set(B,N)), held(B,N).
playable(pass).
called(set(B,1),"独行",B) :- beast(_,B).
called(set(B,2),"双飞",B) :- beast(_,B).
called(set(B,3),"风暴",B) :- beast(_,B).
""",
        encoding="utf-8",
    )
    return folder


def texts_of(value: Any) -> list[list[str]]:
    """Return all pairs of texts of a JSON value."""
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(item, str) for item in value):
            return [value]
        return [text for item in value for text in texts_of(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() if key not in ("cards", "deck") for text in texts_of(item)]
    return []


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_explained_in_both_languages(name: str) -> None:
    engine = load(name).engine()
    facts = how_to_play(engine)
    texts = texts_of({key: value for key, value in facts.items() if key != "order"})
    texts += [row["text"] for row in facts["order"]["rows"]] + facts["order"]["lines"]
    assert len(texts) > 8
    assert not [text for text in texts if bool(text[0]) != bool(text[1])]
    assert not [chinese for _, chinese in texts if is_foreign(chinese)]
    assert facts["kinds"]
    assert facts["order"]["rows"]
    assert facts["ladder"]["first"] is not None
    json.dumps(facts)
    for language in LANGUAGES:
        sections = how_to_lines(engine, language)
        assert all(lines for _, lines in sections)
        assert language == "en" or not [line for _, lines in sections for line in lines if is_foreign(line)]


@pytest.mark.parametrize("name", GAMES)
def test_kind_examples_have_the_stated_number_of_cards(name: str) -> None:
    engine = load(name).engine()
    kinds = play_kinds(engine)
    for kind in how_to_play(engine)["kinds"]:
        low, high = kinds[kind["kind"]].sizes
        assert low <= len(kind["example"]["cards"]) <= high


@pytest.mark.parametrize(
    "name", ["president", pytest.param("doudizhu", marks=long), pytest.param("guandan", marks=long)]
)
def test_beating_plays_agree_with_legal_moves(name: str) -> None:
    """Ask the engine again, by JSON states with a hand of the answer alone."""
    engine = load(name).engine()
    groups = how_to_play(engine)["ladder"]["groups"]
    asked = 0
    for label in [label for group in groups for label in group["labels"][::3]]:
        answer = beats_json(engine, label)
        if not answer["found"]:
            continue
        for item in answer["answers"]:
            for cards, expected in ((item["from"], True), (item["low"], False)):
                if cards is not None and not set(cards["cards"]) & set(answer["play"]["cards"]):
                    asked += 1
                    assert can_answer(engine, answer["play"]["cards"], cards["cards"]) is expected
    assert asked > 20


def test_bomb_of_wild_cards_answers_one_of_all_natural_cards() -> None:
    """Eight threes do not beat eight fives, but nine do, of which the pack lacks one: a wild card stands in."""
    engine = load("guandan").engine()
    eight = next(label for label, name in enumerate(engine.labels) if str(name) == "bomb(5,8)")
    answers = beats_json(engine, eight)["answers"]
    (bomb,) = [answer for answer in answers if answer["extent"] == "some"]
    assert len(bomb["from"]["cards"]) == 9


def can_answer(engine: Engine, to_beat: list[str], cards: list[str]) -> bool:
    """Return whether a hand of just these cards may be played whole on a play."""
    point = engine.read_decision_point({"hand": cards, "to_beat": to_beat})
    return any(len(row[row < len(engine.rules.pack)]) == len(cards) for row in point.move_lists.cards)


def test_all_beating_plays_are_found(tmp_path: Path) -> None:
    """For each pair of plays of a small game, the answer about the kind agrees with the rules of the folder."""
    engine = load(str(write_moons_game(tmp_path / "moons"))).engine()
    power = {"O": 1, "C": 2, "U": 3, "F": 4, "M": 5}
    for kind in play_kinds(engine):
        for label, example in find_examples(engine, kind.labels).items():
            answer = beats_json(engine, label)
            cards = answer["play"]["cards"]
            extents = {item["name"][1]: item for item in answer["answers"]}
            own = extents[kind.name[1]]
            strongest = power[cards[0]] == 5
            assert own["extent"] == ("none" if strongest else "some")
            if not strongest:
                assert power[own["from"]["cards"][0]] == power[cards[0]] + 1
            assert extents["风暴"]["extent"] == ("all" if len(example.cards) < 3 else own["extent"])


def test_invented_rules_list_which_plays_beat_a_pair(tmp_path: Path) -> None:
    facts = how_to_play(engine := load(str(write_moons_game(tmp_path / "moons"))).engine())
    assert [item["rank"] if "rank" in item else item["card"] for item in facts["order"]["rows"][0]["items"]] == [
        "O", "C", "U", "F", "M",
    ]  # fmt: skip
    shown = beats_json(engine, facts["ladder"]["first"])
    assert len(shown["play"]["cards"]) == 2
    pairs = next(group for group in facts["ladder"]["groups"] if facts["ladder"]["first"] in group["labels"])
    assert len(pairs["labels"]) == 5  # every pair can be chosen
    assert [kind["name"] for kind in facts["kinds"]][1] == ["set of 2", "双飞"]
    assert not facts["special"]  # all cards have names; none of them is a joker
    assert facts["table"][1][0] == "Your partner sits opposite you."
    assert facts["aim"][1].startswith("目标")


def test_beats_json_separates_led_suit_from_trumps() -> None:
    engine = load("hearts").engine()
    facts = how_to_play(engine)
    answer = beats_json(engine, facts["ladder"]["first"])
    assert answer["follow"] is True
    led = next(suit for suit in answer["suits"] if suit["led"])
    assert led["takers"]
    assert led["takers"] == led["cards"][-len(led["takers"]) :]
    assert not [suit for suit in answer["suits"] if not suit["led"] and suit["takers"]]


def test_unknown_labels_are_rejected() -> None:
    engine = load("president").engine()
    for label in (-1, 10**6, int(engine.rules.forms.label_of[engine.rules.forms.pass_form])):
        with pytest.raises(GameError):
            beats_json(engine, label)


def test_a_game_without_plays_is_explained() -> None:
    """Where all cards move by choices there are no kinds of plays, and no empty sections."""
    engine = engine_of("giving")
    facts = how_to_play(engine)
    assert not facts["kinds"]
    assert [stage["text"][0] for stage in facts["course"]] == ["Choose one of your cards."]
    sections = dict(how_to_lines(engine, "en"))
    assert list(sections) == ["The table", "Course of a deal", "Points"]
    assert "Partners: players 1 and 2, player 3." in sections["The table"]
