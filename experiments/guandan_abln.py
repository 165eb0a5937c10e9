"""Tables 7 and 8 of Chen et al. 2025: with the estimate of the hidden hands against the twin without."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np

from abl_cards.games import game
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.matches import Outcome, Points, matches
from experiments.players import players
from experiments.report import Bars, Cell, Report, Table

PAPER_RATE, PAPER_DEVIATION = 0.609, 0.007  # table 7
PAPER_POINTS = ((5181, 0.403, 0.275, 0.322), (4441, 0.186, 0.397, 0.417))  # table 8: points, shares of 3, 2, 1


@dataclass(frozen=True)
class Settings:
    """Who plays, and how long."""

    agent: str = setting("abl", "with ABLN")
    twin: str = setting("abl:no-abln", "without, trained for as many decisions")
    rounds: int = setting(5, "of matches, each with its own deals")
    games: int = setting(500, "whole matches a round")
    episodes: int = setting(5000, "whose points are counted: the first ones of the rounds")
    seed: int = setting(0, "of the first round; the others follow", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Play the rounds."""
    engine = game("guandan").engine()
    pair = players([settings.agent, settings.twin], engine)
    desk.plan(settings.rounds)
    rounds = [
        matches(desk, engine, (pair[0], pair[1]), settings.games, settings.seed + number)
        for number in range(settings.rounds)
    ]
    bars = {
        f"round {number}": (each.rate, *each.interval) for number, each in enumerate(rounds, start=1)
    }  # fmt: skip
    plot = Bars("rounds", f"{pair[0].name} against {pair[1].name}", "share of the matches won", bars, 0.5)
    return Report([_matches(rounds), _points(rounds, settings.episodes)], [plot])


def _matches(rounds: list[Outcome]) -> Table:
    """Table 7: mean and standard deviation of the rounds."""
    rates = [each.rate for each in rounds]
    spread = stdev(rates) if len(rates) > 1 else None
    columns = ("agent", "against", "rounds", "matches", "won", "standard deviation", "paper", "paper's deviation")
    first, second = rounds[0].names
    games = sum(each.games for each in rounds)
    rows: list[list[Cell]] = [
        [first, second, len(rounds), games, mean(rates), spread, PAPER_RATE, PAPER_DEVIATION],
        [second, first, len(rounds), games, 1 - mean(rates), spread, 1 - PAPER_RATE, PAPER_DEVIATION],
    ]
    return Table("matches", "Whole matches (table 7)", columns, rows, percent=frozenset(columns[4:]))


def _points(rounds: list[Outcome], episodes: int) -> Table:
    """Table 8: points, and what the episodes won were worth."""
    scores = np.concatenate([each.scores for each in rounds])[:episodes]
    columns = (
        "agent", "episodes", "episodes won", "points", "3 points", "2 points", "1 point",
        "paper: points", "paper: 3 points", "paper: 2 points", "paper: 1 point",
    )  # fmt: skip
    rows: list[list[Cell]] = []
    for name, mine, paper in zip(rounds[0].names, (scores, -scores), PAPER_POINTS, strict=True):
        points = Points.of(mine)
        rows.append([name, len(scores), points.won, points.total, *points.shares.values(), *paper])
    shares = frozenset(column for column in columns if column.endswith(("won", " points", " point"))) - {columns[7]}
    return Table("points", "Points of single episodes (table 8)", columns, rows, percent=shares)


EXPERIMENT = Experiment(
    "Tables 7 and 8: with against without the estimate of the hidden hands",
    Settings(),
    run,
    smoke={"rounds": 2, "games": 2, "episodes": 10},
)
