"""Plays and choices of random matches are found from their notation."""

from __future__ import annotations

import json

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.play_writer import notate_moves, notate_option
from abl_cards.games.tables.tables import Tables
from tests.effort import amount
from tests.games.random_play import match_keys, pick, random_moves


def test_moves_of_random_matches_are_found_from_their_notation(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(12, 5))
    for _ in range(amount(35, 70)):
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
