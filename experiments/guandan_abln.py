"""Tables 7 and 8 of Chen et al. 2025: with the estimate of the hidden hands against the twin without.

With ``seeds`` both twins are trained from nothing for each seed, for as many decisions, and play episodes on deals of
this seed. The interval then covers seeds and deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import stdev
from typing import Any

import numpy as np

from abl_cards.ablation import LEARNED_PARTS, MATCH_SEED_OFFSET, TwinTrainer, create_twin_config
from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, ErrorBarPlot, require_extra, setting, share_axis
from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.episodes import EpisodeSummary, play_episode_pair
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.matches import MatchSummary, PointShares, measure_matches, share_of_episodes
from abl_cards.experiments.oracle_agents import load_oracle_agent
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.matches import SEED_METHOD, combine_seeds, describe_coverage, interval_error, paired_test

PAPER_RATE, PAPER_DEVIATION = 0.609, 0.007  # table 7
PAPER_POINTS = ((5181, 0.403, 0.275, 0.322), (4441, 0.186, 0.397, 0.417))  # table 8: points, shares of 3, 2, 1


@dataclass(frozen=True)
class GuandanAblnConfig(RulesConfig):
    """Agents and training time."""

    agent: str = setting("abl", "agent with ABLN")
    twin: str = setting("abl:no-abln", "agent without ABLN")
    rounds: int = setting(5, "rounds of matches, each with its own deals")
    games: int = setting(500, "whole matches a round")
    episodes: int = setting(5000, "first episodes of the rounds whose points are counted")
    ceiling: int = setting(0, "whole matches of an agent with the true hands as estimate")
    seeds: int = setting(0, "trainings of both twins, in place of agent and twin; 0: none", range(1001))
    decisions: int = setting(100_000, "decisions of self-play in each of these trainings")
    seed_episodes: int = setting(1000, "episodes of the twins of a seed, each the first of a match")
    seed: int = setting(0, "seed of the first round or training; the others follow", SEED_RANGE)


def run(settings: GuandanAblnConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play the rounds, or train the twins of each seed."""
    engine = settings.load_engine("guandan")
    if settings.seeds:
        return _run_seeds(settings, workspace, engine)
    pair = load_agents([settings.agent, settings.twin], engine)
    workspace.plan_cells(settings.rounds + bool(settings.ceiling))

    def play(number: int) -> MatchSummary:
        return measure_matches(workspace, engine, (pair[0], pair[1]), settings.games, settings.seed + number - 1)

    numbers = range(1, settings.rounds + 1)
    rounds = workspace.measure_each(numbers, play, lambda summaries: report(settings, summaries), "round {}".format)
    if not settings.ceiling:
        return report(settings, rounds)
    oracle = load_oracle_agent(settings.agent, engine)
    return report(
        settings, rounds, measure_matches(workspace, engine, (oracle, pair[1]), settings.ceiling, settings.seed)
    )


# --- twins trained here ----------------------------------------------------------------------------------------------


def _run_seeds(settings: GuandanAblnConfig, workspace: ExperimentWorkspace, engine: Engine) -> ExperimentReport:
    """Train and measure the twins of each seed."""
    require_extra("learning")
    seeds = range(settings.seed, settings.seed + settings.seeds)
    workspace.plan_cells(len(seeds))
    config = create_twin_config(engine)
    inputs = {"training": config.to_json(), "decisions": settings.decisions, "episodes": settings.seed_episodes}

    def measure(seed: int) -> Mapping[str, Any]:
        what = {"twins without ABLN": inputs, "seed": seed, "rules": rules_fingerprint(engine)}
        result: Mapping[str, Any] = workspace.measure_cell(
            what, lambda tell: _measure_twins(settings, workspace, engine, seed, tell), f"twins of seed {seed}"
        )
        return result

    return report_seeds(settings, workspace.measure_each(seeds, measure, lambda done: report_seeds(settings, done)))


def _measure_twins(
    settings: GuandanAblnConfig, workspace: ExperimentWorkspace, engine: Engine, seed: int, tell: ProgressCallback
) -> dict[str, Any]:
    """Train both twins of a seed, and play episodes between them."""
    trainer = TwinTrainer(
        engine, create_twin_config(engine), workspace.folder / "twins", 0.0, settings.decisions, seed,
        lambda name, done, total, remark: tell(done, f"{name}: {remark}"),
    )  # fmt: skip
    (abln,) = (part for part in LEARNED_PARTS if part.name == "abln")
    twins = [trainer.train(part, seed) for part in (None, abln)]
    pair = load_agents([f"abl:no-lookahead,weights={twin.weights}" for twin in twins], engine)
    deals = seed + MATCH_SEED_OFFSET
    against_kb = [
        play_episode_pair(engine, (agent, load_agents(["kb"], engine)[0]), settings.seed_episodes, deals, tell)
        for agent in pair
    ]
    played = play_episode_pair(engine, (pair[0], pair[1]), settings.seed_episodes, deals, tell)
    return played | {
        "decisions": [twin.decisions for twin in twins], "minutes": [twin.minutes for twin in twins],
        "against kb": [summary["won"] for summary in against_kb],
    }  # fmt: skip


def report_seeds(settings: GuandanAblnConfig, results: Mapping[int, Mapping[str, Any]]) -> ExperimentReport:
    """Make the table of seeds with the interval over seeds and deals, and its plot."""
    summaries = {seed: EpisodeSummary.from_json(settings.seed_episodes, result) for seed, result in results.items()}
    rates = [summary.win_rate for summary in summaries.values()]
    together = combine_seeds(rates, [interval_error(summary.interval) for summary in summaries.values()], 0.95, (0, 1))
    assert together.interval
    columns = (
        "seed", "episodes", "won with ABLN", "from", "to", "points an episode", "decisions with", "decisions without",
        "with against kb", "without against kb", "minutes",
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [
            str(seed), summary.num_episodes, summary.win_rate, *summary.interval, summary.mean_points,
            *results[seed]["decisions"], *results[seed]["against kb"], sum(results[seed]["minutes"]),
        ]
        for seed, summary in summaries.items()
    ]  # fmt: skip
    means = [float(np.mean([row[column] for row in rows])) for column in (5, 8, 9, 10)]
    total = sum(summary.num_episodes for summary in summaries.values())
    rows.append(["all", total, together.mean, *together.interval, means[0], None, None, *means[1:]])
    p_value = paired_test(np.array(rates) - 0.5)
    note = (
        f"95 % intervals: of a seed over its deals; of all seeds over {describe_coverage(len(rates))} ({SEED_METHOD}). "
        f"Paired t-test over seeds: p = {'–' if p_value is None else f'{p_value:.3f}'}. Both twins of a seed begin "
        "with the policy of the preferences and are trained for as many decisions; they play without look-ahead."
    )
    shares = frozenset(columns[2:5]) | frozenset(columns[8:10])
    table = ReportTable("seeds", "Twins trained with and without ABLN, by seed", columns, rows, note, shares)
    bars = {f"seed {seed}": (summary.win_rate, *summary.interval) for seed, summary in summaries.items()}
    bars |= {"seeds and deals": (together.mean, *together.interval)}
    counts = {f"seed {seed}": summary.num_episodes for seed, summary in summaries.items()} | {"seeds and deals": total}
    plot = ErrorBarPlot(
        "seeds", "With ABLN against the twin without", share_axis("share of the episodes won"), bars, 0.5, counts,
        n=f"{len(rates)} seeds, {total:,} episodes", interval="95 % intervals, of a seed over deals",
    )  # fmt: skip
    return ExperimentReport([table], [plot])


# --- given agents ----------------------------------------------------------------------------------------------------


def report(
    settings: GuandanAblnConfig, rounds: Mapping[int, MatchSummary], ceiling: MatchSummary | None = None
) -> ExperimentReport:
    """Make both tables, the plot of the rounds, and the table of the agent with the true hands."""
    first, second = next(iter(rounds.values())).names
    bars = {f"round {number}": (summary.win_rate, *summary.interval) for number, summary in rounds.items()}
    whole = MatchSummary.pool([*rounds.values()])
    bars |= {"all rounds": (whole.win_rate, *whole.interval)}
    counts = {f"round {number}": summary.num_games for number, summary in rounds.items()}
    plot = ErrorBarPlot(
        "rounds", f"{first} against {second}", share_axis("share of the matches won"), bars, 0.5,
        counts | {"all rounds": whole.num_games}, n=f"{whole.num_games:,} matches",
        interval="95 % intervals over deals",
    )  # fmt: skip
    tables = [_matches([*rounds.values()], whole), *_points(whole, settings.episodes)]
    return ExperimentReport([*tables, *([_ceiling(ceiling)] if ceiling else [])], [plot])


def _matches(rounds: list[MatchSummary], pooled: MatchSummary) -> ReportTable:
    """Make table 7: mean and standard deviation of the rounds, and the interval over all of them."""
    rates = [summary.win_rate for summary in rounds]
    spread = stdev(rates) if len(rates) > 1 else None
    columns = (
        "agent", "against", "rounds", "matches", "won", "from", "to", "standard deviation", "paper",
        "paper's deviation",
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [
            *summary.names,
            len(rounds),
            summary.num_games,
            summary.win_rate,
            *summary.interval,
            spread,
            paper,
            PAPER_DEVIATION,
        ]
        for summary, paper in ((pooled, PAPER_RATE), (pooled.swap_sides(), 1 - PAPER_RATE))
    ]
    note = "With 95 % intervals over all rounds, whose deals are their own; the deviation is that from round to round."
    return ReportTable("matches", "Whole matches (table 7)", columns, rows, note, frozenset(columns[4:]))


def _ceiling(summary: MatchSummary) -> ReportTable:
    """Make the table of the agent with the true hands, an upper bound for estimates."""
    columns = ("agent", "against", "matches", "won", "from", "to")
    rows: list[list[Cell]] = [[*summary.names, summary.num_games, summary.win_rate, *summary.interval]]
    note = "The true hands in the place of the estimate, for the networks, the preferences and the look-ahead alike."
    return ReportTable("ceiling", "What no estimate can win", columns, rows, note, frozenset(columns[3:]))


def _points(pooled: MatchSummary, episodes: int) -> list[ReportTable]:
    """Make table 8: the points of the episodes, and the intervals of the shares."""
    columns = (
        "agent", "episodes", "episodes won", "points", "3 points", "2 points", "1 point",
        "paper: points", "paper: 3 points", "paper: 2 points", "paper: 1 point",
    )  # fmt: skip
    bounds = ("agent", "share of", "won", "from", "to")
    rows: list[list[Cell]] = []
    intervals: list[list[Cell]] = []
    for summary, paper in zip((pooled, pooled.swap_sides()), PAPER_POINTS, strict=True):
        scores = summary.episode_points[:episodes]
        points = PointShares.from_scores(scores)
        rows.append(
            [summary.names[0], len(scores), points.win_rate, points.total_points, *points.shares.values(), *paper]
        )
        everything = np.ones(len(scores), np.bool_)
        parts = [("all episodes, won", scores > 0, everything)]
        parts += [(f"episodes won, {name}", scores == worth, scores > 0) for name, worth in _EPISODE_POINTS.items()]
        intervals += [[summary.names[0], name, *share_of_episodes(summary, part, of)] for name, part, of in parts]
    shares = frozenset(column for column in columns if column.endswith(("won", " points", " point"))) - {columns[7]}
    note = "The episodes of both games of a deal stand and fall together, and are counted for as much as they tell."
    return [
        ReportTable("points", "Points of single episodes (table 8)", columns, rows, percent_columns=shares),
        ReportTable("point_intervals", "With 95 % intervals", bounds, intervals, note, frozenset(bounds[2:])),
    ]


_EPISODE_POINTS = {"3 points": 3, "2 points": 2, "1 point": 1}


EXPERIMENT = Experiment(
    "Tables 7 and 8: with against without the estimate of the hidden hands",
    GuandanAblnConfig(),
    run,
    smoke={"rounds": 2, "games": 2, "episodes": 10, "ceiling": 2},
)
