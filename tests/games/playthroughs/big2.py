"""A Big2 game as text."""

from __future__ import annotations

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.endgame import build_race
from abl_cards.games.game import load
from abl_cards.games.notation import render_table
from tests.brute_force.big2 import LETTERS
from tests.games.random_play import match_keys, random_moves


def big2_game(hands: tuple[str, str], seed: int) -> str:
    """A whole game at random with these hands: every play with how many labels were legal, the points."""
    engine = load("big2").engine()
    dealt = np.array([[hand.count(letter) for letter in LETTERS] for hand in hands], np.uint8)
    tables = build_race(engine.rules).start_matches(dealt[None])
    tables.keys[:] = match_keys(1, seed)
    lines = [render_table(engine.rules, tables, 0)]
    while (playing := tables.rows_to_play()).size:
        decisions, seat = tables.decisions(playing), int(tables.seat[0])
        moves = random_moves(decisions, splitmix64_array(tables.keys, tables.num_decisions))
        cards = str(engine.notate_move(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {cards:<14} of {int(decisions.legal_mask.sum())} labels")
        tables.play(playing, moves)
    points = [int(worth) for worth in tables.match_returns(np.zeros(1, np.int64))[0]]
    return "\n".join([*lines, f"points {points}", ""])
