"""Tests of the notation of plays and choices as text and JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.notation.card_forms import find_forms, find_forms_batch
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.play_reader import read_option, read_play, resolve_form
from abl_cards.games.notation.play_writer import notate_move, notate_moves, notate_option
from abl_cards.games.notation.plays import ParsedPlay
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD
from tests.games.random_play import match_keys, pick, random_moves, step


def _cards(rules: CompiledGame, value: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    row = np.full(rules.forms.max_cards, NO_CARD, np.uint8)
    cards = rules.card_codes.read(value)
    row[: len(cards)] = cards
    return row


def test_every_play_and_choice_of_random_matches_is_found_again(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(12, 5))
    for _ in range(70):
        rows_to_play, rows_to_choose = tables.rows_to_play(), tables.rows_to_choose()
        if rows_to_play.size:
            decisions = tables.decisions(rows_to_play)
            moves = random_moves(
                decisions, splitmix64_array(tables.keys[rows_to_play], tables.num_decisions[rows_to_play])
            )
            written = [
                notation.to_json() for notation in notate_moves(rules, moves.form, moves.cards, decisions.context)
            ]
            lists, rows = find_plays(decisions, json.loads(json.dumps(written)))
            matched = np.array(rows, np.int64)
            labels = rules.forms.label_of
            assert (labels[lists.form[matched]] == labels[moves.form]).all()
            assert (np.sort(lists.cards[matched], axis=1) == np.sort(moves.cards, axis=1)).all()
            tables.play(rows_to_play, moves)
        if rows_to_choose.size:
            choices = tables.choices(rows_to_choose)
            options = pick(
                choices.options.T, splitmix64_array(tables.keys[rows_to_choose], tables.num_decisions[rows_to_choose])
            )
            values = [notate_option(rules, int(option)).to_json() for option in options]
            assert find_options(choices, json.loads(json.dumps(values))) == options.tolist()
            tables.choose(rows_to_choose, options.astype(np.uint8))


def test_a_label_is_written_where_the_walk_reads_several(rules: CompiledGame) -> None:
    tables, has_words = Tables.begin(rules, match_keys(12, 6)), bool(rules.kb.facts("written", 3))
    for _ in range(60):
        rows = tables.rows_to_play()
        if not rows.size and step(tables):
            continue
        if not rows.size:
            break
        decisions = tables.decisions(rows)
        moves = random_moves(decisions, splitmix64_array(tables.keys[rows], tables.num_decisions[rows]))
        hands = np.stack([counts_from_cards(row[row != NO_CARD].tolist(), len(rules.pack)) for row in moves.cards])
        form_lists = find_forms_batch(rules, hands, decisions.context)
        has_several = [len({int(rules.forms.label_of[form]) for form in forms}) > 1 for forms in form_lists]
        written = [item.to_json() for item in notate_moves(rules, moves.form, moves.cards, decisions.context)]
        assert [isinstance(item, dict) for item in written] == [item and not has_words for item in has_several]
        step(tables)


def test_cards_without_suits_are_one_text(auction: CompiledGame) -> None:
    pair = notate_move(auction, auction.forms.index["set(3,2)"], _cards(auction, "33"))
    assert (str(pair), pair.to_json()) == ("33", "33")
    passing = notate_move(auction, auction.forms.pass_form, _cards(auction, ""))
    assert (str(passing), passing.to_json()) == ("PASS", "pass")


def test_cards_with_suits_are_a_list_and_their_text_begins_with_the_label(president: CompiledGame) -> None:
    pair = notate_move(president, president.forms.index["set(11,2)"], _cards(president, ["CJ", "SJ"]))
    assert (str(pair), pair.to_json()) == ("set J,2 CJ SJ", ["CJ", "SJ"])


def test_a_choice_is_a_card_or_a_term(auction: CompiledGame) -> None:
    values = [notate_option(auction, option).to_json() for option in range(len(auction.schema.options))]
    assert values == [*"123456J", "bid(0)", "bid(1)", "bid(2)"]
    assert [read_option(auction, value) for value in values] == list(range(len(values)))
    invalid: list[Any] = ["bid(3)", 9, None, True, [], "joker"]
    for invalid_value in invalid:
        with pytest.raises(GameError) as error:
            read_option(auction, invalid_value)
        assert error.value.code == ErrorCode.INVALID_MOVE


def test_the_label_is_written_exactly_where_cards_read_as_several(wild: CompiledGame) -> None:
    run = notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["*", "A4"]))
    assert run.to_json() == {"label": "run(3)", "cards": ["*", "A4"]}
    assert notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["A3", "*"])).to_json() == ["A3", "*"]
    assert notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["A3", "B4"])).to_json() == ["A3", "B4"]


def _run(rules: CompiledGame, rank: int) -> int:
    return rules.forms.index[f"run({rank})"]


def test_what_cards_can_be(wild: CompiledGame) -> None:
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


def test_readings_of_equal_order_and_kind_need_no_label(guandan: CompiledGame) -> None:
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


def test_what_is_no_play_says_what_to_write(wild: CompiledGame) -> None:
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
