"""A match of a game that is a folder, as text."""

from __future__ import annotations

import numpy as np

from abl_cards.agents.baselines import RandomAgent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.notation import render_table
from tests.games.random_play import match_keys


def folder_game(name: str, seed: int, profile: str | None = None) -> str:
    """A whole match at random: the hands, every choice and play with how many labels were legal, the points."""
    engine = load(name).engine(None, profile)
    tables = engine.start_matches(match_keys(1, seed))
    lines = [render_table(engine.rules, tables, 0)]
    while (rows := tables.rows_to_choose()).size:
        choices, seat = tables.choices(rows), int(tables.seat[0])
        chosen = RandomAgent().choose(choices, splitmix64_array(tables.keys, tables.num_decisions))
        option = engine.decision_point_at(choices).actions[int(choices.options[0, : chosen[0]].sum())]
        lines.append(f"seat {seat} chooses {option}")
        tables.choose(rows, chosen)
    while (rows := tables.rows_to_play()).size:
        decisions, seat = tables.decisions(rows), int(tables.seat[0])
        moves = RandomAgent().play(decisions, splitmix64_array(tables.keys, tables.num_decisions))
        action = str(engine.notate_move(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {action:<24} of {int(decisions.legal_mask.sum())} labels")
        tables.play(rows, moves)
    outcome = np.array2string(tables.match_returns(np.zeros(1, np.int64))[0], floatmode="maxprec")
    return "\n".join([*lines, f"worth {outcome}", ""])


def round_of(name: str, seed: int, profile: str | None = None, episodes: int = 1) -> str:
    """Return the first episodes of a random match: choices and plays in order, each part of a play separately."""
    engine = load(name).engine(None, profile)
    tables = engine.start_matches(match_keys(1, seed))
    lines = [render_table(engine.rules, tables, 0)]
    while tables.num_episodes[0] < episodes and tables.winner[0] == -1:
        seat, keys = int(tables.seat[0]), splitmix64_array(tables.keys, tables.num_decisions)
        if (rows := tables.rows_to_choose()).size:
            choices = tables.choices(rows)
            chosen = RandomAgent().choose(choices, keys)
            look = engine.decision_point_at(choices)
            lines.append(f"seat {seat} chooses {look.actions[int(choices.options[0, : chosen[0]].sum())]}")
            tables.choose(rows, chosen)
            continue
        decisions = tables.decisions(tables.rows_to_play())
        moves = RandomAgent().play(decisions, keys)
        action = str(engine.notate_move(int(moves.form[0]), moves.cards[0]))
        lines.append(f"seat {seat} {action:<24} of {int(decisions.legal_mask.sum())} labels")
        before = int(tables.num_episodes[0])
        tables.play(tables.rows_to_play(), moves)
        if before < tables.num_episodes[0] < episodes:
            lines += [f"points {tables.points[0].tolist()}", "", render_table(engine.rules, tables, 0)]
    return "\n".join([*lines, f"points {tables.points[0].tolist()}", ""])
