"""A Big2 game as text."""

from __future__ import annotations

import numpy as np

from abl_cards.games import game
from abl_cards.streams import mix_all
from tests.brute_force.big2 import LETTERS
from tests.games.random_play import match_keys, random_moves


def big2_game(hands: tuple[str, str], seed: int) -> str:
    """A whole game at random with these hands: every play with how many labels were legal, the points."""
    engine = game("big2").engine()
    dealt = np.array([[hand.count(letter) for letter in LETTERS] for hand in hands], np.uint8)
    tables = engine.as_race().tables(dealt[None])
    tables.keys[:] = match_keys(1, seed)
    lines = [engine.draw(tables, 0)]
    while (playing := tables.playing()).size:
        decisions, seat = tables.decisions(playing), int(tables.seat[0])
        moves = random_moves(decisions, mix_all(tables.keys, tables.clock))
        cards = str(engine.action(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {cards:<14} of {int(decisions.legal.sum())} labels")
        tables.play(playing, moves)
    points = [int(worth) for worth in tables.outcome(np.zeros(1, np.int64))[0]]
    return "\n".join([*lines, f"points {points}", ""])
