"""A match of a game that is a folder, as text."""

from __future__ import annotations

import numpy as np

from abl_cards.agents import Random
from abl_cards.games import game
from abl_cards.streams import mix_all
from tests.games.random_play import match_keys


def folder_game(name: str, seed: int, profile: str | None = None) -> str:
    """A whole match at random: the hands, every choice and play with how many labels were legal, the points."""
    engine = game(name).engine(None, profile)
    tables = engine.tables(match_keys(1, seed))
    lines = [engine.draw(tables, 0)]
    while (which := tables.choosing()).size:
        choices, seat = tables.choices(which), int(tables.seat[0])
        chosen = Random().choose(choices, mix_all(tables.keys, tables.clock))
        lines.append(f"seat {seat} chooses {engine.look(choices).actions[int(choices.options[0, : chosen[0]].sum())]}")
        tables.choose(which, chosen)
    while (which := tables.playing()).size:
        decisions, seat = tables.decisions(which), int(tables.seat[0])
        moves = Random().play(decisions, mix_all(tables.keys, tables.clock))
        action = str(engine.action(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {action:<24} of {int(decisions.legal.sum())} labels")
        tables.play(which, moves)
    outcome = np.array2string(tables.outcome(np.zeros(1, np.int64))[0], floatmode="maxprec")
    return "\n".join([*lines, f"worth {outcome}", ""])


def round_of(name: str, seed: int, profile: str | None = None) -> str:
    """The first episode of a match at random, choices and plays in their order, each part of a play by itself."""
    engine = game(name).engine(None, profile)
    tables = engine.tables(match_keys(1, seed))
    lines = [engine.draw(tables, 0)]
    while not tables.episode[0] and tables.winner[0] == -1:
        seat, keys = int(tables.seat[0]), mix_all(tables.keys, tables.clock)
        if (which := tables.choosing()).size:
            choices = tables.choices(which)
            chosen = Random().choose(choices, keys)
            look = engine.look(choices)
            lines.append(f"seat {seat} chooses {look.actions[int(choices.options[0, : chosen[0]].sum())]}")
            tables.choose(which, chosen)
            continue
        decisions = tables.decisions(tables.playing())
        moves = Random().play(decisions, keys)
        action = str(engine.action(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {action:<24} of {int(decisions.legal.sum())} labels")
        tables.play(tables.playing(), moves)
    return "\n".join([*lines, f"points {tables.points[0].tolist()}", ""])
