"""Plays in text and JSON, written: cards with and without suits, and labels where cards read as several plays."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.notation.card_forms import find_forms_batch
from abl_cards.games.notation.play_writer import notate_move, notate_moves
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD
from tests.games.random_play import match_keys, random_moves, step


def _cards(rules: CompiledGame, value: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    row = np.full(rules.forms.max_cards, NO_CARD, np.uint8)
    cards = rules.card_codes.read(value)
    row[: len(cards)] = cards
    return row


def test_ambiguous_plays_are_written_with_a_label(rules: CompiledGame) -> None:
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


def test_plays_without_suits_are_written_as_one_text(auction: CompiledGame) -> None:
    pair = notate_move(auction, auction.forms.index["set(3,2)"], _cards(auction, "33"))
    assert (str(pair), pair.to_json()) == ("33", "33")
    passing = notate_move(auction, auction.forms.pass_form, _cards(auction, ""))
    assert (str(passing), passing.to_json()) == ("PASS", "pass")


def test_plays_with_suits_are_written_as_a_list(president: CompiledGame) -> None:
    pair = notate_move(president, president.forms.index["set(11,2)"], _cards(president, ["CJ", "SJ"]))
    assert (str(pair), pair.to_json()) == ("set J,2 CJ SJ", ["CJ", "SJ"])


def test_label_is_written_only_for_ambiguous_cards(wild: CompiledGame) -> None:
    run = notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["*", "A4"]))
    assert run.to_json() == {"label": "run(3)", "cards": ["*", "A4"]}
    assert notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["A3", "*"])).to_json() == ["A3", "*"]
    assert notate_move(wild, wild.forms.index["run(3)"], _cards(wild, ["A3", "B4"])).to_json() == ["A3", "B4"]
