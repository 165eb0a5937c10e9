"""Table 5 of Chen et al. 2025: every agent against every other, whole matches on duplicate deals, of any game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from abl_cards.errors import GameError
from abl_cards.settings import SEEDS, Between, setting
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.matches import Outcome, matches
from experiments.players import Player, players
from experiments.report import Cell, Matrix, Report, Table
from experiments.rules import OfAnyGame
from experiments.visitors import Visitor, received

AGENTS = ("random", "greedy", "kb", "abl:no-preferences", "abl:no-projection", "abl:supervised", "abl:no-abln", "abl")


@dataclass(frozen=True)
class Settings(OfAnyGame):
    """Who plays, and how long."""

    agents: tuple[str, ...] = setting(AGENTS, "who plays, each against each")
    games: int = setting(1000, "whole matches a pair, each deal twice with the teams swapped")
    seed: int = setting(0, "of the deals", SEEDS)
    visitor: tuple[str, ...] = setting((), "names of programs of others that play too, over the wire")
    command: str = setting("", "starts visitor {name} on one seat at {url}; without it, two clients are waited for")
    visits: int = setting(100, "whole matches against each visitor", range(1, 1_000_001))
    port: int = setting(0, "where a visitor finds the table; 0 for any", range(1 << 16))
    think_time: float = setting(120.0, "seconds that a visitor may take for an answer")
    arrival: float = setting(
        120.0, "seconds until the programs that the command starts have sat down", Between(0, 86_400)
    )


def run(settings: Settings, desk: Desk) -> Report:
    """Play the matrix."""
    engine = settings.engine
    there = players(settings.agents, engine)
    pairs = list(combinations(there, 2))
    visitors = [
        Visitor(name, settings.command, settings.port, settings.think_time, settings.arrival)
        for name in settings.visitor
    ]
    visits = list(product(there, visitors))
    names = [player.name for player in there] + [each.name for each in visitors]
    for each in visitors:
        each.words("")  # what is wrong with the command is said before anything is played
    if len({*names}) < len(names):
        raise GameError(f"visitor: every visitor needs a name of its own, other than an agent's: {' '.join(names)}")
    desk.plan(len(pairs) + len(visits))

    def meet(pair: Meeting) -> Outcome:
        first, second = pair
        if isinstance(second, Visitor):
            return received(desk, engine, first, second, settings.visits, settings.seed)
        return matches(desk, engine, (second, first), settings.games, settings.seed).turned()

    def told(found: Mapping[Meeting, Outcome]) -> Report:
        return report(names, {(one.name, two.name): each for (one, two), each in found.items()})

    meetings: list[Meeting] = [*pairs, *visits]
    return told(desk.each(meetings, meet, told, lambda pair: f"{pair[0].name} : {pair[1].name}"))


Meeting = tuple[Player, Player | Visitor]


def report(names: Sequence[str], outcomes: Mapping[tuple[str, str], Outcome]) -> Report:
    """The matrix with and without intervals, as far as the pairs have met."""
    found = {**outcomes, **{(two, one): each.turned() for (one, two), each in outcomes.items()}}
    rates = [[found[row, column].rate if (row, column) in found else None for column in names] for row in names]
    wins = Table(
        "wins", "Share of the matches that the row wins against the column", ("agent", *names),
        [[name, *row] for name, row in zip(names, rates, strict=True)], percent=frozenset(names),
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [row, column, found[row, column].games, found[row, column].rate, *found[row, column].interval]
        for place, row in enumerate(names)
        for column in names[:place]
        if (row, column) in found
    ]
    columns = ("agent", "against", "matches", "won", "from", "to")
    intervals = Table(
        "intervals", "With 95 % intervals", columns, rows, percent=frozenset(columns[3:]),
        note="Both games of a pair have the same cards; the intervals count them for as much as they tell.",
    )  # fmt: skip
    return Report([wins, intervals], [Matrix("wins", "Share of matches won (%)", tuple(names), tuple(names), rates)])


EXPERIMENT = Experiment(
    "Table 5: every agent and ablation against every other, and programs of others over the wire",
    Settings(),
    run,
    smoke={"agents": ("random", "greedy", "kb"), "games": 4, "visits": 2},
)
