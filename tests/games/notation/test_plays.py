"""Plays and choices as text and JSON, and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.plays import (
    ParsedPlay,
    find_forms,
    find_forms_batch,
    notate_move,
    notate_moves,
    notate_option,
    read_option,
    read_play,
    resolve_form,
)
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
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if playing.size:
            decisions = tables.decisions(playing)
            moves = random_moves(decisions, splitmix64_array(tables.keys[playing], tables.num_decisions[playing]))
            written = [each.to_json() for each in notate_moves(rules, moves.form, moves.cards, decisions.context)]
            lists, rows = find_plays(decisions, json.loads(json.dumps(written)))
            found = np.array(rows, np.int64)
            labels = rules.forms.label_of
            assert (labels[lists.form[found]] == labels[moves.form]).all()
            assert (np.sort(lists.cards[found], axis=1) == np.sort(moves.cards, axis=1)).all()
            tables.play(playing, moves)
        if choosing.size:
            choices = tables.choices(choosing)
            options = pick(choices.options.T, splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing]))
            values = [notate_option(rules, int(option)).to_json() for option in options]
            assert find_options(choices, json.loads(json.dumps(values))) == options.tolist()
            tables.choose(choosing, options.astype(np.uint8))


def test_a_label_is_written_where_the_walk_reads_several(rules: CompiledGame) -> None:
    tables, has_words = Tables.begin(rules, match_keys(12, 6)), bool(rules.kb.facts("written", 3))
    for _ in range(60):
        playing = tables.rows_to_play()
        if not playing.size and step(tables):
            continue
        if not playing.size:
            break
        decisions = tables.decisions(playing)
        moves = random_moves(decisions, splitmix64_array(tables.keys[playing], tables.num_decisions[playing]))
        hands = np.stack([counts_from_cards(row[row != NO_CARD].tolist(), len(rules.pack)) for row in moves.cards])
        found = find_forms_batch(rules, hands, decisions.context)
        several = [len({int(rules.forms.label_of[form]) for form in forms}) > 1 for forms in found]
        written = [each.to_json() for each in notate_moves(rules, moves.form, moves.cards, decisions.context)]
        assert [isinstance(each, dict) for each in written] == [each and not has_words for each in several]
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
    wrongs: list[Any] = ["bid(3)", 9, None, True, [], "joker"]
    for wrong in wrongs:
        with pytest.raises(GameError, match="no choice: write one of"):
            read_option(auction, wrong)


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
    with pytest.raises(GameError, match=r'can be run\(3\) or run\(4\): write \{"label": "run\(3\)"'):
        resolve_form(wild, read_play(wild, ["*", "A4"]), 0)
    with pytest.raises(GameError, match=r"A4 \* are no run\(5\): they can be run\(3\) or run\(4\)"):
        resolve_form(wild, read_play(wild, {"label": "run(5)", "cards": ["A4", "*"]}), 0)


def test_readings_of_equal_order_and_kind_need_no_label(guandan: CompiledGame) -> None:
    level = guandan.fluents.find("level")
    assert level
    state = guandan.fluents.defaults.copy()
    state[level.first_slot] = level.values.index(4)
    context = int(guandan.contexts.compute_index(state[None])[0])
    wanted = ParsedPlay(guandan.card_codes.read(["S3", "H3", "D3", "S5", "H4"]))  # H4 is wild
    assert guandan.forms.forms[resolve_form(guandan, wanted, context)].name == "full_house(3,5)"
    joker = ParsedPlay(guandan.card_codes.read(["S3", "H3", "H4", "S5", "D5"]))
    with pytest.raises(GameError, match=r"full_house\(3\) or full_house\(5\)"):
        resolve_form(guandan, joker, context)


def test_what_is_no_play_says_what_to_write(wild: CompiledGame) -> None:
    wrong: list[tuple[Any, str]] = [
        ([], 'write "pass"'), (7, "is no cards: write"), (["A9"], "is no card"),
        ({"cards": ["A3"], "x": 1}, "is no play"),
        ({"label": "run(3)"}, "is no play"), ({"label": "run(9)", "cards": ["A3"]}, "label: 'run.9.' is none of"),
        ({"label": ["run"], "cards": ["A3"]}, "label:"), (["*"] * 3, "not that many"),
        ({"label": "run(3)", "cards": []}, "no cards are no run"),
    ]  # fmt: skip
    for value, message in wrong:
        with pytest.raises(GameError, match=message):
            read_play(wild, value)
