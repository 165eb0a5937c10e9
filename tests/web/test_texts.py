"""Tests of the bilingual texts of the shipped games."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abl_cards.games.game import game_names, load
from abl_cards.games.notation import spell
from abl_cards.rulelab.editor.reweighting import list_weights
from abl_cards.web.offers import bilingual_title
from abl_cards.web.texts import BilingualText, card_orders, deck_json, label_text, option_text, role_texts, stage_text
from tests.games.notation.folders import rules_of
from tests.web.test_how_to import write_moons_game
from tests.web.test_words import is_foreign

SUITS = "♠♥♣♦…–"
ENGLISH = re.compile("[a-z]{2,}")
MARK = re.compile("⟦[^⟧]+⟧")


def iter_texts(name: str) -> Iterator[tuple[str, BilingualText]]:
    game = load(name)
    engine = game.engine()
    rules = engine.rules
    yield "title", bilingual_title(game)
    yield from ((f"label {label}", label_text(engine, label)) for label in rules.label_texts)
    yield from ((f"stage {stage}", stage_text(engine, str(stage))) for stage in rules.schema.stages)
    yield from ((f"option {option}", option_text(engine, row)) for row, option in enumerate(rules.schema.options))
    yield from ((f"role {role}", pair) for role, pair in zip(engine.roles, role_texts(engine), strict=True))
    yield from ((f"card {text}", card["name"]) for text, card in deck_json(rules).items())
    yield from ((f"preference {weight.name}", list(weight.texts)) for weight in list_weights(engine))
    for fluent in rules.fluents.fluents:
        word = fluent.signature.name
        yield f"fluent {word}", [spell(engine.rules, "fluent", word, "en"), spell(engine.rules, "fluent", word, "zh")]


@pytest.mark.parametrize("name", game_names())
def test_texts_are_complete_in_both_languages(name: str) -> None:
    for what, pair in iter_texts(name):
        english, chinese = (MARK.sub("", text) for text in pair)
        assert english.translate(dict.fromkeys(map(ord, SUITS))).isascii(), (what, english)
        assert not ENGLISH.search(chinese), (what, chinese)


@pytest.mark.parametrize("name", game_names())
def test_profiles_have_names_in_both_languages(name: str) -> None:
    folder = load(name).folder
    for profile in folder.profiles:
        titles = folder.profile_titles(profile)
        assert set(titles) == {"en", "zh"}, profile
        assert not is_foreign(titles["zh"]), titles


def test_plays_of_named_cards_use_the_card_names(tmp_path: Path) -> None:
    """A card with words of its own is named by them, not by its letter in records."""
    engine = load(str(write_moons_game(tmp_path / "moons"))).engine()
    assert label_text(engine, "set(sun,2)") == ["set Sun ×2", "双飞太阳"]
    assert label_text(engine, "set(owl,1)") == ["set Owl ×1", "独行猫头鹰"]


EQUAL_CARDS = """
#include <seats>.
#include <climbing>.
seat(0..1). rank(2..4). suit(c;h).
pack(card(R,T),1) :- rank(R), suit(T).
letter(c,"C"). letter(h,"H").
deals(S,3) :- seat(S).
leads(0).
over :- out(_).
label(card(R,T)) :- pack(card(R,T),1).
label(pass).
form(L,L) :- label(L).
kind(L,card) :- label(L), L != pass.
kind(pass,pass).
needs(L,1,L,1) :- label(L), L != pass.
strength(L,1) :- label(L), L != pass.
playable(L) :- label(L).
"""
"""Game in which no card is stronger than another, as where cards match by suit or rank."""


def test_cards_of_equal_strength_are_sorted_by_rank(tmp_path: Path) -> None:
    orders = card_orders(rules_of(tmp_path, EQUAL_CARDS), 0)
    assert orders["rank"] == ["H2", "C2", "H3", "C3", "H4", "C4"]
    assert orders["suit"] == ["H2", "H3", "H4", "C2", "C3", "C4"]
