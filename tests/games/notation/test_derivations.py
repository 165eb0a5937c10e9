"""Proofs that options are open or closed, against what the engine offers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.notation.decision_points import decision_point_at
from abl_cards.games.notation.derivations import derive_readings, parse_play
from abl_cards.games.notation.plays import options_json
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.tables import Tables
from tests.effort import amount
from tests.games.random_play import match_keys, step

NUM_TABLES, MAX_STEPS, MAX_CHOICES, MAX_OPTIONS = 4, 200, amount(2, 4), 3


def choices_of(name: str) -> Iterator[Choices]:
    """Yield choices of random play, one for each stage and number of open options."""
    tables = Tables(load(name).engine().rules, NUM_TABLES)
    tables.begin_match(np.arange(NUM_TABLES), match_keys(NUM_TABLES, 8))
    found = set()
    for _ in range(MAX_STEPS):
        rows = tables.rows_to_choose()
        choices = tables.choices(rows)
        for row in range(len(rows)):
            choice = choices.select(np.array([row]))
            kind = int(choice.stage[0]), int(choice.options.sum())
            if kind not in found:
                found.add(kind)
                yield choice
        step(tables)


@pytest.mark.parametrize("name", ["hearts", "gongzhu"])
def test_proofs_of_options_agree_with_the_open_options(name: str) -> None:
    results = set()
    for choice in islice(choices_of(name), MAX_CHOICES):
        rules, point = choice.rules, decision_point_at(choice.rules, choice)
        is_open = choice.options[0] > 0
        picked = [*np.flatnonzero(is_open)[:MAX_OPTIONS], *np.flatnonzero(~is_open)[:MAX_OPTIONS]]
        for option in map(int, picked):
            value = options_json(rules)[option]
            (reading,) = derive_readings(rules, point, value if isinstance(value, str) else json.dumps(value))
            assert reading.label == str(value)
            assert reading.proof.atom == f"option({rules.schema.options[option]})"
            assert reading.proof.holds == is_open[option] == (reading.move_row is not None)
            if reading.move_row is not None:
                assert point.move_lists.cards[reading.move_row, 0] == option
            results.add(bool(is_open[option]))
    assert results == {True, False}


def test_unknown_option_raises() -> None:
    choice = next(choices_of("hearts"))
    with pytest.raises(GameError) as caught:
        derive_readings(choice.rules, decision_point_at(choice.rules, choice), "bid(2)")
    assert caught.value.code == ErrorCode.INVALID_MOVE


def test_cards_that_form_no_play_are_no_move() -> None:
    """The page words the code; the cards themselves exist."""
    game = load("president").engine()
    point = game.read_decision_point({"hand": ["S5", "H7"], "to_beat": None})
    for text, code in (("S5 H7", ErrorCode.INVALID_MOVE), ("S5 H8", ErrorCode.INVALID_CARDS)):
        with pytest.raises(GameError) as caught:
            derive_readings(game.rules, point, text)
        assert caught.value.code == code


@pytest.mark.parametrize("text", ["null", "true", "3", "NaN", "1.5", '[["S5"]]', "[3]", '"x"', "{}", "[" * 5000])
def test_json_that_is_not_a_play_raises(text: str) -> None:
    with pytest.raises(GameError) as raised:
        parse_play(load("president").engine().rules, text)
    assert raised.value.code in (ErrorCode.INVALID_CARDS, ErrorCode.INVALID_MOVE)
    assert "None" not in str(raised.value)
    assert "True" not in str(raised.value)


def test_plays_parse_from_text_and_json_forms() -> None:
    rules = load("doudizhu").engine().rules
    plays = [parse_play(rules, text).cards for text in ("33", '"33"', '{"cards":"33"}')]
    assert plays[0] == plays[1] == plays[2]
    named = parse_play(rules, "pair 3 33")  # as it is printed
    assert (named.cards, named.label) == (plays[0], rules.label_texts.index("pair(3)"))


@pytest.mark.parametrize("label", ["set(10,2) ", "set(T,2) ", "set T,2 ", "set 10,2 ", ""])
def test_plays_parse_with_every_text_of_their_label(president: CompiledGame, label: str) -> None:
    """``explain`` prints ``set T,2 ST HT``, and the term of the label beside it."""
    play = parse_play(president, f"{label}ST HT")
    assert play.cards == president.card_codes.read(["ST", "HT"])
    assert play.label in (president.label_texts.index("set(10,2)"), None)
    assert (play.label is None) == (label == "")


def test_label_without_cards_asks_for_them(president: CompiledGame) -> None:
    with pytest.raises(GameError, match="needs cards") as caught:
        parse_play(president, "set T,2")
    assert caught.value.code == ErrorCode.INVALID_MOVE


def test_printed_moves_of_a_platform_parse(guandan: CompiledGame) -> None:
    printed, label = parse_play(guandan, "Pair 4 H4 C4"), parse_play(guandan, "pair(4) H4 C4")
    assert printed == label
    assert printed.label == guandan.label_texts.index("pair(4)")
