"""Plays and choices read from JSON: forms of cards, and errors of invalid values."""

from __future__ import annotations

from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation.card_forms import find_forms
from abl_cards.games.notation.play_reader import read_option, read_play, resolve_form
from abl_cards.games.notation.play_writer import notate_option
from abl_cards.games.notation.plays import ParsedPlay


def test_options_read_from_cards_or_terms(auction: CompiledGame) -> None:
    values = [notate_option(auction, option).to_json() for option in range(len(auction.schema.options))]
    assert values == [*"123456J", "bid(0)", "bid(1)", "bid(2)"]
    assert [read_option(auction, value) for value in values] == list(range(len(values)))
    invalid: list[Any] = ["bid(3)", 9, None, True, [], "joker"]
    for invalid_value in invalid:
        with pytest.raises(GameError) as error:
            read_option(auction, invalid_value)
        assert error.value.code == ErrorCode.INVALID_MOVE


def test_labels_read_by_terms_and_letters(president: CompiledGame) -> None:
    ten, two = (president.label_texts.index(text) for text in ("set(10,2)", "set(15,2)"))
    names = ["set(10,2)", "set(T,2)", "set T,2", "set 10,2"]
    plays = [read_play(president, {"label": name, "cards": ["ST", "HT"]}) for name in names]
    assert [play.label for play in plays] == [ten] * 4
    assert read_play(president, {"label": "set 2,2", "cards": ["S2", "H2"]}).label == two  # the two is the rank 15
    with pytest.raises(GameError) as error:
        read_play(president, {"label": "set U,2", "cards": ["ST", "HT"]})
    assert error.value.code == ErrorCode.INVALID_MOVE


def _run(rules: CompiledGame, rank: int) -> int:
    return rules.forms.index[f"run({rank})"]


def test_forms_of_cards(wild: CompiledGame) -> None:
    names = [str(wild.forms.forms[form].name) for form in find_forms(wild, wild.card_codes.read(["*", "A4"]), 0)]
    assert names == ["run(3)", "run(4)"]
    assert find_forms(wild, wild.card_codes.read(["A3", "A5"]), 0) == ()
    assert resolve_form(wild, read_play(wild, {"label": "run(4)", "cards": ["*", "A4"]}), 0) == _run(wild, 4)
    with pytest.raises(GameError, match=r'run\(3\) or run\(4\).* \{"label": "run\(3\)"') as error:
        resolve_form(wild, read_play(wild, ["*", "A4"]), 0)
    assert error.value.code == ErrorCode.AMBIGUOUS_MOVE
    with pytest.raises(GameError, match=r"A4 \* .*run\(5\).* run\(3\) or run\(4\)") as error:
        resolve_form(wild, read_play(wild, {"label": "run(5)", "cards": ["A4", "*"]}), 0)
    assert error.value.code == ErrorCode.INVALID_MOVE


def test_equivalent_forms_need_no_label(guandan: CompiledGame) -> None:
    level = guandan.fluents.find("level")
    assert level
    state = guandan.fluents.defaults.copy()
    state[level.first_slot] = level.values.index(4)
    context = int(guandan.contexts.compute_index(state[None])[0])
    play = ParsedPlay(guandan.card_codes.read(["S3", "H3", "D3", "S5", "H4"]))  # H4 is wild
    assert guandan.forms.forms[resolve_form(guandan, play, context)].name == "full_house(3,5)"
    ambiguous = ParsedPlay(guandan.card_codes.read(["S3", "H3", "H4", "S5", "D5"]))
    with pytest.raises(GameError, match=r"full_house\(3\) or full_house\(5\)") as error:
        resolve_form(guandan, ambiguous, context)
    assert error.value.code == ErrorCode.AMBIGUOUS_MOVE


def test_errors_of_invalid_plays(wild: CompiledGame) -> None:
    move, cards = ErrorCode.INVALID_MOVE, ErrorCode.INVALID_CARDS
    invalid: list[tuple[Any, ErrorCode, str]] = [
        ([], move, '"pass"'), (7, cards, "7"), (["A9"], cards, "A9"), ({"cards": ["A3"], "x": 1}, move, "'x': 1"),
        ({"label": "run(3)"}, move, "run"), ({"label": "run(9)", "cards": ["A3"]}, move, r"^label: .*run\(9\)"),
        ({"label": ["run"], "cards": ["A3"]}, move, "^label: "), (["*"] * 3, cards, r"\*"),
        ({"label": "run(3)", "cards": []}, move, r"^cards: .*run\(3\)"),
    ]  # fmt: skip
    for value, code, text in invalid:
        with pytest.raises(GameError, match=text) as error:
            read_play(wild, value)
        assert error.value.code == code
