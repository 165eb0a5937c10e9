"""All agents of a game against each other, and their ratings by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from abl_cards.agents import AblAgent
from abl_cards.core import SEED_RANGE, Axis, ErrorBarPlot, ErrorCode, GameError, setting
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.guandan_tournament import report as tournament_report
from abl_cards.experiments.matches import MatchSummary, measure_matches
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.trained_agents import QUICK_AGENT, train_quick_agent
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games import Engine
from abl_cards.learners import list_shipped_presets
from abl_cards.matches import PairResult, RatingLadder, fit_ratings

REFERENCE = "kb"
"""Agent with rating 0, where it plays."""
_BASELINES, _LEARNED = ("random", "greedy", "kb"), "abl"


@dataclass(frozen=True)
class LadderConfig(GameConfig):
    """Agents and number of games."""

    agents: tuple[str, ...] = setting((), "agents to rate; default: random, greedy, kb, and abl with weights")
    games: int = setting(1000, "whole matches a pair, each deal twice with the teams swapped")
    train_decisions: int = setting(0, f"decisions of self-play to train another agent, {QUICK_AGENT}; 0: none")
    abl_games: int = setting(0, "whole matches a pair with look-ahead; 0: as games")
    reference: str = setting(REFERENCE, "agent with rating 0")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)


def run(settings: LadderConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play all pairs and fit the ratings."""
    engine = settings.engine
    agents = load_agents(settings.agents or game_agents(engine), engine)
    if settings.train_decisions:
        agents.append(train_quick_agent(workspace, settings, settings.train_decisions, settings.seed))
    if len(agents) < 2:
        raise GameError("agents: a ladder needs two agents", ErrorCode.WRONG_AGENT_COUNT)
    if settings.reference not in (REFERENCE, *(agent.name for agent in agents)):
        raise GameError(f"reference={settings.reference}: it is none of the agents", ErrorCode.UNKNOWN_AGENT)
    names, pairs = [agent.name for agent in agents], list(combinations(agents, 2))
    workspace.plan_cells(len(pairs))

    def measure_pair(pair: tuple[AgentSpec, AgentSpec]) -> MatchSummary:
        first, second = pair
        looks_ahead = any(isinstance(each.agent, AblAgent) and each.agent.looks_ahead for each in pair)
        games = (looks_ahead and settings.abl_games) or settings.games
        return measure_matches(workspace, engine, (second, first), games, settings.seed).swap_sides()

    def make_report(results: Mapping[tuple[AgentSpec, AgentSpec], MatchSummary]) -> ExperimentReport:
        return report(names, {summary.names: summary for summary in results.values()}, settings)

    return make_report(
        workspace.measure_each(pairs, measure_pair, make_report, lambda pair: f"{pair[0].name} : {pair[1].name}")
    )


def game_agents(engine: Engine) -> tuple[str, ...]:
    """Return the agents of a game without variants."""
    return (*_BASELINES, *((_LEARNED,) if list_shipped_presets(engine.game) else ()))


def report(
    names: Sequence[str], summaries: Mapping[tuple[str, str], MatchSummary], settings: LadderConfig
) -> ExperimentReport:
    """Make the table and the plot of the ratings, and those of the pairs."""
    pairs = tournament_report(names, summaries)
    ladder = fit_ratings([pair_result(summary) for summary in summaries.values()], settings.reference)
    rows: list[list[Cell]] = [
        [rating.agent, rating.games, rating.value, *(rating.interval or (None, None))] for rating in ladder.ratings
    ]
    columns = ("agent", "matches", "rating", "from", "to")
    note = f"{ladder_note(ladder)} 95 % intervals are of the difference to {ladder.reference} (profile likelihood)."
    table = ReportTable("ratings", "Ratings", columns, rows, note, digits=0)
    count = numbers_text([summary.num_games for summary in summaries.values()], "matches a pair")
    plot = ladder_plot(ladder, count, f"Ratings of the agents of {Path(settings.game).name}")
    return ExperimentReport([table, *pairs.tables], [plot, *pairs.plots])


def pair_result(summary: MatchSummary) -> PairResult:
    """Return the result of a pair as the fit of ratings reads it."""
    return PairResult(*summary.names, summary.num_games, summary.win_rate, summary.interval)


def ladder_note(ladder: RatingLadder) -> str:
    """Describe how ratings were fitted."""
    finite = " Half a win and half a loss were added to each pair, since some lost all games." * ladder.is_regularised
    return f"Maximum likelihood of the Bradley-Terry model; 400 points are odds of 10 to 1.{finite}"


def ladder_plot(ladder: RatingLadder, count: str, title: str) -> ErrorBarPlot:
    """Plot ratings with their intervals, the best agent on top."""
    bars = {rating.agent: (rating.value, *(rating.interval or (None, None))) for rating in ladder.ratings}
    return ErrorBarPlot(
        "ladder", title, Axis(f"rating above {ladder.reference}", "Elo points"), bars, 0.0,
        {rating.agent: rating.games for rating in ladder.ratings}, n=count,
        interval=f"95 % intervals of the difference to {ladder.reference}. {ladder_note(ladder)}",
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Ratings of all agents of a game, each against each",
    LadderConfig(),
    run,
    smoke={"game": "president", "agents": ("random", "greedy", "kb"), "games": 8},
)
