"""Measure what the knowledge base contributes to an agent: preferences, projection, look-ahead, the minimiser.

The agent plays a fixed number of matches against itself without one part at a time (``abl_cards.ablation`` stops as
soon as a part is decided). A part contributes where the whole interval of the win rate lies above one half.
``--set agent=kb`` measures the groups of preferences of the agent without networks, with ``--set single=true`` every
single preference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abl_cards.ablation import AblationPart, list_parts
from abl_cards.core import SEED_RANGE, ErrorBarPlot, ErrorCode, GameError, setting, share_axis
from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.matches import MatchSummary, measure_matches
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games import Engine

_PREFERENCE_PREFIX = "kb:"
_NETWORK_PARTS = ("projection", "lookahead", "minimiser")


@dataclass(frozen=True)
class GuandanKbAblationConfig(GameConfig):
    """Agent, parts and number of matches."""

    agent: str = setting("abl", "agent that plays against itself without a part")
    single: bool = setting(False, "measure every preference instead of groups")
    without: tuple[str, ...] = setting((), "groups, preferences or parts to leave out; default: all")
    games: int = setting(2000, "whole matches a part, each deal twice with the teams swapped")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)


def measured_parts(agent: str, engine: Engine, single: bool = False) -> dict[str, AblationPart]:
    """List the parts of an agent that this experiment measures.

    Args:
        agent: Name of the agent, ``kb`` or ``abl`` with options.
        engine: Compiled game.
        single: List every preference instead of groups.

    Returns:
        Parts by the names used in settings and reports: a group or a preference without prefix, or the option of
        the agent such as ``no-projection``.
    """
    parts = {}
    for part in list_parts(engine, agent, single):
        if part.name.startswith(_PREFERENCE_PREFIX):
            parts[part.name.removeprefix(_PREFERENCE_PREFIX)] = part
        elif part.name in _NETWORK_PARTS:
            parts[part.options[0]] = part
    return parts


def run(settings: GuandanKbAblationConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play against every variant."""
    engine = settings.engine
    known = measured_parts(settings.agent, engine, settings.single)
    unknown = [name for name in settings.without if name not in known]
    if unknown:
        problem = f"agent '{settings.agent}' has no part '{unknown[0]}' (there are: {', '.join(known)})"
        raise GameError(problem, ErrorCode.UNKNOWN_PART)
    names = list(settings.without or known)
    whole, *variants = load_agents(
        [settings.agent, *(known[name].variant_of(settings.agent) for name in names)], engine
    )
    workspace.plan_cells(len(variants))
    by_name = dict(zip(names, variants, strict=True))

    def play(name: str) -> MatchSummary:
        return measure_matches(workspace, engine, (whole, by_name[name]), settings.games, settings.seed)

    def make_report(summaries: Mapping[str, MatchSummary]) -> ExperimentReport:
        return report(whole.name, {name: (known[name], summary) for name, summary in summaries.items()})

    return make_report(workspace.measure_each(by_name, play, make_report))


def report(agent_name: str, outcomes: Mapping[str, tuple[AblationPart, MatchSummary]]) -> ExperimentReport:
    """Make the table and the plot, the part that is worth most first."""
    ordered = sorted(outcomes.items(), key=lambda item: -item[1][1].win_rate)
    rows: list[list[Cell]] = [
        [name, part.description, summary.num_games, summary.win_rate, *summary.interval]
        for name, (part, summary) in ordered
    ]
    columns = ("without", "what", "matches", "won", "from", "to")
    title = f"{agent_name} against itself without a part"
    table = ReportTable(
        "parts", title, columns, rows, percent_columns=frozenset(columns[3:]), note="With 95 % intervals."
    )
    bars = {name: (summary.win_rate, *summary.interval) for name, (_, summary) in ordered}
    counts = {name: summary.num_games for name, (_, summary) in ordered}
    plot = ErrorBarPlot(
        "parts", title, share_axis("share of the matches won with the part"), bars, 0.5, counts,
        n=numbers_text([*counts.values()] or [0], "matches each"), interval="95 % intervals over deals",
    )  # fmt: skip
    return ExperimentReport([table], [plot])


EXPERIMENT = Experiment(
    "What each group of preferences, the projection, looking ahead and the minimiser contribute",
    GuandanKbAblationConfig(),
    run,
    smoke={"games": 4, "agent": "kb", "without": ("passing",)},
)
