"""Table 5 of Chen et al. 2025: every agent against every other, whole matches on duplicate deals, of any game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from abl_cards.core import SEED_RANGE, ErrorCode, FloatRange, GameError, MatrixPlot, setting, share_axis
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.external_clients import ExternalProgram, play_external
from abl_cards.experiments.matches import MatchSummary, measure_matches
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace

DEFAULT_AGENTS = (
    "random",
    "greedy",
    "kb",
    "abl:no-preferences",
    "abl:no-projection",
    "abl:supervised",
    "abl:no-abln",
    "abl",
)


@dataclass(frozen=True)
class GuandanTournamentConfig(GameConfig):
    """Agents and number of games."""

    agents: tuple[str, ...] = setting(DEFAULT_AGENTS, "agents, each of which plays against each", is_required=True)
    games: int = setting(1000, "whole matches a pair, each deal twice with the teams swapped")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)
    external_programs: tuple[str, ...] = setting(
        (), "names of external programs that play too, by web socket", formerly="visitor"
    )
    command: str = setting("", "command that starts a client of {name} at {url}; empty: wait")
    external_games: int = setting(
        100, "whole matches against each external program", range(1, 1_000_001), formerly="visits"
    )
    port: int = setting(0, "port of the table for external programs; 0: any", range(1 << 16))
    think_time: float = setting(120.0, "seconds that a program may take for an answer")
    startup_timeout: float = setting(
        120.0,
        "seconds that started programs may take to connect",
        FloatRange(0, 86_400),
        formerly="arrival",
    )


def run(settings: GuandanTournamentConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play the matrix."""
    engine = settings.engine
    there = load_agents(settings.agents, engine)
    pairs = list(combinations(there, 2))
    visitors = [
        ExternalProgram(name, settings.command, settings.port, settings.think_time, settings.startup_timeout)
        for name in settings.external_programs
    ]
    visits = list(product(there, visitors))
    names = [player.name for player in there] + [visitor.name for visitor in visitors]
    for visitor in visitors:
        visitor.command_words("")  # reject a wrong command before anything is played
    if len({*names}) < len(names):
        listing = " ".join(names)
        raise GameError(
            f"external_programs: every visitor needs a name of its own, other than an agent's: {listing}",
            ErrorCode.DUPLICATE_AGENT,
        )
    workspace.plan_cells(len(pairs) + len(visits))

    def measure_pair(pair: TournamentPairing) -> MatchSummary:
        first, second = pair
        if isinstance(second, ExternalProgram):
            return play_external(workspace, engine, first, second, settings.external_games, settings.seed)
        return measure_matches(workspace, engine, (second, first), settings.games, settings.seed).swap_sides()

    def make_report(results: Mapping[TournamentPairing, MatchSummary]) -> ExperimentReport:
        return report(names, {(one.name, two.name): summary for (one, two), summary in results.items()})

    meetings: list[TournamentPairing] = [*pairs, *visits]
    return make_report(
        workspace.measure_each(meetings, measure_pair, make_report, lambda pair: f"{pair[0].name} : {pair[1].name}")
    )


TournamentPairing = tuple[AgentSpec, AgentSpec | ExternalProgram]


def report(names: Sequence[str], summaries: Mapping[tuple[str, str], MatchSummary]) -> ExperimentReport:
    """Make the matrix with and without intervals from the finished pairs."""
    by_pair = {**summaries, **{(two, one): summary.swap_sides() for (one, two), summary in summaries.items()}}
    rates = [[by_pair[row, column].win_rate if (row, column) in by_pair else None for column in names] for row in names]
    wins = ReportTable(
        "wins", "Share of the matches that the row wins against the column", ("agent", *names),
        [[name, *row] for name, row in zip(names, rates, strict=True)], percent_columns=frozenset(names),
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [row, column, by_pair[row, column].num_games, by_pair[row, column].win_rate, *by_pair[row, column].interval]
        for place, row in enumerate(names)
        for column in names[:place]
        if (row, column) in by_pair
    ]
    columns = ("agent", "against", "matches", "won", "from", "to")
    intervals = ReportTable(
        "intervals", "With 95 % intervals", columns, rows, percent_columns=frozenset(columns[3:]),
        note="Both games of a pair have the same cards; the intervals count them for as much as they tell.",
    )  # fmt: skip
    return ExperimentReport([wins, intervals], [wins_plot(names, by_pair)])


def wins_plot(names: Sequence[str], by_pair: Mapping[tuple[str, str], MatchSummary]) -> MatrixPlot:
    """Make the matrix of the matches that the row wins against the column."""

    def cells(value: Callable[[MatchSummary], Any]) -> list[list[Any]]:
        return [
            [value(by_pair[row, column]) if (row, column) in by_pair else None for column in names] for row in names
        ]

    counts = cells(lambda summary: summary.num_games)
    known = [count for row in counts for count in row if count] or [0]
    return MatrixPlot(
        "wins", "Matches that the row wins against the column", tuple(names), tuple(names),
        cells(lambda summary: summary.win_rate), share_axis("share of the matches"),
        bounds=cells(lambda summary: summary.interval), counts=counts, n=numbers_text(known, "matches a pair"),
        interval="95 % intervals over deals below the values",
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Table 5: every agent and ablation against every other, and programs of others over the wire",
    GuandanTournamentConfig(),
    run,
    smoke={"agents": ("random", "greedy", "kb"), "games": 4, "external_games": 2},
)
